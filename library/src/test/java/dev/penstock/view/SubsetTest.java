// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.file.Layouts;
import dev.penstock.query.MemoryDataset;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// A subset keeps the contract of a dataset and does not change its base.
final class SubsetTest {
    private static final Field NUMBER = Field.fixed("number", ElementType.I64);
    private static final Field BLOB = Field.variable("blob", ElementType.BYTES);

    /// Record `i` has the number `i` and `i` bytes.
    private final MemoryDataset base = new MemoryDataset(
            List.of(NUMBER, BLOB),
            IntStream.range(0, 100)
                    .mapToObj(i ->
                            new byte[][] {MemorySegment.ofArray(new long[] {i}).toArray(Layouts.U8), new byte[i]})
                    .toArray(byte[][][]::new));

    private static long[] numbers(Dataset dataset, long... indices) throws IOException {
        try (Batch batch = Batch.create(dataset.fields())) {
            dataset.gather(indices, batch);
            long[] numbers = batch.column("number").values().toArray(Layouts.U64);
            for (int row = 0; row < numbers.length; row++) {
                assertEquals(numbers[row], batch.column("blob").value(row).byteSize());
            }
            return numbers;
        }
    }

    @Test
    void recordsAreThoseOfTheIndicesInTheirOrder() throws IOException {
        Subset subset = Subset.of(base, new long[] {7, 99, 7, 0});
        assertEquals(4, subset.count());
        assertArrayEquals(new long[] {7, 99, 7, 0}, numbers(subset, 0, 1, 2, 3));
        assertArrayEquals(new long[] {0, 0, 99}, numbers(subset, 3, 3, 1));
        assertArrayEquals(new long[0], numbers(subset));
        Row row = subset.get(1);
        assertEquals(1, row.index());
        assertEquals(99, row.value(0).get(Layouts.U64, 0));
        assertEquals("record 99", subset.name(1));
        assertEquals(99, subset.baseIndex(1));
    }

    @Test
    void itsDescriptionIsThatOfTheBase() throws IOException {
        Subset subset = Subset.of(base, new long[] {1});
        assertEquals(base.format(), subset.format());
        assertEquals(base.version(), subset.version());
        assertEquals(base.location(), subset.location());
        assertEquals(base.fields(), subset.fields());
        assertEquals(base.bytes(), subset.bytes());
        assertEquals(base.metadata(), subset.metadata());
        assertEquals(100L, subset.facts().get("subsetOf"));
        assertTrue(subset.verify(Progress.NONE).isOk());
    }

    @Test
    void aSubsetOfASubsetIsOneOfTheBase() throws IOException {
        Subset outer = Subset.of(Subset.of(base, new long[] {10, 20, 30}), new long[] {2, 0});
        assertArrayEquals(new long[] {30, 10}, numbers(outer, 0, 1));
        assertEquals("record 30", outer.name(0));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> Subset.of(Subset.of(base, new long[] {10, 20, 30}), new long[] {3}));
    }

    @Test
    void indicesThatTheBaseDoesNotHaveAreRefused() {
        IndexOutOfBoundsException refusal =
                assertThrows(IndexOutOfBoundsException.class, () -> Subset.of(base, new long[] {1, 100}));
        assertEquals(
                "index 100 at position 1 of the subset is out of range:" + " memory has 100 records",
                refusal.getMessage());
        assertThrows(IndexOutOfBoundsException.class, () -> Subset.of(base, new long[] {-1}));
    }

    @Test
    void indicesOutsideTheViewAreRefusedEvenIfTheBaseHasThem() throws IOException {
        Subset subset = Subset.of(base, new long[] {5, 6, 7});
        try (Batch batch = Batch.create(subset.fields())) {
            for (long index : new long[] {3, -1, 50, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32}) {
                assertThrows(IndexOutOfBoundsException.class, () -> subset.get(index));
                assertThrows(IndexOutOfBoundsException.class, () -> subset.name(index));
                subset.gather(new long[] {0}, batch);
                assertThrows(IndexOutOfBoundsException.class, () -> subset.gather(new long[] {0, index}, batch));
                assertEquals(0, batch.rowCount());
            }
            MemorySegment odd = MemorySegment.ofArray(new byte[12]);
            assertThrows(IllegalArgumentException.class, () -> subset.gather(odd, batch));
        }
    }

    @Test
    void theArrayOfTheCallerIsCopied() throws IOException {
        long[] indices = {1, 2};
        Subset subset = Subset.of(base, indices);
        indices[0] = 1000;
        assertArrayEquals(new long[] {1, 2}, numbers(subset, 0, 1));
    }

    @Test
    void theFingerprintIsThatOfTheBaseAndTheIndices() throws IOException {
        String fingerprint = Subset.of(base, new long[] {1, 2}).fingerprint();
        assertEquals(32, fingerprint.length());
        assertEquals(fingerprint, Subset.of(base, new long[] {1, 2}).fingerprint());
        assertNotEquals(fingerprint, Subset.of(base, new long[] {2, 1}).fingerprint());
        assertNotEquals(fingerprint, Subset.of(base, new long[] {1}).fingerprint());
        Dataset other = new MemoryDataset(base.fields(), new byte[3][][]);
        assertNotEquals(fingerprint, Subset.of(other, new long[] {1, 2}).fingerprint());
        long[] many = new long[5000];
        String manyFingerprint = Subset.of(base, many).fingerprint();
        many[4999] = 1;
        assertNotEquals(manyFingerprint, Subset.of(base, many).fingerprint());
    }

    @Test
    void closingEndsTheViewAndNotTheBase() throws IOException {
        Subset subset = Subset.of(base, new long[] {1});
        subset.close();
        subset.close();
        try (Batch batch = Batch.create(subset.fields())) {
            assertThrows(IllegalStateException.class, () -> subset.get(0));
            assertThrows(IllegalStateException.class, () -> subset.gather(new long[] {0}, batch));
            assertThrows(IllegalStateException.class, () -> subset.verify(Progress.NONE));
            assertThrows(IllegalStateException.class, subset::fingerprint);
            assertThrows(IllegalStateException.class, subset::prepare);
            assertThrows(IllegalStateException.class, () -> subset.name(0));
            base.gather(new long[] {1}, batch);
            assertEquals(1, batch.rowCount());
        }
    }

    @Test
    void closingTheBaseEndsTheView() {
        Subset subset = Subset.of(base, new long[] {1});
        base.close();
        assertThrows(IllegalStateException.class, () -> subset.get(0));
        assertThrows(IllegalStateException.class, subset::fingerprint);
    }

    @Test
    void lengthsAreCountedInItemsAndNotInBytes() throws IOException {
        Field words = Field.variable("words", ElementType.I16);
        Dataset dataset = new MemoryDataset(List.of(NUMBER, words), new byte[][][] {{new byte[8], new byte[6]}});
        Subset twice = Subset.of(dataset, new long[] {0, 0});
        assertEquals(3, dataset.length(words, 0));
        assertEquals(3, twice.length(words, 1));
        assertEquals(1, twice.length(NUMBER, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> twice.length(NUMBER, 2));
        assertThrows(IllegalArgumentException.class, () -> twice.length(BLOB, 0));
        twice.close();
        assertThrows(IllegalStateException.class, () -> twice.length(words, 0));
    }

    /// Checkpoints of earlier versions of this library contain such fingerprints.
    @Test
    void theFingerprintIsADigestOfThatOfTheBaseAndTheIndices() throws Exception {
        long[] indices = IntStream.range(0, 3000).mapToLong(i -> i * 7 % 100).toArray();
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(("subset 1 of " + base.fingerprint()).getBytes(StandardCharsets.UTF_8));
        digest.update(MemorySegment.ofArray(indices).toArray(Layouts.U8));
        String expected = HexFormat.of().formatHex(digest.digest(), 0, 16);
        assertEquals(expected, Subset.of(base, indices).fingerprint());
    }
}
