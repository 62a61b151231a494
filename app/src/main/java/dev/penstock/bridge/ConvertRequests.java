// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.convert.BadRecords;
import dev.penstock.convert.Conversion;
import dev.penstock.convert.DatasetCopy;
import dev.penstock.convert.IndexSet;
import dev.penstock.convert.RecordChoice;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.convert.StreamedRecords;
import dev.penstock.convert.TargetOptions;
import dev.penstock.convert.Targets;
import dev.penstock.convert.TextRules;
import dev.penstock.doctor.Check;
import dev.penstock.doctor.Diagnosis;
import dev.penstock.doctor.Doctor;
import dev.penstock.doctor.DoctorOptions;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.plugin.FieldsReport;
import dev.penstock.plugin.IndexFile;
import dev.penstock.store.StoreSnapshots;
import dev.penstock.store.StoreTypes;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Requests that read all records of a source: a path, or a pipe that Python writes records to.
final class ConvertRequests {
    private ConvertRequests() {}

    /// The reading end of a pipe. It is opened before Python closes its own, so that Python notices when Java
    /// stops to read.
    private static final class Pipe implements StreamedRecords.Program, AutoCloseable {
        private final InputStream stream;
        private boolean isStarted;

        Pipe(InputStream stream) {
            this.stream = stream;
        }

        @Override
        public InputStream start() {
            if (isStarted) {
                throw new IllegalStateException("data in memory can be read once only");
            }
            isStarted = true;
            return stream;
        }

        @Override
        public String explanation() {
            return "";
        }

        @Override
        public void stop() throws IOException {
            stream.close();
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }

    static Object answer(Request request) throws IOException {
        return switch (request.verb()) {
            case "pipe" -> pipe(request);
            case "convert" -> convert(request);
            case "copy" -> copy(request);
            default -> examine(request);
        };
    }

    /// Opens the reading end of a pipe by its descriptor.
    private static Object pipe(Request request) throws IOException {
        request.keep(new Pipe(new FileInputStream("/dev/fd/" + request.number("descriptor"))));
        return null;
    }

    /// Converts a source to a new dataset.
    private static Object convert(Request request) throws IOException {
        Path target = Path.of(request.text("target"));
        String format = request.has("to") ? request.text("to") : null;
        RecordChoice choice = choice(request);
        TargetOptions options = targetOptions(request);
        TextRules rules = format == null && Targets.ofExtension(target).isEmpty()
                ? TextRules.GUESS
                : TextRules.of(Targets.choose(target, format));
        BadRecords bad = request.isTrue("skip") ? BadRecords.skipped() : BadRecords.REFUSED;
        SourceOptions reading =
                SourceOptions.DEFAULT.withBad(bad).withChoice(choice).withText(rules.withTypes(types(request)));
        try (RecordSource source = divided(source(request, "source", "pipe", reading), request)) {
            String chosen = format == null && Targets.ofExtension(target).isEmpty() ? Targets.usual(source) : format;
            RecordSource typed =
                    request.has("as") ? RecordSource.numbers(source, StoreTypes.of(request.text("as"))) : source;
            Conversion conversion = Conversion.of(typed, target, chosen, options);
            if (request.isTrue("dryRun")) {
                return new FieldsReport(described(request), typed, conversion, Location.of(target), null).json();
            }
            Conversion.Report report = conversion.run(Progress.NONE, Progress.NONE);
            Map<String, Object> description = describe(source, target, report);
            description.put(
                    "left_out",
                    bad.leftOut().stream().map(BadRecords.LeftOut::description).toList());
            return description;
        }
    }

    /// What the source is, as in `a Parquet file`.
    private static String described(Request request) throws IOException {
        if (request.has("pipe")) {
            return "data in memory";
        }
        Location source = Location.parse(request.text("source"));
        Optional<String> kind =
                Sources.kind(source, SourceOptions.DEFAULT.catalog()).map(SourceKind::description);
        return request.has("dtype") ? "a file of plain numbers" : kind.orElse("a dataset");
    }

    /// Copies the files of a dataset.
    private static Object copy(Request request) throws IOException {
        Location source = Location.parse(request.text("source"));
        if (request.has("snapshot")) {
            source = StoreSnapshots.location(source, request.text("snapshot"), ReaderOptions.DEFAULT);
        }
        Location target = Location.parse(request.text("target"));
        DatasetCopy.Report report = DatasetCopy.of(source, target)
                .withReplacing(request.isTrue("overwrite"))
                .run(Progress.NONE);
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("source", source.toString());
        description.put("target", target.toString());
        description.put("format", report.format());
        description.put("records", report.records());
        description.put("files", report.files());
        description.put("bytes", report.bytes());
        description.put("kept_bytes", report.keptBytes());
        description.put("fingerprint", report.fingerprint());
        return description;
    }

    /// Tokens as documents or windows, if the request says so.
    private static RecordSource divided(RecordSource source, Request request) throws IOException {
        RecordSource documents =
                request.has("endToken") ? RecordSource.documents(source, request.number("endToken")) : source;
        return request.has("window") ? RecordSource.windows(documents, request.number("window")) : documents;
    }

    private static Map<String, Object> describe(RecordSource source, Path target, Conversion.Report report) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("source", source.name());
        description.put("output", target.toString());
        description.put("format", report.format());
        description.put("records", report.records());
        description.put("fields", report.fields().stream().map(Field::name).toList());
        description.put("bytes", report.bytes());
        description.put("resumed_at", report.resumedAt());
        description.put("fingerprint", report.fingerprint());
        return description;
    }

    /// The records of a path or a pipe.
    ///
    /// @param path the argument with the path
    /// @param pipe    the argument with the pipe, whose name is the path
    /// @param options the options for a path, with the fields and records
    private static RecordSource source(Request request, String path, String pipe, SourceOptions options)
            throws IOException {
        Location location = Location.parse(request.text(path));
        if (request.has(pipe) && options.bad().isSkipping()) {
            throw new IllegalArgumentException(
                    "data in memory has no records that cannot be read; stop at the first error instead");
        }
        if (request.has(pipe)) {
            return Sources.chosen(StreamedRecords.open(location, request.object(pipe, Pipe.class)), options.choice());
        }
        SourceOptions reading =
                request.has("decode") ? options.withDecoded(Set.copyOf(request.list("decode", String.class))) : options;
        return Sources.open(location, request.has("dtype") ? typed(request, location, reading) : reading);
    }

    /// The options for a file without a header.
    private static SourceOptions typed(Request request, Location location, SourceOptions options) throws IOException {
        Optional<String> what = Sources.typed(location, options.catalog());
        if (what.isPresent()) {
            throw new IllegalArgumentException(location + " is " + what.get() + ", whose types are stored in it, and"
                    + " dtype is the type of a file without a header; cast converts floating-point numbers");
        }
        RowType row = RowType.of(DType.parse(request.text("dtype")));
        return options.withCatalog(options.catalog().withRawType(row));
    }

    /// The types of fields of text: names and types by turns.
    private static Map<String, ElementType> types(Request request) {
        Map<String, ElementType> types = new LinkedHashMap<>();
        List<String> words = request.has("types") ? request.list("types", String.class) : List.of();
        for (int i = 0; i < words.size(); i += 2) {
            types.put(words.get(i), StoreTypes.of(words.get(i + 1)));
        }
        return types;
    }

    private static RecordChoice choice(Request request) throws IOException {
        RecordChoice choice = RecordChoice.ALL;
        if (request.has("fields")) {
            choice = choice.withFields(request.list("fields", String.class));
        }
        if (request.has("where")) {
            choice = choice.withCondition(request.text("where"));
        }
        if (request.has("withoutFile")) {
            choice = choice.withoutRecords(IndexSet.of(IndexFile.read(Path.of(request.text("withoutFile")))));
        } else if (request.has("without")) {
            long[] indices = request.memory("without").toArray(ValueLayout.JAVA_LONG_UNALIGNED);
            choice = choice.withoutRecords(IndexSet.of(indices));
        }
        return choice;
    }

    private static TargetOptions targetOptions(Request request) {
        TargetOptions options =
                TargetOptions.DEFAULT.withPlain(request.isTrue("plain")).withReplacing(request.isTrue("overwrite"));
        if (request.has("cast")) {
            options = options.withCast(StoreTypes.of(request.text("cast")));
        }
        if (request.has("compress")) {
            options = options.withCompression(
                    request.text("compress"), request.has("level") ? Math.toIntExact(request.number("level")) : null);
        }
        return options.withAlignment(request.has("align") ? request.number("align") : null)
                .withShards(
                        request.has("shardRows") ? request.number("shardRows") : null,
                        request.has("shardBytes") ? request.number("shardBytes") : null);
    }

    /// Examines a source.
    private static Object examine(Request request) throws IOException {
        DoctorOptions options = doctorOptions(request);
        SourceOptions all = SourceOptions.DEFAULT;
        try (RecordSource source = source(request, "source", "pipe", all);
                RecordSource other = request.has("other") ? source(request, "other", "otherPipe", all) : null) {
            Diagnosis diagnosis = Doctor.examine(source, other, options, Progress.NONE);
            if (request.has("output")) {
                diagnosis.write(Path.of(request.text("output")), request.isTrue("overwrite"));
            }
            return diagnosis.description();
        }
    }

    private static DoctorOptions doctorOptions(Request request) {
        DoctorOptions options = DoctorOptions.DEFAULT;
        if (request.has("checks")) {
            EnumSet<Check> checks = EnumSet.noneOf(Check.class);
            request.list("checks", String.class).forEach(name -> checks.add(Check.of(name)));
            options = options.withChecks(checks);
        }
        if (request.has("fields")) {
            options = options.withFields(request.list("fields", String.class));
        }
        if (request.has("key")) {
            options = options.withKey(request.text("key"));
        }
        if (request.has("maxBytes")) {
            options = options.withSizeMax(request.number("maxBytes"));
        }
        return options;
    }
}
