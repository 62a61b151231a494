// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.app.CsvImport;
import dev.penstock.file.Codec;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackWriter;
import dev.penstock.shards.ShardWriter;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Requests that write packs and tables. The output of a writer that is released without being finished is
/// discarded.
final class WriterRequests {
    private WriterRequests() {}

    static Object table(Request request) throws IOException {
        Map<String, String> metadata = new HashMap<>();
        if (request.has("metadata")) {
            Request notes = request.part("metadata");
            notes.arguments().keySet().forEach(key -> metadata.put((String) key, notes.text((String) key)));
        }
        TableWriter.Options options = TableWriter.Options.DEFAULT
                .withReplacing(request.isTrue("overwrite"))
                .withMetadata(metadata);
        if (request.has("shardRows")) {
            options = options.withShardRows(request.number("shardRows"));
        }
        Path path = Path.of(request.text("path"));
        if (request.isTrue("append")) {
            request.keep(TableWriter.extend(path, options));
            return null;
        }
        List<Long> shape = request.list("shape", Long.class);
        request.keep(TableWriter.create(path, new RowType(DType.parse(request.text("dtype")), shape), options));
        return null;
    }

    static Object appendRows(Request request) throws IOException {
        request.object("handle", TableWriter.class).append(request.memory("rows"));
        return null;
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
        request.keep(PackWriter.create(Path.of(request.text("path")), options));
        return null;
    }

    /// Announces the expected number of records.
    static Object reserveRecords(Request request) {
        request.object("handle", PackWriter.class).reserve(request.number("count"));
        return null;
    }

    /// Appends records that are stored one after another, from each offset to the next.
    ///
    /// @return the size of the records in bytes
    static Object appendRecords(Request request) throws IOException {
        PackWriter writer = request.object("handle", PackWriter.class);
        long[] offsets = request.memory("offsets").toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        MemorySegment values = request.memory("values");
        List<String> names = request.has("names") ? request.list("names", String.class) : null;
        if (names != null && names.size() != offsets.length - 1) {
            throw new IllegalArgumentException(
                    names.size() + " names do not match " + (offsets.length - 1) + " records");
        }
        for (int i = 0; i + 1 < offsets.length; i++) {
            MemorySegment record = values.asSlice(offsets[i], offsets[i + 1] - offsets[i]);
            writer.append(names == null ? null : names.get(i), PackKind.OPAQUE, record);
        }
        return values.byteSize();
    }

    static Object finish(Request request) throws IOException {
        long handle = request.number("handle");
        switch (Handles.get(handle, Object.class)) {
            case TableWriter _ -> Handles.remove(handle, TableWriter.class).close();
            case PackWriter _ -> Handles.remove(handle, PackWriter.class).close();
            case ShardWriter _ -> Handles.remove(handle, ShardWriter.class).close();
            case Object other -> throw new IllegalArgumentException(other.getClass() + " is not a writer");
        }
        return null;
    }

    /// Converts a CSV file to a table.
    static Object readCsv(Request request) throws IOException {
        String dtype = request.has("dtype") ? request.text("dtype") : null;
        CsvImport.write(Path.of(request.text("path")), Path.of(request.text("target")), dtype);
        return null;
    }
}
