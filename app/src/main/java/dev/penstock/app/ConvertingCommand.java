// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.convert.BadRecords;
import dev.penstock.convert.Conversion;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.TargetOptions;
import dev.penstock.convert.Targets;
import dev.penstock.file.Location;
import dev.penstock.plugin.AccessOption;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.ConversionRun;
import dev.penstock.plugin.Text;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Mixin;

/// A command that copies records into a new dataset of any format.
abstract class ConvertingCommand extends Command {
    @Mixin
    TargetOption target = new TargetOption();

    @Mixin
    StagedOutput staged = new StagedOutput();

    @Mixin
    AccessOption io = new AccessOption();

    /// Copies all records of a source and prints a summary.
    ///
    /// @param verb   the verb of the message, as in `Converted`
    /// @param format the format of the target, or null to use the extension of its name
    Integer convert(RecordSource records, Location output, String verb, String format) throws IOException {
        return write(target.typed(records), output, verb, format);
    }

    /// Copies all records of a source that has its final types.
    Integer write(RecordSource source, Location output, String verb, String format) throws IOException {
        long start = System.nanoTime();
        boolean isReplacing = target.overwrite.isGiven;
        requireLocalNames(output);
        Path path = staged.begin(output, isReplacing);
        TargetOptions options = target.options().withReplacing(isReplacing || !output.isLocal());
        Conversion conversion = Conversion.of(source, path, format, options);
        Conversion.Report report = ConversionRun.of(this, conversion, path);
        staged.finish(this, output, isReplacing);
        conversion.remarks().forEach(this::remark);
        print(source, output, verb, report, (System.nanoTime() - start) / 1e9);
        return 0;
    }

    private void requireLocalNames(Location output) {
        if (target.name != null && !output.isLocal()) {
            throw new IllegalArgumentException(output + " is not on a local disk, where an index of names is made:"
                    + " convert to a local path with --name, and copy the result with `penstock copy`");
        }
    }

    /// The default format of the target if neither an option nor its name gives one: that of the source.
    String usualFormat(Dataset source, Location output) {
        if (target.format != null || Targets.ofExtension(named(output)).isPresent()) {
            return target.format;
        }
        String found =
                source instanceof Concat concat ? concat.parts().getFirst().format() : source.format();
        boolean isTarget = Targets.named(found).isPresent();
        return isTarget ? found : null;
    }

    /// A path with the name of an output, for what follows from the name.
    static Path named(Location output) {
        return output.isLocal() ? output.path() : Path.of(output.name());
    }

    /// What happened with records that could not be read.
    BadRecords bad() {
        return BadRecords.REFUSED;
    }

    /// Lists what was left out in a file, if there is something.
    Path writeLeftOut() throws IOException {
        return null;
    }

    private void print(RecordSource source, Location output, String verb, Conversion.Report report, double seconds)
            throws IOException {
        Path list = writeLeftOut();
        long leftOut = leftOut(source, report);
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("source", source.name());
            if (source.dataset().orElse(null) instanceof Concat concat) {
                json.put(
                        "sources",
                        concat.parts().stream().map(Dataset::location).toList());
            }
            json.put("output", output);
            json.put("format", report.format());
            json.put("records", report.records());
            json.put("fields", report.fields().stream().map(Field::name).toList());
            json.put("bytes", report.bytes());
            json.put("resumedAt", report.resumedAt());
            json.put("deletedLeftOut", leftOut);
            json.put("badLeftOut", bad().leftOut().size());
            json.put("leftOutFile", list);
            json.put("verified", true);
            json.put("fingerprint", report.fingerprint());
            json.put("seconds", seconds);
            printJson(json);
            return;
        }
        if (report.resumedAt() > 0) {
            remark("Continued after " + Text.number(report.resumedAt()) + " records of an interrupted conversion.");
        }
        remark(verb + " " + Text.number(report.records()) + " records of " + name(source) + " to " + output + " ("
                + report.format() + ", " + Text.bytes(report.bytes()) + ") in " + Text.seconds(seconds)
                + "; read back and equal to the source"
                + (leftOut == 0 ? "" : ". " + Text.number(leftOut) + " deleted records were skipped"));
        if (list != null) {
            remark("left out " + Text.number(bad().leftOut().size()) + " records, or rests of files, that cannot be"
                    + " read; " + list + " lists them");
        }
    }

    private static String name(RecordSource source) {
        int others = source.dataset().orElse(null) instanceof Concat concat
                ? concat.parts().size() - 1
                : 0;
        return source.name() + (others == 0 ? "" : " and " + others + " more");
    }

    /// The number of deleted records, if no other records are skipped.
    private long leftOut(RecordSource source, Conversion.Report report) {
        Dataset dataset = source.dataset().orElse(null);
        boolean isWhole = dataset != null && dataset.hasDeleted() && target.where.condition == null && !isSampling();
        return isWhole ? dataset.count() - report.records() : 0;
    }

    /// Whether records are sampled at random.
    boolean isSampling() {
        return false;
    }
}
