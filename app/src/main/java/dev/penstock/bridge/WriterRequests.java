// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.memory.Codec;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackWriter;
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

/// Writing packs and tables. A writer that is released and not finished is given up.
final class WriterRequests {
    private WriterRequests() {}

    static void addTo(Map<String, Requests.Verb> verbs) {
        verbs.put("tableWriter", WriterRequests::table);
        verbs.put("appendRows", WriterRequests::appendRows);
        verbs.put("packWriter", WriterRequests::pack);
        verbs.put("appendRecords", WriterRequests::appendRecords);
        verbs.put("finish", WriterRequests::finish);
    }

    private static Object table(Request request) throws IOException {
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
            return known(request, TableWriter.extend(path, options));
        }
        List<Long> shape = request.list("shape", Long.class);
        RowType row = new RowType(DType.parse(request.text("dtype")), shape);
        return known(request, TableWriter.create(path, row, options));
    }

    private static Object known(Request request, AutoCloseable writer) {
        return request.has("number") ? Handles.add(request.number("number"), writer) : Handles.add(writer);
    }

    private static Object appendRows(Request request) throws IOException {
        request.object("handle", TableWriter.class).append(request.memory("rows"));
        return null;
    }

    private static Object pack(Request request) throws IOException {
        PackWriter.Options options = PackWriter.Options.DEFAULT.withReplacing(request.isTrue("overwrite"));
        if (request.has("codec")) {
            Codec codec = Codec.valueOf(request.text("codec").toUpperCase(Locale.ROOT));
            options = options.withCodec(codec, Math.toIntExact(request.numberOr("level", 0)));
        }
        return known(request, PackWriter.create(Path.of(request.text("path")), options));
    }

    /// Adds records that lie one after another, from each offset to the next.
    ///
    /// @return how many bytes they have
    private static Object appendRecords(Request request) throws IOException {
        PackWriter writer = request.object("handle", PackWriter.class);
        long[] offsets = request.memory("offsets").toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        MemorySegment values = request.memory("values");
        List<String> names = request.has("names") ? request.list("names", String.class) : null;
        if (names != null && names.size() != offsets.length - 1) {
            throw new IllegalArgumentException(names.size() + " names for " + (offsets.length - 1) + " records");
        }
        for (int i = 0; i + 1 < offsets.length; i++) {
            MemorySegment record = values.asSlice(offsets[i], offsets[i + 1] - offsets[i]);
            writer.append(names == null ? null : names.get(i), PackKind.OPAQUE, record);
        }
        return values.byteSize();
    }

    private static Object finish(Request request) throws IOException {
        long handle = request.number("handle");
        switch (Handles.get(handle, Object.class)) {
            case TableWriter _ -> Handles.remove(handle, TableWriter.class).close();
            case PackWriter _ -> Handles.remove(handle, PackWriter.class).close();
            case Object other -> throw new IllegalArgumentException(other.getClass() + " is no writer");
        }
        return null;
    }
}
