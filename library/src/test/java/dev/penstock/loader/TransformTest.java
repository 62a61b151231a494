// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Seeds;
import dev.penstock.pack.PackReader;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Columns after transforms are those of the records beside them.
@ExtendWith(Seeds.class)
class TransformTest {
    private static final Field LISTS = Field.variable("lists", ElementType.I16);
    private static final Field FIXED = Field.fixed("fixed", ElementType.I64);

    private static byte[] bytes(MemorySegment segment) {
        return segment.toArray(ValueLayout.JAVA_BYTE);
    }

    /// A batch of lists of given lengths, whose elements count on, and of the row numbers.
    private static Batch batch(int... lengths) {
        Batch batch = Batch.create(List.of(LISTS, FIXED));
        MemorySegment offsets = batch.column(0).reserveOffsets(lengths.length);
        long size = 0;
        for (int row = 0; row < lengths.length; row++) {
            offsets.setAtIndex(U64, row, size);
            size += lengths[row] * 2L;
        }
        offsets.setAtIndex(U64, lengths.length, size);
        MemorySegment values = batch.column(0).reserveValues(size);
        for (int i = 0; i < size / 2; i++) {
            values.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i, (short) (i + 1));
        }
        MemorySegment fixed = batch.column(1).reserveValues(lengths.length * 8L);
        for (int row = 0; row < lengths.length; row++) {
            fixed.setAtIndex(U64, row, row);
        }
        batch.complete(lengths.length);
        return batch;
    }

    /// Pads and holds every element against the rule.
    private static long requirePadded(Pad pad, short fill, long multiple, long lengthMax, int... lengths) {
        try (Batch source = batch(lengths);
                Batch target = Batch.create(pad.fields(List.of(LISTS, FIXED)))) {
            byte[] values = bytes(source.column(0).values());
            pad.apply(source, target);
            target.complete(lengths.length);
            long longest = 0;
            for (int length : lengths) {
                longest = Math.max(longest, length);
            }
            long length = Math.min(Math.ceilDiv(longest, multiple) * multiple, lengthMax);
            assertEquals(lengths.length * length * 2, target.column(0).values().byteSize());
            assertEquals(
                    lengths.length * length,
                    target.column("lists_mask").values().byteSize());
            int start = 0;
            for (int row = 0; row < lengths.length; row++) {
                for (int i = 0; i < length; i++) {
                    boolean isReal = i < lengths[row];
                    short expected =
                            isReal ? (short) (values[2 * (start + i)] & 0xFF | values[2 * (start + i) + 1] << 8) : fill;
                    assertEquals(expected, target.column(0).value(row).get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i));
                    assertEquals(isReal ? 1 : 0, target.column(1).value(row).get(ValueLayout.JAVA_BYTE, i));
                }
                assertEquals(length * 2, target.column(0).value(row).byteSize());
                assertEquals(row, target.column("fixed").value(row).get(U64, 0));
                start += lengths[row];
            }
            return length;
        }
    }

    @Test
    void missingValuesStayMissing() throws Exception {
        List<Transform> transforms = List.of(Convert.to(ElementType.F32), Pad.of("lists"));
        for (Transform transform : transforms) {
            try (Batch source = batch(2, 0, 3);
                    Batch target = Batch.create(transform.fields(source.fields()))) {
                source.column(0).reserveMissing(3).set(ValueLayout.JAVA_BYTE, 1, (byte) 1);
                source.column(1).reserveMissing(3).set(ValueLayout.JAVA_BYTE, 2, (byte) 1);
                transform.apply(source, target);
                target.complete(3);
                assertArrayEquals(
                        new byte[] {0, 1, 0}, bytes(target.column("lists").missing()));
                assertArrayEquals(
                        new byte[] {0, 0, 1}, bytes(target.column("fixed").missing()));
            }
            try (Batch source = batch(2, 0, 3);
                    Batch target = Batch.create(transform.fields(source.fields()))) {
                transform.apply(source, target);
                target.complete(3);
                assertFalse(target.column("lists").hasMissing()
                        || target.column("fixed").hasMissing());
            }
        }
    }

    @Test
    void paddingFollowsTheValuesAndIsMasked() {
        Random random = Seeds.random();
        Pad pad = Pad.of("lists");
        assertEquals(0, requirePadded(pad, (short) 0, 1, Long.MAX_VALUE));
        assertEquals(0, requirePadded(pad, (short) 0, 1, Long.MAX_VALUE, 0, 0, 0));
        assertEquals(0, requirePadded(pad.withMultiple(8), (short) 0, 8, Long.MAX_VALUE, 0));
        assertEquals(5, requirePadded(pad.withFill(-3), (short) -3, 1, Long.MAX_VALUE, 0, 5, 2, 0));
        assertEquals(8, requirePadded(pad.withMultiple(8).withFill(7), (short) 7, 8, Long.MAX_VALUE, 3, 8, 1));
        assertEquals(3, requirePadded(pad.withLengthMax(3), (short) 0, 1, 3, 9, 1, 3));
        assertEquals(10, requirePadded(pad.withMultiple(8).withLengthMax(10), (short) 0, 8, 10, 9, 30));
        for (int round = 0; round < 300; round++) {
            int[] lengths =
                    random.ints(random.nextInt(20), 0, 1 + random.nextInt(60)).toArray();
            short fill = (short) random.nextInt();
            int multiple = 1 + random.nextInt(10);
            int max = 1 + random.nextInt(50);
            Pad any = pad.withFill(fill).withMultiple(multiple).withLengthMax(max);
            requirePadded(any, fill, multiple, max, lengths);
        }
        assertThrows(IllegalArgumentException.class, () -> pad.withMultiple(0));
        assertThrows(IllegalArgumentException.class, () -> pad.withLengthMax(0));
        assertThrows(IllegalArgumentException.class, () -> Pad.of("fixed").fields(List.of(LISTS, FIXED)));
        assertThrows(IllegalArgumentException.class, () -> Pad.of("nothing").fields(List.of(LISTS, FIXED)));
        assertThrows(IllegalArgumentException.class, () -> pad.fields(pad.fields(List.of(LISTS, FIXED))));
        assertThrows(IllegalArgumentException.class, () -> Convert.to(ElementType.UTF8));
        assertThrows(IllegalArgumentException.class, () -> Convert.to(ElementType.C64));
        Field text = Field.variable("text", ElementType.UTF8);
        assertThrows(
                IllegalArgumentException.class,
                () -> Convert.to(ElementType.F32, "text").fields(List.of(text)));
        assertThrows(
                IllegalArgumentException.class,
                () -> Convert.to(ElementType.F32, "no").fields(List.of(text)));
    }

    @Test
    void complexNumbersArePaddedWithRealOnes() {
        for (ElementType type : List.of(ElementType.C64, ElementType.C128)) {
            Field field = Field.variable("waves", type);
            Pad pad = Pad.of("waves").withFill(1.5);
            try (Batch source = Batch.create(List.of(field));
                    Batch target = Batch.create(pad.fields(List.of(field)))) {
                MemorySegment offsets = source.column(0).reserveOffsets(2);
                offsets.setAtIndex(U64, 0, 0);
                offsets.setAtIndex(U64, 1, type.size());
                offsets.setAtIndex(U64, 2, type.size());
                source.column(0).reserveValues(type.size()).fill((byte) 0);
                source.complete(2);
                pad.apply(source, target);
                target.complete(2);
                byte[] padded = bytes(target.column(0).value(1));
                ByteBuffer expected = ByteBuffer.allocate((int) type.size()).order(ByteOrder.LITTLE_ENDIAN);
                if (type == ElementType.C64) {
                    expected.putFloat(1.5f);
                } else {
                    expected.putDouble(1.5);
                }
                assertArrayEquals(expected.array(), padded);
            }
        }
    }

    /// Several transforms one after the other; columns that stay as they are go through several hands.
    @Test
    void aChainOverATableKeepsEveryColumnWithItsRecord(@TempDir Path folder) throws IOException {
        int count = 5000;
        LoaderOptions options = LoaderOptions.of(37)
                .withRanks(Ranks.ALONE)
                .withSampler(new PermutationSampler(count, 2))
                .withThreads(4)
                .withPrefetchBytes(20_000)
                .withTransforms(
                        Convert.scaled(ElementType.F64, 2, 1, "x"),
                        Convert.to(ElementType.I32, "tag"),
                        Convert.to(ElementType.I64, "id"),
                        Convert.to(ElementType.F32, "x"));
        try (TableReader table = TableReader.open(RealData.table(folder.resolve("table.npy"), 0, count));
                Loader loader = Loader.open(table, options)) {
            for (int epoch = 0; epoch < 3; epoch++) {
                for (LoaderBatch batch : loader) {
                    for (long row = 0; row < batch.rowCount(); row++) {
                        long record = batch.index(row);
                        assertEquals(record, batch.column("id").value(row).get(U64, 0));
                        MemorySegment x = batch.column("x").value(row);
                        MemorySegment tag = batch.column("tag").value(row);
                        assertEquals(20, x.byteSize());
                        assertEquals((record * 0.5f + 4) * 2 + 1, Elements.toDouble(ElementType.F32, x, 16));
                        assertEquals(record >> 8 & 0xFF, Elements.toLong(ElementType.I32, tag, 4));
                    }
                }
            }
        }
    }

    @Test
    void variableRecordsComeAsValuesAndOffsetsOrPadded(@TempDir Path folder) throws IOException {
        int count = 700;
        Path path = RealData.pack(folder.resolve("pack.a2pack"), count, i -> i % 13 == 0 ? 0 : i * 7 % 97);
        try (PackReader pack = PackReader.open(path)) {
            LoaderOptions options = LoaderOptions.of(16)
                    .withRanks(Ranks.ALONE)
                    .withThreads(3)
                    .withSampler(new PermutationSampler(count, 5));
            try (Loader loader = Loader.open(pack, options);
                    Loader padding = Loader.open(
                            pack, options.withTransforms(Pad.of("value").withFill(9)))) {
                loader.forEach(batch -> {
                    for (long row = 0; row < batch.rowCount(); row++) {
                        requireRecord(
                                pack, batch.index(row), batch.column("value").value(row));
                    }
                    Column values = batch.column("value");
                    assertEquals(0, values.offsets().getAtIndex(U64, 0));
                    assertEquals(values.values().byteSize(), values.offsets().getAtIndex(U64, batch.rowCount()));
                });
                padding.forEach(batch -> {
                    for (long row = 0; row < batch.rowCount(); row++) {
                        long size = pack.size(batch.index(row));
                        MemorySegment value = batch.column("value").value(row);
                        requireRecord(pack, batch.index(row), value.asSlice(0, size));
                        MemorySegment mask = batch.column("value_mask").value(row);
                        assertEquals(value.byteSize(), mask.byteSize());
                        for (long i = 0; i < mask.byteSize(); i++) {
                            assertEquals(i < size ? 1 : 0, mask.get(ValueLayout.JAVA_BYTE, i));
                            assertTrue(i < size || value.get(ValueLayout.JAVA_BYTE, i) == 9);
                        }
                    }
                });
            }
        }
    }

    private static void requireRecord(PackReader pack, long index, MemorySegment value) {
        try {
            assertArrayEquals(bytes(pack.get(index).value(0)), bytes(value));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// Buckets through the whole loader: what is padding, beside a plain permutation.
    @Test
    void bucketsLeaveLittlePaddingInTheLoader(@TempDir Path folder) throws IOException {
        int[] lengths = Samplers.lengths(2000, 1);
        Path path = RealData.pack(folder.resolve("pack.a2pack"), lengths.length, i -> lengths[i]);
        try (PackReader pack = PackReader.open(path)) {
            assertArrayEquals(lengths, BucketSampler.lengths(pack, PackReader.VALUE));
            double random = padding(pack, new PermutationSampler(lengths.length, 1));
            double bucketed = padding(pack, new BucketSampler(lengths, 32, 1024, 1));
            assertTrue(bucketed < random / 4, random + " and " + bucketed);
            assertFalse(random < 0.5);
        }
    }

    private static double padding(PackReader pack, Sampler sampler) {
        LoaderOptions options = LoaderOptions.of(32)
                .withRanks(Ranks.ALONE)
                .withThreads(2)
                .withSampler(sampler)
                .withTransforms(Pad.of("value"));
        long real = 0;
        long whole = 0;
        try (Loader loader = Loader.open(pack, options)) {
            for (LoaderBatch batch : loader) {
                for (byte isReal : bytes(batch.column("value_mask").values())) {
                    real += isReal;
                    whole++;
                }
            }
        }
        return 1 - (double) real / whole;
    }
}
