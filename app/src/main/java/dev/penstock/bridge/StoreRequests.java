// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.memory.Layouts;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreStats;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Changing stores, and reading what is not committed yet.
final class StoreRequests {
    /// How the verbs of stores begin.
    static final String PREFIX = "store";

    private StoreRequests() {}

    /// @return what JSON can hold
    static Object answer(Request request) throws IOException {
        return switch (request.verb()) {
            case "storeCreate" -> create(request);
            case "storeOpen" -> open(request);
            case "storeIsStore" -> isStore(request);
            case "storeAppend" -> append(request);
            case "storeUpdate" -> update(request);
            case "storeDelete" -> delete(request);
            case "storeCount" -> count(request);
            case "storeCommit" -> commit(request);
            case "storeRollback" -> rollback(request);
            case "storeCheckpoint" -> checkpoint(request);
            case "storeClose" -> close(request);
            case "storeSnapshot" -> snapshot(request);
            case "storeIsDeleted" -> isDeleted(request);
            case "storeRead" -> read(request);
            case "storeStats" -> stats(request);
            default -> throw new IllegalArgumentException("there is no request " + request.verb());
        };
    }

    private static StoreWriter writer(Request request) {
        return request.object("handle", StoreSource.class).writer();
    }

    private static Object create(Request request) throws IOException {
        List<StoreField> fields = new ArrayList<>();
        for (Map<?, ?> one : request.list("fields", Map.class)) {
            Request field = new Request(one);
            fields.add(new StoreField(
                    field.text("name"),
                    field.has("dtype") ? field.text("dtype") : null,
                    field.has("shape") ? field.list("shape", Long.class) : null,
                    StoreCompression.of(field.text("compress"))));
        }
        return opened(request, StoreWriter.create(Path.of(request.text("path")), fields, options(request)));
    }

    private static Object open(Request request) throws IOException {
        return opened(request, StoreWriter.open(Path.of(request.text("path")), options(request)));
    }

    private static Object isStore(Request request) throws IOException {
        return StoreReader.isStore(StoreOptions.DEFAULT.disk(), Path.of(request.text("path")));
    }

    private static StoreOptions options(Request request) {
        StoreOptions options = StoreOptions.DEFAULT
                .withDurability(StoreOptions.Durability.valueOf(
                        request.text("durability").toUpperCase(Locale.ROOT)))
                .withSwapping(request.isTrue("swap"));
        return request.has("batchRecords")
                ? options.withBatch(request.number("batchRecords"), request.number("batchMillis"))
                : options;
    }

    private static Object opened(Request request, StoreWriter writer) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("count", writer.count());
        description.put(
                "fields",
                writer.fields().stream()
                        .map(field -> DatasetRequests.describe(field.column()))
                        .toList());
        request.keep(new StoreSource(writer));
        return description;
    }

    private static List<Request> columns(Request request) {
        return request.list("columns", Map.class).stream().map(Request::new).toList();
    }

    private static Field field(StoreWriter writer, String name) {
        return writer.fields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no field " + name))
                .column();
    }

    /// Appends `count` records, whose columns lie in memory of the other language.
    ///
    /// @return the index of the first one
    private static Object append(Request request) throws IOException {
        StoreWriter writer = writer(request);
        List<Request> parts = columns(request);
        long count = request.number("count");
        try (Batch batch = Batch.create(
                parts.stream().map(part -> field(writer, part.text("name"))).toList())) {
            for (int i = 0; i < parts.size(); i++) {
                fill(batch.column(i), parts.get(i), count);
            }
            batch.complete(count);
            return writer.appendAll(batch);
        }
    }

    private static void fill(Column column, Request part, long count) {
        MemorySegment values = part.memory("values");
        boolean isWhole = column.field().isVariable()
                || values.byteSize() == Math.multiplyExact(count, column.field().itemSize());
        if (!isWhole) {
            throw new IllegalArgumentException(
                    "field " + column.field().name() + ": " + values.byteSize() + " bytes for " + count + " values");
        }
        MemorySegment.copy(values, 0, column.reserveValues(values.byteSize()), 0, values.byteSize());
        if (column.field().isVariable()) {
            MemorySegment offsets = part.memory("offsets");
            MemorySegment.copy(offsets, 0, column.reserveOffsets(count), 0, offsets.byteSize());
        }
        if (part.has("missing")) {
            MemorySegment.copy(part.memory("missing"), 0, column.reserveMissing(count), 0, count);
        }
    }

    /// Changes some fields of one record.
    private static Object update(Request request) throws IOException {
        Map<String, byte[]> values = new HashMap<>();
        for (Request part : columns(request)) {
            values.put(
                    part.text("name"),
                    part.has("values") ? part.memory("values").toArray(ValueLayout.JAVA_BYTE) : null);
        }
        writer(request).update(request.number("index"), values);
        return null;
    }

    /// Deletes records in the order of the indices.
    ///
    /// @return for each the index of the record that has moved there, or -1
    private static Object delete(Request request) throws IOException {
        List<Long> moved = new ArrayList<>();
        for (long index : request.memory("indices").toArray(ValueLayout.JAVA_LONG_UNALIGNED)) {
            moved.add(writer(request).delete(index));
        }
        return moved;
    }

    private static Object count(Request request) {
        return writer(request).count();
    }

    private static Object commit(Request request) throws IOException {
        return writer(request).commit();
    }

    private static Object rollback(Request request) {
        StoreWriter writer = writer(request);
        writer.rollback();
        return writer.count();
    }

    private static Object checkpoint(Request request) throws IOException {
        writer(request).checkpoint();
        return null;
    }

    /// Commits and closes. A store whose commit fails is closed as well.
    private static Object close(Request request) throws IOException {
        Handles.remove(request.number("handle"), StoreSource.class).writer().close();
        return null;
    }

    private static Object snapshot(Request request) throws IOException {
        return DatasetRequests.opened(request, writer(request).snapshot());
    }

    private static Object isDeleted(Request request) throws IOException {
        long index = request.number("index");
        return Handles.get(request.number("handle"), Object.class) instanceof StoreSource source
                ? source.writer().isDeleted(index)
                : DatasetRequests.dataset(request).isDeleted(index);
    }

    /// Gathers records with what is not committed yet, into a batch that is the caller's until it is released.
    private static Object read(Request request) throws IOException {
        StoreWriter writer = writer(request);
        List<Field> fields = request.list("fields", String.class).stream()
                .map(name -> field(writer, name))
                .toList();
        long[] indices = request.memory("indices").toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        // A pool that is closed frees its batches when they come back.
        HeldBatches pool = new HeldBatches(fields);
        HeldBatch held = pool.borrow();
        pool.close();
        try {
            for (Column column : held.batch().columns()) {
                gather(writer, indices, column);
            }
            held.batch().complete(indices.length);
            held.describe(request.memory("info"));
        } catch (Throwable e) {
            held.close();
            throw e;
        }
        request.keep(held);
        return null;
    }

    private static void gather(StoreWriter writer, long[] indices, Column column) throws IOException {
        byte[][] values = new byte[indices.length][];
        boolean isVariable = column.field().isVariable();
        long itemSize = column.field().itemSize();
        long total = 0;
        boolean isMissing = false;
        for (int row = 0; row < indices.length; row++) {
            values[row] = writer.get(indices[row], column.field().name());
            isMissing |= values[row] == null;
            total += !isVariable ? itemSize : values[row] == null ? 0 : values[row].length;
        }
        MemorySegment target = column.reserveValues(total);
        MemorySegment offsets = isVariable ? column.reserveOffsets(indices.length) : null;
        MemorySegment missing = isMissing ? column.reserveMissing(indices.length) : null;
        long end = 0;
        for (int row = 0; row < indices.length; row++) {
            if (isVariable) {
                offsets.setAtIndex(Layouts.U64, row, end);
            }
            if (values[row] == null) {
                missing.set(Layouts.U8, row, (byte) 1);
                target.asSlice(end, isVariable ? 0 : itemSize).fill((byte) 0);
            } else {
                MemorySegment.copy(values[row], 0, target, Layouts.U8, end, values[row].length);
            }
            end += !isVariable ? itemSize : values[row] == null ? 0 : values[row].length;
        }
        if (isVariable) {
            offsets.setAtIndex(Layouts.U64, indices.length, end);
        }
    }

    private static Object stats(Request request) throws IOException {
        if (!(DatasetRequests.dataset(request) instanceof StoreReader store)) {
            throw new IllegalArgumentException("only stores have these figures");
        }
        StoreStats stats = store.stats(Progress.NONE);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("records", stats.recordCount());
        figures.put("deleted", stats.deletedCount());
        figures.put("commit", stats.sequence());
        figures.put("published", stats.published());
        figures.put("is_published", stats.isPublished());
        figures.put("row_utilisation", stats.rowUtilisation());
        figures.put("byte_utilisation", stats.byteUtilisation());
        figures.put("live_bytes", stats.liveBytes());
        figures.put("garbage_bytes", stats.garbageBytes());
        figures.put("table_bytes", stats.tableBytes());
        figures.put(
                "chunks",
                stats.chunks().stream()
                        .map(chunk -> Map.of(
                                "id", chunk.id(),
                                "bytes", chunk.byteCount(),
                                "values", chunk.valueCount(),
                                "live_bytes", chunk.liveBytes(),
                                "garbage_bytes", chunk.garbageBytes()))
                        .toList());
        return figures;
    }
}
