// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import dev.penstock.tree.TreeSorter;
import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Builds a tree from keys.
@CommandLine.Command(
        name = "build",
        header = "Build a tree from keys.",
        description = {
            "tsv    one line for each key: key (escaped as described in `tree --help`), tab, value",
            "lines  one line for each key, byte for byte",
            "paths  keys, compressed",
            "kv     binary: 4 bytes length of the key, the key, 8 bytes value; little-endian",
            "",
            "The tree appears when it is complete and on disk. The same keys and values give the same"
                    + " bytes (the tree is canonical), except with --root branch, --share or --line-cache."
        },
        footer = {
            "",
            "Example:",
            "  penstock tree build --input words.txt --output words.act --unsorted",
            "  sort -u ids.tsv | penstock tree build --input - --format tsv --output ids.act"
        })
final class TreeBuildCommand extends Command {
    private static final int PROGRESS_EVERY = 1 << 14;

    /// The source of the values.
    enum Values {
        INDEX,
        COLUMN,
        ZERO
    }

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    @Option(
            names = "--input",
            required = true,
            paramLabel = "FILE|-",
            description = "The file with the keys, or - for standard input.")
    String input;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "The output file.")
    Path output;

    @Option(
            names = "--format",
            paramLabel = "tsv|lines|paths|kv",
            description = "The format of the input (default: by its extension, otherwise lines).")
    TreeInput.Format format;

    @Option(
            names = "--values",
            paramLabel = "index|column|zero",
            description = "index: the number of the key in the input, from 0; column: the value beside the key; zero: 0"
                    + " (default: column for tsv and kv, index for the others).")
    Values values;

    @Option(
            names = "--root",
            paramLabel = "line|branch",
            defaultValue = "line",
            description =
                    "The kind of the root if all keys have a common prefix: line is canonical, branch is written by the"
                            + " original program's streaming writer and not canonical (default: ${DEFAULT-VALUE}).")
    TreeWriter.RootStyle root;

    @Option(
            names = "--unsorted",
            description = "Accept keys in any order. If a key occurs more than once, the last value is used.")
    boolean isUnsorted;

    @Option(
            names = "--memory",
            paramLabel = "BYTES",
            defaultValue = "268435456",
            description =
                    "With --unsorted: memory for sorting before a temporary file is used (default: ${DEFAULT-VALUE}).")
    long memory;

    @Option(
            names = "--share",
            description = "Store equal subtrees once. The file is smaller and all readers support it, but it is not"
                    + " canonical.")
    boolean isSharing;

    @Option(
            names = "--line-cache",
            paramLabel = "N",
            description = "Deduplicate at most N different key segments. This limits"
                    + " memory; the tree is not canonical if there are more.")
    Long lineLimit;

    @Mixin
    OverwriteOption overwrite;

    @Override
    public Integer call() throws IOException {
        OutputName.require(output, OutputName.TREE);
        TreeWriter.Options options = TreeWriter.Options.DEFAULT
                .withRootStyle(root)
                .withSharing(isSharing)
                .withReplacing(overwrite.isGiven)
                .withLineLimit(lineLimit == null ? TreeWriter.Options.UNLIMITED : lineLimit);
        TreeInput.Format actualFormat = format == null ? formatOf(input) : format;
        Values actualValues = valuesOf(actualFormat);
        long start = System.nanoTime();
        long[] duplicates = new long[1];
        TreeWriter.Summary summary;
        try (TreeInput keys = TreeInput.open(console, input, actualFormat, actualValues == Values.COLUMN);
                ProgressBar progress = progress("tree", ProgressBar.Unit.BYTES)) {
            summary = TreeWriter.write(
                    output,
                    options,
                    writer -> duplicates[0] = isUnsorted
                            ? sort(keys, writer, actualValues, progress)
                            : copy(keys, writer, actualValues, progress));
        }
        report(summary, duplicates[0], (System.nanoTime() - start) / 1e9);
        return 0;
    }

    private static TreeInput.Format formatOf(String name) {
        return name.endsWith(".tsv")
                ? TreeInput.Format.TSV
                : name.endsWith(".paths")
                        ? TreeInput.Format.PATHS
                        : name.endsWith(".kv") ? TreeInput.Format.KV : TreeInput.Format.LINES;
    }

    private Values valuesOf(TreeInput.Format actualFormat) {
        boolean hasColumn = actualFormat == TreeInput.Format.TSV || actualFormat == TreeInput.Format.KV;
        if (values == Values.COLUMN && !hasColumn) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--values column needs --format tsv or kv; the other formats have no values");
        }
        return values != null ? values : hasColumn ? Values.COLUMN : Values.INDEX;
    }

    private static long valueOf(TreeInput keys, Values values, long index) {
        return switch (values) {
            case INDEX -> index;
            case COLUMN -> keys.value;
            case ZERO -> 0;
        };
    }

    private long copy(TreeInput keys, TreeWriter writer, Values actualValues, ProgressBar progress) throws IOException {
        long total = totalBytes();
        for (long index = 0; keys.next(); index++) {
            try {
                writer.append(keys.key, 0, keys.size, valueOf(keys, actualValues, index));
            } catch (IllegalArgumentException e) {
                throw new DatasetException.Corrupt(
                        Path.of(input),
                        keys.position(),
                        Reason.UNSORTED,
                        "key " + index + ": " + e.getMessage() + "; use --unsorted to sort the keys");
            }
            if (index % PROGRESS_EVERY == 0) {
                progress.at(Math.min(keys.position(), total), total);
            }
        }
        return 0;
    }

    private long sort(TreeInput keys, TreeWriter writer, Values actualValues, ProgressBar progress) throws IOException {
        long total = totalBytes();
        try (TreeSorter sorter = TreeSorter.create(output, memory, Disk.real())) {
            for (long index = 0; keys.next(); index++) {
                sorter.append(keys.key, 0, keys.size, valueOf(keys, actualValues, index));
                if (index % PROGRESS_EVERY == 0) {
                    progress.at(Math.min(keys.position(), total), total);
                }
            }
            return sorter.writeTo(writer).duplicateCount();
        }
    }

    private long totalBytes() throws IOException {
        return input.equals("-") ? Long.MAX_VALUE : Files.size(Path.of(input));
    }

    private void report(TreeWriter.Summary summary, long duplicates, double seconds) {
        boolean isUsual = !isSharing && root == TreeWriter.RootStyle.LINE && lineLimit == null;
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("keys", summary.keyCount());
            json.put("duplicates", duplicates);
            json.put("bytes", summary.fileBytes());
            json.put("lineData", summary.lineDataCount());
            json.put("reusedLines", summary.reusedLineCount());
            json.put("sharedRuns", summary.sharedRunCount());
            json.put("sharedBytes", summary.sharedBytes());
            json.put("seconds", seconds);
            printJson(json);
            return;
        }
        remark("Built " + output + " (" + Text.bytes(summary.fileBytes()) + ") of " + Text.number(summary.keyCount())
                + " keys in " + Text.seconds(seconds)
                + (duplicates == 0 ? "" : ", " + Text.number(duplicates) + " duplicate keys"));
        if (isSharing) {
            remark("Sharing saved " + Text.bytes(summary.sharedBytes()) + " in " + Text.number(summary.sharedRunCount())
                    + " places");
        }
        if (!isUsual) {
            remark("The tree may not be canonical; `tree stats` says whether it is");
        }
    }
}
