// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Disk;
import dev.penstock.tree.HybridTree;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/// Removes keys from a tree.
@CommandLine.Command(
        name = "remove",
        header = "Remove keys from a tree.",
        description = {
            "Writes the whole tree again without the keys and replaces the file atomically: a reader, or a"
                    + " crash, finds"
                    + " the old tree or the new one. Remove many keys in one call with --input. Keys that the tree does"
                    + " not have are counted as missing; this is not an error.",
            "",
            "One process at a time can change a tree: a second one fails with a message that names the first."
                    + " With --output, FILE is not changed."
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
            description = "The keys, escaped as described in `tree --help`.")
    List<String> keys = List.of();

    private long removedCount;
    private long missingCount;

    @Override
    public Integer call() throws IOException {
        if (keys.isEmpty() && input == null) {
            throw usage("nothing to remove: give keys, or --input with a key on each line");
        }
        if (!Disk.real().exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        return super.call();
    }

    @Override
    List<String> words() {
        return keys;
    }

    @Override
    boolean isWithValues() {
        return false;
    }

    @Override
    void change(HybridTree tree, byte[] key, long value) {
        if (tree.contains(key)) {
            removedCount++;
            tree.remove(key);
        } else {
            missingCount++;
        }
    }

    @Override
    Map<String, Object> counts() {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("removed", removedCount);
        counts.put("missing", missingCount);
        return counts;
    }
}
