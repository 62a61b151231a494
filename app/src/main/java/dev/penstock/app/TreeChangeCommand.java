// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.memory.Disk;
import dev.penstock.tree.HybridTree;
import dev.penstock.tree.KeyText;
import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// A command that writes a tree again, with changes. The changes are collected in memory, and the new tree
/// appears in one step, so that a reader or a crash finds the old tree or the new one.
abstract class TreeChangeCommand extends Command {
    @Spec
    CommandSpec spec;

    @Parameters(index = "0", arity = "1", paramLabel = "FILE", description = "The tree.")
    Path path;

    @Option(names = "--overwrite", description = "Replace an existing output, in one step.")
    boolean isReplacing;

    /// Where the new tree goes, or null to replace the tree itself.
    abstract Path output();

    /// Whether a tree that does not exist yet is begun.
    abstract boolean isCreating();

    /// Makes the changes and adds their numbers to what is printed.
    abstract void change(HybridTree tree, Map<String, Object> counts) throws IOException;

    @Override
    public Integer call() throws IOException {
        long start = System.nanoTime();
        if (!isCreating() && !Disk.real().exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        Map<String, Object> counts = new LinkedHashMap<>();
        TreeWriter.Summary summary;
        try (HybridTree tree = HybridTree.open(path);
                ProgressBar progress = progress("tree", ProgressBar.Unit.BYTES)) {
            change(tree, counts);
            summary = output() == null
                    ? tree.snapshot(progress)
                    : tree.snapshotTo(output(), TreeWriter.Options.DEFAULT.withReplacing(isReplacing), progress);
        }
        report(output() == null ? path : output(), counts, summary, (System.nanoTime() - start) / 1e9);
        return 0;
    }

    private void report(Path written, Map<String, Object> counts, TreeWriter.Summary summary, double seconds) {
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", written);
            json.putAll(counts);
            json.put("keys", summary.keyCount());
            json.put("bytes", summary.fileBytes());
            json.put("seconds", seconds);
            printJson(json);
            return;
        }
        StringBuilder changes = new StringBuilder();
        counts.forEach(
                (what, count) -> changes.append(", ").append(what).append(' ').append(Text.number((long) count)));
        remark("Wrote " + written + " (" + Text.bytes(summary.fileBytes()) + ") with " + Text.number(summary.keyCount())
                + " keys in " + Text.seconds(seconds) + changes);
    }

    /// @throws CommandLine.ParameterException when the text is no key
    byte[] key(String text) {
        try {
            return KeyText.parse(text);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
    }

    CommandLine.ParameterException usage(String what) {
        return new CommandLine.ParameterException(spec.commandLine(), what);
    }
}
