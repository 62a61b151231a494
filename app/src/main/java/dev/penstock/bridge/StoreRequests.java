// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.file.Layouts;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.StoreDescription;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
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

/// Requests that change stores, and read uncommitted changes.
final class StoreRequests {
    /// The prefix of the verbs for stores.
    static final String PREFIX = "store";

    private StoreRequests() {}

    /// @return a value for JSON
    static Object answer(Request request) throws IOException {
        return switch (request.verb()) {
            case "storeCreate" -> create(request);
            case "storeOpen" -> open(request);
            case "storeIsStore" -> isStore(request);
            case "storeRequireFields" -> requireFields(request);
            case "storeAppend" -> append(request);
            case "storeUpdate" -> update(request);
            case "storeDelete" -> delete(request);
            case "storeOutcome" -> source(request).outcome(request.number("ticket"));
            case "storeCommit" -> source(request).commit(request.isTrue("isPublishing"));
            case "storeRollback" -> source(request).rollback();
            case "storeClose" -> source(request).finish();
            case "storeSnapshot" -> snapshot(request);
            case "storeIsDeleted" -> isDeleted(request);
            case "storeRead" -> read(request);
            case "storeStats" -> stats(request);
            default -> StoreUpkeepRequests.answer(request);
        };
    }

    private static StoreSource source(Request request) {
        return request.object("handle", StoreSource.class);
    }

    static StoreWriter writer(Request request) {
        return source(request).writer();
    }

    private static Object create(Request request) throws IOException {
        return opened(
                request, StoreWriter.create(Path.of(request.text("path")), declaredFields(request), options(request)));
    }

    private static List<StoreField> declaredFields(Request request) {
        List<StoreField> fields = new ArrayList<>();
        for (Map<?, ?> one : request.list("fields", Map.class)) {
            fields.add(declared(new Request(one)));
        }
        return fields;
    }

    /// @throws IllegalArgumentException when no store can be created with these fields
    private static Object requireFields(Request request) {
        StoreField.requireValid(declaredFields(request));
        return null;
    }

    static StoreField declared(Request field) {
        return new StoreField(
                field.text("name"),
                field.has("dtype") ? field.text("dtype") : null,
                field.has("shape") ? field.list("shape", Long.class) : null,
                StoreCompression.of(field.text("compress")));
    }

    private static Object open(Request request) throws IOException {
        StoreWriter writer = StoreWriter.open(Path.of(request.text("path")), options(request));
        try {
            if (request.has("fields")) {
                requireDeclared(writer, declaredFields(request));
            }
            return opened(request, writer);
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
    }

    /// Refuses a declaration that says something else than the store. The compression may differ, because it can
    /// be changed later.
    private static void requireDeclared(StoreWriter writer, List<StoreField> declared) {
        List<String> names = writer.fields().stream().map(StoreField::name).toList();
        if (!declared.stream().map(StoreField::name).toList().equals(names)) {
            throw other(writer, "has the fields " + String.join(", ", names) + ", and others are declared");
        }
        for (int i = 0; i < declared.size(); i++) {
            Field found = writer.fields().get(i).column();
            if (!declared.get(i).column().equals(found)) {
                String shape = found.isVariable() ? ", any number of them," : " of shape " + found.shape();
                throw other(
                        writer,
                        "has values of " + found.type() + shape + " in field " + found.name()
                                + ", and others are declared");
            }
        }
    }

    private static IllegalArgumentException other(StoreWriter writer, String reason) {
        return new IllegalArgumentException(
                "the store " + writer.path() + " " + reason + "; leave out fields= for a store that exists");
    }

    private static Object isStore(Request request) throws IOException {
        return StoreReader.isStore(StoreOptions.DEFAULT.disk(), Path.of(request.text("path")));
    }

    private static StoreOptions options(Request request) {
        StoreOptions options = StoreOptions.DEFAULT
                .withDurability(StoreOptions.Durability.valueOf(
                        request.text("durability").toUpperCase(Locale.ROOT)))
                .withSwapping(request.isTrue("swap"))
                .withWriters(Math.toIntExact(request.numberOr("writers", StoreOptions.defaultWriters())));
        if (request.has("chunkRows")) {
            options = options.withChunkRows(request.number("chunkRows"));
        }
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
                        .map(field -> Description.of(field.column()))
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
                .orElseThrow(() -> new IllegalArgumentException("there is no field " + name))
                .column();
    }

    /// Appends `count` records whose columns are in memory of Python.
    ///
    /// @return the number of records
    private static Object append(Request request) throws IOException {
        StoreSource source = source(request);
        List<Request> parts = columns(request);
        if (parts.size() != source.writer().fields().size()) {
            try (Batch batch = Batch.create(parts.stream()
                    .map(part -> field(source.writer(), part.text("name")))
                    .toList())) {
                return append(request, source, parts, batch);
            }
        }
        Batch batch = source.takeBatch();
        try {
            return append(request, source, parts, batch);
        } finally {
            source.giveBack(batch);
        }
    }

    private static Object append(Request request, StoreSource source, List<Request> parts, Batch batch)
            throws IOException {
        long count = request.number("count");
        for (Request part : parts) {
            fill(batch.column(part.text("name")), part, count);
        }
        batch.complete(count);
        return source.append(request.number("seenCount"), request.number("ticket"), batch);
    }

    private static void fill(Column column, Request part, long count) {
        MemorySegment values = part.memory("values");
        boolean isWhole = column.field().isVariable()
                || values.byteSize() == Math.multiplyExact(count, column.field().itemSize());
        if (!isWhole) {
            throw new IllegalArgumentException("field " + column.field().name() + ": " + values.byteSize()
                    + " bytes do not match " + count + " values");
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

    /// Changes some fields of a record.
    private static Object update(Request request) throws IOException {
        Map<String, byte[]> values = new HashMap<>();
        for (Request part : columns(request)) {
            values.put(
                    part.text("name"),
                    part.has("values") ? part.memory("values").toArray(ValueLayout.JAVA_BYTE) : null);
        }
        source(request).update(request.number("seenCount"), request.number("index"), values);
        return null;
    }

    /// @return for each index the former index of the record that has moved there, or -1
    private static Object delete(Request request) throws IOException {
        long[] indices = request.memory("indices").toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        return source(request).delete(request.number("seenCount"), indices);
    }

    private static Object snapshot(Request request) throws IOException {
        StoreReader.Options reading = StoreReader.Options.DEFAULT.withThreads(DatasetRequests.threads(request));
        return DatasetRequests.opened(request, writer(request).snapshot(reading));
    }

    private static Object isDeleted(Request request) throws IOException {
        long index = request.number("index");
        return Handles.get(request.number("handle"), Object.class) instanceof StoreSource source
                ? source.countingLosses(() -> source.writer().isDeleted(index))
                : DatasetRequests.dataset(request).isDeleted(index);
    }

    /// Gathers records including uncommitted changes, into a batch that belongs to the caller until it is
    /// released.
    private static Object read(Request request) throws IOException {
        StoreWriter writer = writer(request);
        List<Field> fields = request.list("fields", String.class).stream()
                .map(name -> field(writer, name))
                .toList();
        long[] indices = request.memory("indices").toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        // A closed pool frees its batches when they are released.
        HeldBatches pool = new HeldBatches(fields);
        HeldBatch held = pool.borrow();
        pool.close();
        try {
            source(request).countingLosses(() -> {
                for (Column column : held.batch().columns()) {
                    gather(writer, indices, column);
                }
                return null;
            });
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
            throw new IllegalArgumentException("only stores have space statistics");
        }
        return StoreDescription.of(store.stats(Progress.NONE));
    }
}
