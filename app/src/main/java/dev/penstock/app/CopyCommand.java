// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.convert.DatasetCopy;
import dev.penstock.file.Location;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.LocationText;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Copies the files of a dataset, to and from object storage.
@HelpSection(HelpSection.Name.MAKE)
@CommandLine.Command(
        name = "copy",
        header = "Copy the files of a dataset: to object storage, from there, or between two places.",
        description = {
            "The files stay as they are, and only those of the dataset are copied. The target appears when it is"
                    + " complete; its checksums or its fingerprint are compared with the source.",
            "After an interruption the same command continues: what was copied is compared with the source and kept.",
            "Of a store the last commit is copied, without its snapshots. While a program writes to it, copy a named"
                    + " snapshot."
        },
        footer = {
            "",
            "Example:",
            "  penstock copy corpus s3://bucket/corpus",
            "  penstock copy s3://bucket/corpus corpus",
            "  penstock copy games s3://bucket/games --snapshot july"
        })
final class CopyCommand extends Command {
    @Parameters(
            index = "0",
            paramLabel = "SOURCE",
            converter = LocationText.class,
            description = "The path or address of the dataset.")
    Location source;

    @Parameters(
            index = "1",
            paramLabel = "TARGET",
            converter = LocationText.class,
            description = "The path or s3 address of the copy, with its name.")
    Location target;

    @Mixin
    SnapshotOption snapshot = new SnapshotOption();

    @Mixin
    OverwriteOption overwrite = new OverwriteOption();

    @Override
    public Integer call() throws IOException {
        long start = System.nanoTime();
        DatasetCopy copy = DatasetCopy.of(snapshot.of(source), target).withReplacing(overwrite.isGiven);
        DatasetCopy.Report report;
        try (ProgressBar progress = progress("copy", ProgressBar.Unit.BYTES)) {
            report = copy.run(progress);
        }
        print(report, (System.nanoTime() - start) / 1e9);
        return 0;
    }

    private void print(DatasetCopy.Report report, double seconds) {
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("source", source);
            json.put("target", target);
            json.put("format", report.format());
            json.put("records", report.records());
            json.put("files", report.files());
            json.put("bytes", report.bytes());
            json.put("keptBytes", report.keptBytes());
            json.put("fingerprint", report.fingerprint());
            json.put("seconds", seconds);
            printJson(json);
            return;
        }
        if (report.keptBytes() > 0) {
            remark("Kept " + Text.bytes(report.keptBytes()) + " of an interrupted copy.");
        }
        long sent = report.bytes() - report.keptBytes();
        remark("Copied " + source + " to " + target + " (" + report.format() + ", " + Text.number(report.records())
                + " records, " + Text.number(report.files()) + (report.files() == 1 ? " file, " : " files, ")
                + Text.bytes(report.bytes()) + ") in " + Text.seconds(seconds) + ", "
                + Text.bytes((long) (sent / Math.max(1e-3, seconds))) + "/s; compared with the source");
    }
}
