// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.tree.HybridTree;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Writes the present content of a tree as a new tree.
@CommandLine.Command(
        name = "snapshot",
        header = "Write the present content of a tree as a new tree.",
        description = {
            "The copy holds the tree as it is at this moment, whole, even when `tree put` or `tree remove`"
                    + " replaces FILE"
                    + " meanwhile. It is canonical: bytes that nothing refers to, and earlier roots of a tree that was"
                    + " merged into, are left out."
        },
        footer = {"", "Example:", "  penstock tree snapshot words.act --output words-monday.act"})
final class TreeSnapshotCommand extends TreeChangeCommand {
    @Option(names = "--output", required = true, paramLabel = "FILE", description = "The tree to write.")
    Path output;

    @Override
    Path output() {
        return output;
    }

    @Override
    boolean isCreating() {
        return false;
    }

    @Override
    void change(HybridTree tree, Map<String, Object> counts) {}
}
