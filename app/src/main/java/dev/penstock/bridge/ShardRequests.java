// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.ElementType;
import dev.penstock.Progress;
import dev.penstock.convert.RecordWriter;
import dev.penstock.shards.ReadAheadCounts;
import dev.penstock.shards.ShardReader;
import dev.penstock.shards.ShardSource;
import dev.penstock.shards.ShardStats;
import dev.penstock.shards.ShardWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/// Requests about activation shards: streams, statistics and writing.
final class ShardRequests {
    private ShardRequests() {}

    /// Answers the requests about shards. It is asked last.
    static Object answer(Request request) throws IOException {
        return switch (request.verb()) {
            case "shardStarts" -> starts(request);
            case "shardSource" -> source(request);
            case "shardRead" -> read(request);
            case "shardCounts" -> counts(request);
            case "shardStats" -> stats(request);
            case "shardWriter" -> writer(request);
            case "appendShardRows" -> append(request);
            case "commitShard" ->
                request.object("handle", WriterSource.class)
                        .writer(ShardWriter.class)
                        .commit();
            default -> throw new IllegalArgumentException("unknown request: " + request.verb());
        };
    }

    private static ShardReader reader(Request request) {
        if (!(DatasetRequests.dataset(request) instanceof ShardReader reader)) {
            throw new IllegalArgumentException("the dataset does not consist of activation shards");
        }
        return reader;
    }

    /// Returns the id of the first row of each shard, followed by the number of rows.
    static Object starts(Request request) {
        ShardReader reader = reader(request);
        return IntStream.rangeClosed(0, reader.files().size())
                .mapToObj(reader::start)
                .toList();
    }

    static Object source(Request request) {
        request.keep(reader(request).source());
        return null;
    }

    /// Reads rows into memory of Python, and prefetches the following rows.
    static Object read(Request request) throws IOException {
        ShardSource source = request.object("handle", ShardSource.class);
        source.seek(request.number("from"));
        return source.nextRows(request.number("rows"), type(request), request.memory("target"));
    }

    private static ElementType type(Request request) {
        return ElementType.valueOf(request.text("type").toUpperCase(Locale.ROOT));
    }

    static Object counts(Request request) {
        ReadAheadCounts counts = request.object("handle", ShardSource.class).readAhead();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("readBytes", counts.readBytes());
        values.put("aheadBytesMax", counts.aheadBytesMax());
        values.put("waitCount", counts.waitCount());
        values.put("failureCount", counts.failureCount());
        return values;
    }

    static Object stats(Request request) throws IOException {
        ShardReader reader = reader(request);
        ShardStats stats = ShardStats.read(reader);
        if (stats == null) {
            stats = ShardStats.compute(reader, Progress.NONE);
            if (request.isTrue("save") && reader.folder() != null) {
                stats.publish(reader.disk(), reader.folder());
            }
        }
        Map<String, Object> values = new LinkedHashMap<>(stats.values());
        values.put("mean", ShardStats.list(stats.mean()));
        values.put("rms", ShardStats.list(stats.rms()));
        return values;
    }

    static Object writer(Request request) throws IOException {
        ShardWriter.Options options =
                ShardWriter.Options.DEFAULT.withType(type(request)).withMetadata(request.texts("metadata"));
        if (request.has("shardRows")) {
            options = options.withShardRows(request.number("shardRows"));
        }
        if (request.has("shardBytes")) {
            options = options.withShardBytes(request.number("shardBytes"));
        }
        Path folder = Path.of(request.text("path"));
        long width = request.number("width");
        ShardWriter writer = request.isTrue("append")
                ? ShardWriter.resume(folder, width, options)
                : ShardWriter.create(folder, width, options);
        return WriterRequests.keep(request, writer, RecordWriter.of(writer));
    }

    /// @return the id of the next row
    static Object append(Request request) throws IOException {
        WriterSource source = request.object("handle", WriterSource.class);
        ShardWriter writer = source.writer(ShardWriter.class);
        ElementType type = type(request);
        MemorySegment rows = request.memory("rows");
        long rowCount = rows.byteSize() / (writer.width() * type.size());
        return source.append(request.number("ticket"), rowCount, () -> writer.append(rows, type));
    }
}
