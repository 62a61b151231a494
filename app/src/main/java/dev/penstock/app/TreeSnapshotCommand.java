// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Disk;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.tree.HybridTree;
import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Writes the current content of a tree as a new tree.
@CommandLine.Command(
        name = "snapshot",
        header = "Write the current content of a tree as a new tree.",
        description = {
            "The copy has the complete tree as it is now, even if `tree put` or `tree remove`"
                    + " replaces FILE"
                    + " during the copy. It is canonical: unreferenced bytes, and earlier roots of a tree that was"
                    + " merged into, are left out."
        },
        footer = {"", "Example:", "  penstock tree snapshot words.act --output words-monday.act"})
final class TreeSnapshotCommand extends Command {
    @Parameters(index = "0", arity = "1", paramLabel = "FILE", description = "The path of the tree.")
    Path path;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "The output file.")
    Path output;

    @Mixin
    OverwriteOption overwrite;

    @Override
    public Integer call() throws IOException {
        long start = System.nanoTime();
        if (!Disk.real().exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        TreeWriter.Summary summary;
        try (HybridTree tree = HybridTree.openToCopy(path);
                ProgressBar progress = progress("tree", ProgressBar.Unit.BYTES)) {
            TreeWriter.Options options = TreeWriter.Options.DEFAULT.withReplacing(overwrite.isGiven);
            summary = tree.snapshotTo(output, options, progress);
        }
        TreeChangeCommand.report(this, output, Map.of(), summary, (System.nanoTime() - start) / 1e9);
        return 0;
    }
}
