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
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Writing packs and tables.
final class WriterRequests {
    private WriterRequests() {}

    static void addTo(Map<String, Requests.Verb> verbs) {
        verbs.put("tableWriter", WriterRequests::table);
        verbs.put("appendRows", WriterRequests::appendRows);
        verbs.put("packWriter", WriterRequests::pack);
        verbs.put("appendRecord", WriterRequests::appendRecord);
        verbs.put("finish", WriterRequests::finish);
        verbs.put("abort", WriterRequests::abort);
    }

    private static Object table(Request request) throws IOException {
        Map<String, String> metadata = new HashMap<>();
        if (request.has("metadata")) {
            request.part("metadata").arguments().forEach((key, value) -> metadata.put((String) key, (String) value));
        }
        TableWriter.Options options = TableWriter.Options.DEFAULT
                .withReplacing(request.isTrue("overwrite"))
                .withMetadata(metadata);
        if (request.has("shardRows")) {
            options = options.withShardRows(request.number("shardRows"));
        }
        Path path = Path.of(request.text("path"));
        if (request.isTrue("append")) {
            return Handles.add(TableWriter.extend(path, options));
        }
        List<Long> shape = request.list("shape", Long.class);
        return Handles.add(TableWriter.create(path, new RowType(DType.parse(request.text("dtype")), shape), options));
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
        return Handles.add(PackWriter.create(Path.of(request.text("path")), options));
    }

    private static Object appendRecord(Request request) throws IOException {
        PackWriter writer = request.object("handle", PackWriter.class);
        MemorySegment record = request.memory("record");
        return request.has("name")
                ? writer.append(request.text("name"), PackKind.OPAQUE, record)
                : writer.append(PackKind.OPAQUE, record);
    }

    private static Object finish(Request request) throws IOException {
        Object writer = Handles.remove(request.number("handle"), AutoCloseable.class);
        if (writer instanceof TableWriter table) {
            table.close();
        } else if (writer instanceof PackWriter pack) {
            pack.close();
        }
        return null;
    }

    private static Object abort(Request request) throws IOException {
        Object writer = Handles.remove(request.number("handle"), AutoCloseable.class);
        if (writer instanceof TableWriter table) {
            table.abort();
        } else if (writer instanceof PackWriter pack) {
            pack.abort();
        }
        return null;
    }
}
