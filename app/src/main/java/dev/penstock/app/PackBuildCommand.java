// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.game2048.RunIntake;
import dev.penstock.memory.Codec;
import dev.penstock.memory.Parallel;
import dev.penstock.pack.PackBuilder;
import dev.penstock.pack.PackWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Packs a folder.
@CommandLine.Command(
        name = "build",
        aliases = "pack",
        header = "Pack the files of a folder.",
        description =
                "Collects *.a2run2 (*.a2run where there is none), or every file with --all-files. Runs of the game"
                        + " 2048 are recognised by their content; one that cannot be read stops the command,"
                        + " unless --skip-bad is given. The pack appears under its name when it is complete"
                        + " and on disk.",
        footer = {
            "",
            "Example:",
            "  penstock pack build --input runs --output runs.a2pack",
            "  penstock pack build --input photos --output photos.a2pack --all-files --compress zstd"
        })
final class PackBuildCommand extends Command {
    @Option(names = "--input", required = true, paramLabel = "DIR", description = "The folder.")
    Path input;

    @Option(names = "--output", required = true, paramLabel = "FILE", description = "The pack to write.")
    Path output;

    @Option(
            names = "--align",
            paramLabel = "BYTES",
            description = "Each record starts at a multiple of this (default: 4096 for runs; with --all-files small"
                    + " records have no gaps between them and large ones start at pages).")
    Long alignment;

    @Option(
            names = "--compress",
            paramLabel = "none|zstd|lz4",
            defaultValue = "none",
            description = "Compress each record that gets smaller by it (default: ${DEFAULT-VALUE}).")
    Codec codec;

    @Option(
            names = "--level",
            paramLabel = "L",
            defaultValue = "0",
            description = "zstd: 1 fast to 22 small; lz4: acceleration, larger is faster; 0 is the codec's own choice.")
    int level;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Threads that read and compress (default: one a core).")
    Integer workers;

    @Option(names = "--all-files", description = "Pack every file and keep the names.")
    boolean isEveryFile;

    @Option(names = "--no-entry-crc", description = "Store no checksums of the records.")
    boolean isWithoutCrc;

    /// What the original's command lines say for the default.
    @Option(names = "--entry-crc", hidden = true)
    boolean isWithCrc;

    @Option(names = "--skip-bad", description = "Leave out runs that cannot be read, and report them.")
    boolean isSkippingBad;

    @Option(names = "--overwrite", description = "Replace an existing output, in one step.")
    boolean isReplacing;

    @Override
    public Integer call() throws IOException {
        OutputName.require(output, OutputName.PACK);
        PackWriter.Options options = PackWriter.Options.DEFAULT
                .withAlignment(alignment())
                .withCodec(codec, level)
                .withEntryCrc(!isWithoutCrc)
                .withReplacing(isReplacing);
        int threads = workers == null ? Parallel.defaultThreads() : workers;
        RunIntake intake = new RunIntake(isSkippingBad);
        long start = System.nanoTime();
        PackBuilder.Result result;
        try (ProgressBar progress = progress("pack", ProgressBar.Unit.FILES)) {
            result = PackBuilder.build(input, output, isEveryFile, options, threads, intake, progress);
        }
        report(result, intake, (System.nanoTime() - start) / 1e9);
        return 0;
    }

    private long alignment() {
        if (alignment != null && alignment < 1) {
            throw new IllegalArgumentException("--align must be at least 1, not " + alignment);
        }
        return alignment == null ? PackWriter.Options.AUTOMATIC_ALIGNMENT : alignment;
    }

    private void report(PackBuilder.Result result, RunIntake intake, double seconds) throws IOException {
        long outputBytes = Files.size(output);
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("records", result.recordCount());
            json.put("inputBytes", result.inputBytes());
            json.put("bytes", outputBytes);
            json.put("seconds", seconds);
            json.put("skipped", findings(intake.skipped()));
            json.put("warnings", findings(intake.deviating()));
            printJson(json);
        } else {
            remark("Packed " + Text.number(result.recordCount()) + " records (" + Text.bytes(result.inputBytes())
                    + ") into " + output + " (" + Text.bytes(outputBytes) + ") in " + Text.seconds(seconds));
            intake.skipped()
                    .forEach(bad -> remark("skipped " + bad.file() + ": " + bad.what() + " [" + bad.reason() + "]"));
            intake.deviating()
                    .forEach(odd -> remark("warning: " + odd.file() + ": " + odd.what() + " [" + odd.reason() + "]"));
        }
    }

    static List<Map<String, Object>> findings(List<RunIntake.Finding> findings) {
        return findings.stream()
                .map(finding -> {
                    Map<String, Object> json = new LinkedHashMap<>();
                    json.put("file", finding.file());
                    json.put("reason", finding.reason());
                    json.put("what", finding.what());
                    return json;
                })
                .toList();
    }
}
