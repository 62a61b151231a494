// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Progress;
import dev.penstock.convert.RecordWriter;
import dev.penstock.convert.TableInput;
import dev.penstock.file.Codec;
import dev.penstock.file.Location;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackWriter;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// Requests that write packs and tables. The output of a writer that is released without being finished is
/// discarded.
final class WriterRequests {
    private WriterRequests() {}

    static Object table(Request request) throws IOException {
        TableWriter.Options options = TableWriter.Options.DEFAULT
                .withReplacing(request.isTrue("overwrite"))
                .withMetadata(request.texts("metadata"));
        if (request.has("shardRows")) {
            options = options.withShardRows(request.number("shardRows"));
        }
        Path path = Path.of(request.text("path"));
        if (request.isTrue("append")) {
            return keepTable(request, TableWriter.extend(path, options));
        }
        List<Long> shape = request.list("shape", Long.class);
        RowType rowType = new RowType(DType.parse(request.text("dtype")), shape);
        return keepTable(request, TableWriter.create(path, rowType, options));
    }

    private static long keepTable(Request request, TableWriter writer) {
        return keep(request, writer, RecordWriter.of(writer));
    }

    /// @return the number of records that exist already
    static long keep(Request request, AutoCloseable writer, RecordWriter records) {
        WriterSource source = new WriterSource(writer, records);
        request.keep(source);
        return source.count();
    }

    /// @return the number of rows
    static Object appendRows(Request request) throws IOException {
        WriterSource source = request.object("handle", WriterSource.class);
        TableWriter writer = source.writer(TableWriter.class);
        MemorySegment rows = request.memory("rows");
        long rowCount = rows.byteSize() / writer.rowType().size();
        return source.append(request.number("ticket"), rowCount, () -> writer.append(rows));
    }

    static Object pack(Request request) throws IOException {
        PackWriter.Options options = PackWriter.Options.DEFAULT.withReplacing(request.isTrue("overwrite"));
        if (request.has("codec")) {
            Codec codec = Codec.valueOf(request.text("codec").toUpperCase(Locale.ROOT));
            options = options.withCodec(codec, Math.toIntExact(request.numberOr("level", 0)));
        }
        if (request.has("align")) {
            options = options.withAlignment(request.number("align"));
        }
        PackWriter writer = PackWriter.create(Path.of(request.text("path")), options);
        return keep(request, writer, RecordWriter.of(writer));
    }

    /// Announces the expected number of records.
    static Object reserveRecords(Request request) {
        request.object("handle", WriterSource.class).writer(PackWriter.class).reserve(request.number("count"));
        return null;
    }

    /// Appends records that are stored one after another, from each offset to the next.
    ///
    /// @return the number of records of the pack
    static Object appendRecords(Request request) throws IOException {
        WriterSource source = request.object("handle", WriterSource.class);
        PackWriter writer = source.writer(PackWriter.class);
        long[] offsets = request.memory("offsets").toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        MemorySegment values = request.memory("values");
        List<String> names = request.has("names") ? request.list("names", String.class) : null;
        if (names != null && names.size() != offsets.length - 1) {
            throw new IllegalArgumentException(
                    names.size() + " names do not match " + (offsets.length - 1) + " records");
        }
        return source.append(request.number("ticket"), offsets.length - 1, () -> {
            for (int i = 0; i + 1 < offsets.length; i++) {
                MemorySegment record = values.asSlice(offsets[i], offsets[i + 1] - offsets[i]);
                writer.append(names == null ? null : names.get(i), PackKind.OPAQUE, record);
            }
        });
    }

    /// Tells an interrupted caller whether its call has happened.
    static Object outcome(Request request) {
        return request.object("handle", WriterSource.class).outcome(request.number("ticket"));
    }

    /// Completes the output. It may be called again after an interrupted call.
    static Object finish(Request request) throws IOException {
        request.object("handle", WriterSource.class).finish();
        return null;
    }

    /// Converts a CSV file to a table.
    static Object readCsv(Request request) throws IOException {
        RowType dtype = request.has("dtype") ? RowType.of(DType.parse(request.text("dtype"))) : null;
        try (TableInput rows = TableInput.openCsv(Location.parse(request.text("path")), dtype)) {
            Path target = Path.of(request.text("target"));
            TableWriter table = TableWriter.create(target, rows.rowType(), TableWriter.Options.DEFAULT);
            try (RecordWriter writer = RecordWriter.of(table)) {
                writer.appendAll(rows.records(), 0, Progress.NONE);
                writer.finish();
            }
        }
        return null;
    }
}
