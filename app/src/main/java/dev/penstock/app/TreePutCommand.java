// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.tree.HybridTree;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/// Adds keys to a tree or changes their values.
@CommandLine.Command(
        name = "put",
        header = "Add keys to a tree, or change their values.",
        description = {
            "Writes the whole tree again with the changes and replaces the file atomically: a reader, or a crash,"
                    + " finds the old tree or the new one. Put many keys in one call with --input, because each call"
                    + " writes the tree once. The changes must fit in memory. If the tree does not exist, it is"
                    + " created.",
            "",
            "If a key is given more than once, the last value is used. One process at a time can change a tree: a"
                    + " second one fails with a message that names the first. With --output, FILE is not changed."
        },
        footer = {
            "",
            "Example:",
            "  penstock tree put words.act apple 7 pear 8",
            "  penstock tree put words.act --input changes.tsv",
            "  generate-changes | penstock tree put words.act --input - --output new.act"
        })
final class TreePutCommand extends TreeChangeCommand {
    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "KEY VALUE",
            description =
                    "Keys (escaped as described in `tree --help`), each with its value, a number from 0 to 2^64-1.")
    List<String> pairs = List.of();

    private long putCount;

    @Override
    public Integer call() throws IOException {
        if (pairs.size() % 2 != 0) {
            throw usage("the key " + pairs.getLast() + " has no value: give KEY VALUE pairs");
        }
        if (pairs.isEmpty() && input == null) {
            throw usage("nothing to put: give KEY VALUE pairs, or --input with lines of key, tab, value");
        }
        return super.call();
    }

    @Override
    List<String> words() {
        return pairs;
    }

    @Override
    boolean isWithValues() {
        return true;
    }

    @Override
    void change(HybridTree tree, byte[] key, long value) {
        tree.put(key, value);
        putCount++;
    }

    @Override
    Map<String, Object> counts() {
        return Map.of("put", putCount);
    }
}
