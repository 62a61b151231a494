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

/// Removes keys from a tree.
@CommandLine.Command(
        name = "remove",
        header = "Remove keys from a tree.",
        description = {
            "Writes the whole tree again without the keys and replaces the file in one step: a reader, or a"
                    + " crash, finds"
                    + " the old tree or the new one. Remove many keys in one call with --input. Keys that the tree does"
                    + " not have are counted as missing and are no error. One process at a time may change a tree."
        },
        footer = {
            "",
            "Example:",
            "  penstock tree remove words.act apple pear",
            "  penstock tree dump words.act --prefix old/ | penstock tree remove words.act --input -"
        })
final class TreeRemoveCommand extends TreeChangeCommand {
    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "KEY",
            description = "The keys, escaped as `tree --help` says.")
    List<String> keys = List.of();

    @Option(
            names = "--input",
            paramLabel = "FILE|-",
            description = "A key on each line, escaped; what follows a tab is ignored. - is standard input.")
    String input;

    @Option(names = "--output", paramLabel = "FILE", description = "Write the new tree here and leave FILE as it is.")
    Path output;

    private long removedCount;
    private long missingCount;

    @Override
    Path output() {
        return output;
    }

    @Override
    boolean isCreating() {
        return false;
    }

    @Override
    void change(HybridTree tree, Map<String, Object> counts) throws IOException {
        if (keys.isEmpty() && input == null) {
            throw usage("nothing to remove: give keys, or --input with a key on each line");
        }
        if (input != null) {
            try (TreeInput lines = TreeInput.open(console, input, TreeInput.Format.TSV, false)) {
                while (lines.next()) {
                    remove(tree, Arrays.copyOf(lines.key, lines.size));
                }
            }
        }
        for (String key : keys) {
            remove(tree, key(key));
        }
        counts.put("removed", removedCount);
        counts.put("missing", missingCount);
    }

    private void remove(HybridTree tree, byte[] key) {
        if (tree.contains(key)) {
            removedCount++;
            tree.remove(key);
        } else {
            missingCount++;
        }
    }
}
