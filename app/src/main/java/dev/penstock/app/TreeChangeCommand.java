// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.Command;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import dev.penstock.tree.HybridTree;
import dev.penstock.tree.KeyText;
import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// A command that changes keys of a tree. Changes are collected in memory, and the new tree is published
/// atomically, so that a reader or a crash finds the old tree or the new one.
abstract class TreeChangeCommand extends Command {
    @Spec
    CommandSpec spec;

    @Parameters(index = "0", arity = "1", paramLabel = "FILE", description = "The path of the tree.")
    Path path;

    @Option(
            names = "--input",
            paramLabel = "FILE|-",
            description = "A file with lines of key, tab, value, as written by `tree dump` (`tree remove` ignores the"
                    + " values), or - for standard input.")
    String input;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write the new tree to this file and do not change FILE.")
    Path output;

    @Mixin
    OverwriteOption overwrite;

    /// The keys on the command line, each followed by its value if the command takes values.
    abstract List<String> words();

    /// Whether each key comes with a value.
    abstract boolean isWithValues();

    /// Makes one change.
    abstract void change(HybridTree tree, byte[] key, long value);

    /// The numbers of changes to print.
    abstract Map<String, Object> counts();

    @Override
    public Integer call() throws IOException {
        long start = System.nanoTime();
        TreeWriter.Summary summary;
        try (HybridTree tree = output == null ? HybridTree.open(path) : HybridTree.openToCopy(path);
                ProgressBar progress = progress("tree", ProgressBar.Unit.BYTES)) {
            changeAll(tree);
            summary = output == null
                    ? tree.snapshot(progress)
                    : tree.snapshotTo(output, TreeWriter.Options.DEFAULT.withReplacing(overwrite.isGiven), progress);
        }
        report(this, output == null ? path : output, counts(), summary, (System.nanoTime() - start) / 1e9);
        return 0;
    }

    private void changeAll(HybridTree tree) throws IOException {
        if (input != null) {
            try (TreeInput lines = TreeInput.open(console, input, TreeInput.Format.TSV, isWithValues())) {
                while (lines.next()) {
                    change(tree, Arrays.copyOf(lines.key, lines.size), lines.value);
                }
            }
        }
        int step = isWithValues() ? 2 : 1;
        for (int i = 0; i < words().size(); i += step) {
            String key = words().get(i);
            change(tree, key(key), isWithValues() ? value(words().get(i + 1)) : 0);
        }
    }

    /// Prints what was written.
    static void report(
            Command command, Path written, Map<String, Object> counts, TreeWriter.Summary summary, double seconds) {
        if (command.isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", written);
            json.putAll(counts);
            json.put("keys", summary.keyCount());
            json.put("bytes", summary.fileBytes());
            json.put("seconds", seconds);
            command.printJson(json);
            return;
        }
        StringBuilder changes = new StringBuilder();
        counts.forEach(
                (what, count) -> changes.append(", ").append(what).append(' ').append(Text.number((long) count)));
        command.remark("Wrote " + written + " (" + Text.bytes(summary.fileBytes()) + ") with "
                + Text.number(summary.keyCount()) + " keys in " + Text.seconds(seconds) + changes);
    }

    private byte[] key(String text) {
        try {
            return KeyText.parse(text);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
    }

    private long value(String text) {
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw usage("the value " + Text.printable(text) + " is not a number from 0 to 2^64-1");
        }
    }

    CommandLine.ParameterException usage(String what) {
        return new CommandLine.ParameterException(spec.commandLine(), what);
    }
}
