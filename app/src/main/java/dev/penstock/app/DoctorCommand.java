// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.convert.BadRecords;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.doctor.Check;
import dev.penstock.doctor.Diagnosis;
import dev.penstock.doctor.Doctor;
import dev.penstock.doctor.DoctorOptions;
import dev.penstock.doctor.Finding;
import dev.penstock.file.Location;
import dev.penstock.plugin.AccessOption;
import dev.penstock.plugin.ByteCount;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.LocationText;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Examines records for what training would trip over.
@HelpSection(HelpSection.Name.CHECK)
@CommandLine.Command(
        name = "doctor",
        header = "Find what training would trip over: missing values, NaN, copies, broken images and texts.",
        description = {
            "Reads the records of a dataset, or of any source that convert reads, once. It counts and explains:"
                    + " missing values (nulls), nan, infinity, constant fields, duplicate-columns, records that are"
                    + " exact copies (duplicates), empty and oversized values, images that do not decode, text that is"
                    + " not utf8, classes of very different size, unusual lengths, keys that repeat, and records"
                    + " shared with another dataset (--against).",
            "Memory is bounded: digests of the records are sorted in a temporary file of about 30 bytes for each"
                    + " record. Images are decoded by Python with Pillow, where these are installed.",
            "--output writes the indices of the records with findings, for `convert --without` and, in Python,"
                    + " `Dataset.select`. Of several copies the first is not in the list.",
            "The exit code is 0 whatever is found, and 1 with --strict when there are findings."
        },
        footer = {
            "",
            "Example:",
            "  penstock doctor train.parquet --against test.parquet",
            "  penstock doctor photos --output bad.npy",
            "  penstock convert photos clean --to store --without bad.npy"
        })
final class DoctorCommand extends Command {
    @Spec
    CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "PATH",
            converter = LocationText.class,
            description = "The path or address of a dataset, or of another source of records.")
    Location path;

    @Option(
            names = "--against",
            paramLabel = "PATH",
            converter = LocationText.class,
            description = "Find records that are in this dataset as well, for example the one for testing.")
    Location other;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write the indices of the records with findings to this file, which must end in .npy.")
    Path output;

    @Mixin
    OverwriteOption overwrite;

    @Option(
            names = "--fields",
            paramLabel = "LIST",
            description = "Examine only these fields, and compare records by them, as in a,b (default: all).")
    String fields;

    @Option(
            names = "--checks",
            paramLabel = "LIST",
            description = "Look only for these, by the names above, as in nan,duplicates (default: all).")
    String checks;

    @Option(names = "--skip", paramLabel = "LIST", description = "Do not look for these, as in images,lengths.")
    String skipped;

    @Option(
            names = "--key",
            paramLabel = "FIELD",
            description = "The field whose values must not repeat (default: fields called like a key, such as id or"
                    + " path).")
    String key;

    @Option(
            names = "--max-bytes",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = "Values above this size are oversized, as in 16m (default: 64m).")
    Long maxBytes;

    @Option(
            names = "--sort-memory",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = "The memory for finding copies (default: 128m).")
    Long memoryBytes;

    @Option(
            names = "--temporary",
            paramLabel = "FOLDER",
            description = "The folder for temporary files (default: that of the system).")
    Path folder;

    @Option(names = "--strict", description = "Exit with 1 if there are findings.")
    boolean isStrict;

    @Mixin
    SourceOption kind = new SourceOption();

    @Mixin
    AccessOption io = new AccessOption();

    @Override
    public Integer call() throws IOException {
        if (output != null && !output.toString().endsWith(".npy")) {
            throw new CommandLine.ParameterException(spec.commandLine(), "the output must end in .npy");
        }
        DoctorOptions options = options();
        long start = System.nanoTime();
        Diagnosis diagnosis;
        List<BadRecords.LeftOut> leftOut;
        try (RecordSource against = other == null ? null : open(other);
                RecordSource source = open(path);
                ProgressBar progress = progress("examine", ProgressBar.Unit.RECORDS)) {
            diagnosis = Doctor.examine(source, against, options, progress);
            leftOut = kind.bad().leftOut();
        }
        if (output != null) {
            diagnosis.write(output, overwrite.isGiven);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        if (isJson) {
            Map<String, Object> json = diagnosis.description();
            json.put(
                    "leftOut",
                    leftOut.stream().map(BadRecords.LeftOut::description).toList());
            json.put("against", other);
            json.put("output", output);
            json.put("seconds", seconds);
            printJson(json);
        } else {
            printText(diagnosis, seconds);
            for (BadRecords.LeftOut one : leftOut) {
                print("  left out: " + Text.printable(one.toString()));
            }
        }
        return isStrict && !diagnosis.findings().isEmpty() ? BAD_DATA : 0;
    }

    private RecordSource open(Location location) throws IOException {
        return kind.divided(Sources.open(location, kind.of(SourceOptions.DEFAULT.withCatalog(io.options()))));
    }

    private DoctorOptions options() {
        Set<Check> wanted = EnumSet.allOf(Check.class);
        if (checks != null) {
            wanted.retainAll(parsed(checks));
        }
        if (skipped != null) {
            wanted.removeAll(parsed(skipped));
        }
        DoctorOptions options = DoctorOptions.DEFAULT.withChecks(wanted).withKey(key);
        options = fields == null ? options : options.withFields(list(fields));
        options = maxBytes == null ? options : options.withSizeMax(maxBytes);
        options = memoryBytes == null ? options : options.withMemoryBytes(memoryBytes);
        return folder == null ? options : options.withFolder(folder);
    }

    private static List<String> list(String text) {
        return Arrays.stream(text.split(",")).map(String::strip).toList();
    }

    private static List<Check> parsed(String text) {
        return list(text).stream().map(Check::of).toList();
    }

    private void printText(Diagnosis diagnosis, double seconds) {
        print(console.outColours().title(diagnosis.name()) + ": " + Text.number(diagnosis.recordCount())
                + " records examined in " + Text.seconds(seconds));
        for (Finding finding : diagnosis.findings()) {
            print(line(finding));
            print("      " + Text.printable(finding.message()));
        }
        diagnosis.remarks().forEach(text -> print("  not checked: " + Text.printable(text)));
        if (diagnosis.findings().isEmpty()) {
            print(console.outColours().good("Nothing found."));
        } else {
            print(Text.number(diagnosis.badCount()) + " of " + Text.number(diagnosis.recordCount())
                    + " records have findings"
                    + (output == null
                            ? "; --output bad.npy writes their indices"
                            : "; their indices are in " + output));
        }
    }

    private String line(Finding finding) {
        String what = finding.field() == null ? "records" : "field " + Text.printable(finding.field());
        String who = "";
        if (finding.count() > 0) {
            String shown = finding.records().stream().map(String::valueOf).collect(Collectors.joining(", "));
            boolean isMore = finding.count() > finding.records().size();
            who = ", " + Text.number(finding.count()) + (finding.count() == 1 ? " record: " : " records: ") + shown
                    + (isMore ? ", ..." : "");
        }
        return "  " + console.outColours().bad(finding.check().toString()) + ": " + what + ": "
                + finding.check().words() + who;
    }
}
