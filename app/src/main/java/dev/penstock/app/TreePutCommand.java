// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.tree.HybridTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Adds keys to a tree or changes their values.
@CommandLine.Command(
        name = "put",
        header = "Add keys to a tree, or change their values.",
        description = {
            "Writes the whole tree again with the changes and replaces the file in one step: a reader, or a"
                    + " crash, finds"
                    + " the old tree or the new one. Put many keys in one call with --input, since each call writes the"
                    + " tree once. The changes must fit into memory. A tree that does not exist is created.",
            "",
            "Of a key that is given more than once the last value counts. One process at a time may change a tree."
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
            description = "Keys, escaped as `tree --help` says, each with its value, a number from 0 to 2^64-1.")
    List<String> pairs = List.of();

    @Option(
            names = "--input",
            paramLabel = "FILE|-",
            description = "Lines of key, tab, value, as `tree dump` writes them; - is standard input.")
    String input;

    @Option(names = "--output", paramLabel = "FILE", description = "Write the new tree here and leave FILE as it is.")
    Path output;

    @Override
    Path output() {
        return output;
    }

    @Override
    boolean isCreating() {
        return true;
    }

    @Override
    void change(HybridTree tree, Map<String, Object> counts) throws IOException {
        if (pairs.size() % 2 != 0) {
            throw usage("the key " + pairs.getLast() + " has no value: give KEY VALUE pairs");
        }
        if (pairs.isEmpty() && input == null) {
            throw usage("nothing to put: give KEY VALUE pairs, or --input with lines of key, tab, value");
        }
        long count = 0;
        if (input != null) {
            try (TreeInput entries = TreeInput.open(console, input, TreeInput.Format.TSV, true)) {
                for (; entries.next(); count++) {
                    tree.put(Arrays.copyOf(entries.key, entries.size), entries.value);
                }
            }
        }
        for (int i = 0; i < pairs.size(); i += 2, count++) {
            tree.put(key(pairs.get(i)), value(pairs.get(i + 1)));
        }
        counts.put("put", count);
    }

    private long value(String text) {
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw usage("the value " + Text.printable(text) + " is no number from 0 to 2^64-1");
        }
    }
}
