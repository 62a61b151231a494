// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.file.Layouts;
import dev.penstock.query.MemoryDataset;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;

/// A dataset and its expected content: the bytes of each record and field, in arrays.
record ViewModel(Dataset dataset, byte[][][] records) {
    /// Fields of all sizes that have different copy loops, several of them variable.
    private static final List<Field> MIXED = List.of(
            Field.variable("text", ElementType.BYTES),
            Field.fixed("one", ElementType.U8),
            Field.fixed("two", ElementType.I16),
            Field.fixed("nothing", ElementType.I32, 0L),
            Field.fixed("four", ElementType.F32),
            Field.variable("words", ElementType.I32),
            Field.fixed("eight", ElementType.F64),
            Field.fixed("many", ElementType.U8, 3L, 7L));

    private static byte[] bytes(Random random, Field field) {
        long itemCount = field.isVariable() ? Math.max(0, random.nextInt(-5, 20)) : 1;
        byte[] bytes = new byte[(int) (itemCount * field.itemSize())];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[][][] records(Random random, List<Field> fields, int count) {
        return IntStream.range(0, count)
                .mapToObj(
                        i -> fields.stream().map(field -> bytes(random, field)).toArray(byte[][]::new))
                .toArray(byte[][][]::new);
    }

    private static byte[] join(byte[][] values) {
        int byteCount = Arrays.stream(values).mapToInt(value -> value.length).sum();
        byte[] joined = new byte[byteCount];
        int end = 0;
        for (byte[] value : values) {
            System.arraycopy(value, 0, joined, end, value.length);
            end += value.length;
        }
        return joined;
    }

    /// Some of these datasets have missing values, which are null in the model.
    static ViewModel memory(Random random, int count) {
        byte[][][] records = records(random, MIXED, count);
        if (random.nextBoolean()) {
            for (byte[][] record : records) {
                record[random.nextInt(record.length)] = null;
            }
        }
        return new ViewModel(new MemoryDataset(MIXED, records), records);
    }

    static ViewModel table(Random random, int count, Path folder) throws IOException {
        Path path = Files.createTempFile(folder, "part", ".npy");
        Files.delete(path);
        List<Field> fields = Views.ROW.recordFields();
        byte[][][] records = records(random, fields, count);
        Views.writeTable(
                path, Views.ROW, Arrays.stream(records).map(ViewModel::join).toList());
        return new ViewModel(Views.open(path), records);
    }

    static ViewModel pack(Random random, int count, Path folder) throws IOException {
        Path path = Files.createTempFile(folder, "part", ".a2pack");
        Files.delete(path);
        byte[][][] records = records(random, List.of(Field.variable("value", ElementType.BYTES)), count);
        Views.writePack(path, Arrays.stream(records).map(ViewModel::join).toList());
        return new ViewModel(Views.open(path), records);
    }

    static ViewModel concat(List<ViewModel> parts) {
        byte[][][] records =
                parts.stream().flatMap(part -> Arrays.stream(part.records())).toArray(byte[][][]::new);
        return new ViewModel(Concat.of(parts.stream().map(ViewModel::dataset).toList()), records);
    }

    static ViewModel zip(Map<String, ViewModel> parts) {
        Map<String, Dataset> datasets = new LinkedHashMap<>();
        parts.forEach((key, part) -> datasets.put(key, part.dataset()));
        int count = parts.values().iterator().next().records().length;
        byte[][][] records = IntStream.range(0, count)
                .mapToObj(i -> parts.values().stream()
                        .flatMap(part -> Arrays.stream(part.records()[i]))
                        .toArray(byte[][]::new))
                .toArray(byte[][][]::new);
        return new ViewModel(Zip.of(datasets), records);
    }

    ViewModel subset(Random random, int count) {
        long[] indices = records.length == 0
                ? new long[0]
                : random.longs(count, 0, records.length).toArray();
        byte[][][] some = Arrays.stream(indices).mapToObj(i -> records[(int) i]).toArray(byte[][][]::new);
        return new ViewModel(Subset.of(dataset, indices), some);
    }

    /// Gathers some fields in random order, of some records in random order.
    void requireRandomGather(Random random) throws IOException {
        List<Field> fields = new ArrayList<>(dataset.fields());
        Collections.shuffle(fields, random);
        List<Field> wanted = fields.subList(0, 1 + random.nextInt(fields.size()));
        try (Batch batch = Batch.create(List.copyOf(wanted))) {
            for (int round = 0; round < 4; round++) {
                long[] indices = indices(random);
                dataset.gather(indices, batch);
                requireRows(indices, batch);
            }
        }
    }

    /// Random indices, or neighbours, which are often in one part.
    private long[] indices(Random random) {
        if (records.length == 0) {
            return new long[0];
        }
        int count = random.nextInt(60);
        if (random.nextBoolean()) {
            return random.longs(count, 0, records.length).toArray();
        }
        long start = random.nextInt(records.length);
        return IntStream.range(0, count)
                .mapToLong(i -> Math.min(records.length - 1, start + i / 8))
                .toArray();
    }

    void requireRows(long[] indices, Batch batch) {
        assertEquals(indices.length, batch.rowCount());
        for (Column column : batch.columns()) {
            int fieldIndex = dataset.fields().indexOf(column.field());
            byte[] missing = new byte
                    [column.field().isVariable() ? 0 : (int) column.field().itemSize()];
            byte[] expected = join(Arrays.stream(indices)
                    .mapToObj(i -> Objects.requireNonNullElse(records[(int) i][fieldIndex], missing))
                    .toArray(byte[][]::new));
            boolean hasMissing = Arrays.stream(indices).anyMatch(i -> records[(int) i][fieldIndex] == null);
            assertEquals(hasMissing, column.hasMissing(), column.field().name());
            assertArrayEquals(
                    expected,
                    column.values().toArray(Layouts.U8),
                    column.field().name());
            for (int row = 0; row < indices.length; row++) {
                byte[] value = records[(int) indices[row]][fieldIndex];
                assertEquals(
                        value == null, column.isMissing(row), column.field().name());
                assertArrayEquals(
                        Objects.requireNonNullElse(value, missing),
                        column.value(row).toArray(Layouts.U8),
                        column.field().name());
            }
            if (column.field().isVariable()) {
                assertEquals((indices.length + 1) * 8L, column.offsets().byteSize());
                assertEquals(0, column.offsets().get(Layouts.U64, 0));
            }
        }
    }

    void requireRandomRecord(Random random) throws IOException {
        if (records.length == 0) {
            return;
        }
        int index = random.nextInt(records.length);
        List<MemorySegment> values = dataset.get(index).values();
        for (int i = 0; i < values.size(); i++) {
            Field field = dataset.fields().get(i);
            assertEquals(records[index][i] == null, dataset.get(index).isMissing(i), field.name());
            if (records[index][i] == null) {
                continue;
            }
            assertArrayEquals(records[index][i], values.get(i).toArray(Layouts.U8), field.name());
            long length = field.isVariable() ? records[index][i].length / field.itemSize() : 1;
            assertEquals(length, dataset.length(field, index), field.name());
        }
    }
}
