// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Codec;
import dev.penstock.file.Parallel;
import dev.penstock.pack.PackBuilder;
import dev.penstock.pack.PackFolder;
import dev.penstock.pack.PackIntake;
import dev.penstock.pack.PackWriter;
import dev.penstock.pack.RecordFamily;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Packs a folder.
@CommandLine.Command(
        name = "build",
        aliases = "pack",
        header = "Pack the files of a folder into one file.",
        description =
                "Packs all files of a folder and its subfolders, with their names. If some of them are runs, or of"
                        + " another format that a plug-in knows, these are packed without names and the others are"
                        + " left out, which the command says; --all-files packs all. Files of a known format"
                        + " are recognised by their content; one that is invalid stops the command, unless"
                        + " --skip-bad is given. The pack appears when it is complete and on disk.",
        footer = {
            "",
            "Example:",
            "  penstock pack build --input runs --output runs.a2pack",
            "  penstock pack build --input photos --output photos.a2pack --compress zstd"
        })
final class PackBuildCommand extends Command {
    @Spec
    CommandSpec spec;

    @Option(names = "--input", required = true, paramLabel = "DIR", description = "The input folder.")
    Path input;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "The pack to write.")
    Path output;

    @Option(
            names = "--align",
            paramLabel = "BYTES",
            description = "Alignment of records in bytes (default: 4096 for files of a known format; of all files small"
                    + " records are stored without gaps, and large ones start at pages).")
    Long alignment;

    @Option(
            names = "--compress",
            paramLabel = "none|zstd|lz4",
            defaultValue = "none",
            description = "Compression of records; records that do not get smaller are stored raw (default:"
                    + " ${DEFAULT-VALUE}).")
    Codec codec;

    @Option(
            names = "--level",
            paramLabel = "L",
            defaultValue = "0",
            description =
                    "zstd: 1 (fast) to 22 (small); lz4: acceleration, larger is faster; 0 is the codec's default.")
    int level;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Number of threads that read and compress (default: one per core).")
    Integer workers;

    @Option(
            names = "--all-files",
            description = "Pack all files and store their names, also if some are of a known format.")
    boolean isEveryFile;

    @Option(names = "--no-entry-crc", description = "Do not store a checksum for each record.")
    boolean isWithoutCrc;

    /// Accepted for command lines of the original program, where it is the default.
    @Option(names = "--entry-crc", hidden = true)
    boolean isWithCrc;

    @Option(names = "--skip-bad", description = "Skip and report invalid files of a known format.")
    boolean isSkippingBad;

    @Mixin
    OverwriteOption overwrite;

    @Override
    public Integer call() throws IOException {
        OutputName.require(output, OutputName.PACK);
        PackWriter.Options options = PackWriter.Options.DEFAULT
                .withAlignment(alignment())
                .withCodec(codec, level)
                .withEntryCrc(!isWithoutCrc)
                .withReplacing(overwrite.isGiven);
        int threads = workers == null ? Parallel.defaultThreads() : workers;
        List<PackIntake> intakes = RecordFamily.all().stream()
                .flatMap(family -> family.intake(isSkippingBad).stream())
                .toList();
        long start = System.nanoTime();
        PackFolder.Contents contents = PackFolder.contents(input, output);
        isEveryFile |= contents.known() == 0 && !isOriginal();
        PackBuilder.Result result;
        try (ProgressBar progress = progress("pack", ProgressBar.Unit.FILES)) {
            result = PackBuilder.build(input, output, isEveryFile, options, threads, intakes, progress);
        }
        report(result, intakes, isEveryFile ? 0 : contents.others(), (System.nanoTime() - start) / 1e9);
        return 0;
    }

    /// Whether the command was called by the name that the original program has for it, which packs nothing but
    /// runs.
    private boolean isOriginal() {
        CommandLine parent = spec.commandLine().getParent();
        List<String> words =
                parent == null ? List.of() : parent.getParseResult().originalArgs();
        int command = words.indexOf("pack");
        return command >= 0
                && command + 1 < words.size()
                && words.get(command + 1).equals("pack");
    }

    /// What was left out of the folder, one sentence for each family.
    private List<String> leftOut() throws IOException {
        List<String> leftOut = new ArrayList<>();
        for (RecordFamily family : isEveryFile ? List.<RecordFamily>of() : RecordFamily.all()) {
            PackFolder.leftOut(input, family).ifPresent(leftOut::add);
        }
        return leftOut;
    }

    private long alignment() {
        if (alignment != null && (alignment < 1 || Long.bitCount(alignment) != 1)) {
            throw new IllegalArgumentException(
                    "--align must be a power of two, such as 1, 64 or 4096, got " + alignment);
        }
        return alignment == null ? PackWriter.Options.AUTOMATIC_ALIGNMENT : alignment;
    }

    private void report(PackBuilder.Result result, List<PackIntake> intakes, long leftOut, double seconds)
            throws IOException {
        long outputBytes = Files.size(output);
        List<PackIntake.Finding> skipped =
                intakes.stream().flatMap(intake -> intake.skipped().stream()).toList();
        List<PackIntake.Finding> deviating =
                intakes.stream().flatMap(intake -> intake.deviating().stream()).toList();
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("records", result.recordCount());
            json.put("inputBytes", result.inputBytes());
            json.put("bytes", outputBytes);
            json.put("otherFilesLeftOut", leftOut);
            json.put("seconds", seconds);
            json.put(
                    "skipped",
                    skipped.stream().map(PackIntake.Finding::description).toList());
            json.put(
                    "warnings",
                    deviating.stream().map(PackIntake.Finding::description).toList());
            json.put("leftOut", leftOut());
            printJson(json);
        } else {
            remark("Packed " + Text.number(result.recordCount()) + " records (" + Text.bytes(result.inputBytes())
                    + ") into " + output + " (" + Text.bytes(outputBytes) + ") in " + Text.seconds(seconds));
            if (leftOut > 0) {
                remark("The folder has files of a known format, so these were packed, and " + Text.number(leftOut)
                        + (leftOut == 1 ? " other file was" : " other files were")
                        + " left out; --all-files packs all");
            }
            skipped.forEach(bad -> remark("skipped " + bad.file() + ": " + bad.what() + " [" + bad.reason() + "]"));
            leftOut().forEach(sentence -> remark("warning: " + input + ": " + sentence));
            deviating.forEach(odd -> remark("warning: " + odd.file() + ": " + odd.what() + " [" + odd.reason() + "]"));
        }
    }
}
