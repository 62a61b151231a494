// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Seeds;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Quantiles, distinct and frequent values equal those of a sorted list, and say when they belong to a sample.
@ExtendWith(Seeds.class)
final class FieldValuesTest {
    private static final Field WHOLE = Field.fixed("x", ElementType.I64);
    private static final Field UNSIGNED = Field.fixed("x", ElementType.U64);
    private static final Field REAL = Field.fixed("x", ElementType.F64);
    private static final Field TEXT = Field.variable("x", ElementType.UTF8);

    private static FieldValues of(Field field, int threads, long... bits) throws IOException {
        MemoryDataset dataset = new MemoryDataset(
                List.of(field),
                Arrays.stream(bits)
                        .mapToObj(value -> new byte[][] {
                            MemorySegment.ofArray(new long[] {value}).toArray(Layouts.U8)
                        })
                        .toArray(byte[][][]::new));
        return Stats.of(Scan.of(dataset).withThreads(threads), true)
                .fields()
                .getFirst()
                .values();
    }

    private static FieldValues ofTexts(String... texts) throws IOException {
        MemoryDataset dataset = new MemoryDataset(
                List.of(TEXT),
                Arrays.stream(texts)
                        .map(text -> new byte[][] {text.getBytes(StandardCharsets.UTF_8)})
                        .toArray(byte[][][]::new));
        return Stats.of(Scan.of(dataset), true).fields().getFirst().values();
    }

    @Test
    void fewValuesAreExact() throws IOException {
        Random random = Seeds.random();
        long[] values =
                LongStream.range(0, 5000).map(i -> random.nextInt(50) - 20).toArray();
        FieldValues found = of(WHOLE, 3, values);
        long[] sorted = Arrays.stream(values).sorted().toArray();
        Map<Long, Long> counts = new TreeMap<>();
        Arrays.stream(values).forEach(value -> counts.merge(value, 1L, Long::sum));
        for (double share : FieldValues.SHARES) {
            long expected = sorted[(int) Math.max(0, Math.ceil(share * sorted.length) - 1)];
            assertEquals(expected, found.quantiles().get(share), "share " + share);
        }
        assertEquals(5000, found.sampleCount());
        assertTrue(found.isDistinctExact());
        assertEquals(counts.size(), found.distinctCount());
        List<Long> most = counts.entrySet().stream()
                .sorted((a, b) -> Long.compare(b.getValue(), a.getValue()))
                .limit(FieldValues.TOP_MAX)
                .map(Map.Entry::getKey)
                .toList();
        assertEquals(most, found.top().stream().map(FieldValues.Frequent::value).toList());
        found.top().forEach(one -> assertEquals(counts.get((Long) one.value()), one.count()));
    }

    @Test
    void manyValuesAreASampleThatDependsOnTheRecordsOnly() throws IOException {
        long[] values = LongStream.range(0, 200_000).toArray();
        FieldValues found = of(WHOLE, 1, values);
        assertEquals(found, of(WHOLE, 3, values));
        assertEquals(FieldValues.SAMPLE_MAX, found.sampleCount());
        found.quantiles()
                .forEach((share, value) -> assertEquals(share, value.longValue() / 200_000.0, 0.025, "share " + share));
        assertFalse(found.isDistinctExact());
        assertEquals(200_000, found.distinctCount(), 200_000 * 0.08);
    }

    @Test
    void distinctCountsAreNearAtEverySize() throws IOException {
        for (int count : new int[] {4096, 4097, 6000, 12_000, 50_000}) {
            FieldValues found = of(WHOLE, 1, LongStream.range(0, count).toArray());
            assertEquals(count, found.distinctCount(), count <= FieldValues.DISTINCT_MAX ? 0 : count * 0.08);
            assertEquals(count <= FieldValues.DISTINCT_MAX, found.isDistinctExact());
        }
    }

    @Test
    void unsignedNumbersAreInTheirOrder() throws IOException {
        FieldValues found = of(UNSIGNED, 1, 1, -1, Long.MIN_VALUE, 0);
        assertEquals(0L, found.quantiles().get(0.25));
        assertEquals(1L, found.quantiles().get(0.5));
        assertEquals(new BigInteger("9223372036854775808"), found.quantiles().get(0.75));
        assertEquals(new BigInteger("18446744073709551615"), found.quantiles().get(0.99));
    }

    @Test
    void valuesThatAreNotFiniteDoNotCount() throws IOException {
        FieldValues found = of(
                REAL,
                1,
                Double.doubleToLongBits(Double.NaN),
                Double.doubleToLongBits(-0.0),
                Double.doubleToLongBits(0.0),
                Double.doubleToLongBits(Double.NEGATIVE_INFINITY));
        assertEquals(2, found.count());
        assertEquals(1, found.distinctCount());
        assertEquals(0.0, found.quantiles().get(0.99));
    }

    @Test
    void textsAreListedWithTheirSizes() throws IOException {
        String large = "ä".repeat(200);
        FieldValues found = ofTexts("b", "a", "b", large, "");
        assertEquals(new FieldValues.Frequent("b", true, 1L, 2), found.top().getFirst());
        assertEquals(4, found.distinctCount());
        FieldValues.Frequent cut = found.top().getLast();
        assertEquals(new FieldValues.Frequent("ä".repeat(48), false, 400L, 1), cut);
        assertEquals(400L, found.quantiles().get(0.99));
        assertEquals(1L, found.quantiles().get(0.5));
    }

    @Test
    void bytesThatAreNoTextAreHexadecimal() throws IOException {
        MemoryDataset dataset =
                new MemoryDataset(List.of(Field.variable("x", ElementType.BYTES)), new byte[][][] {{{(byte) 0xff, 0, 1}}
                });
        FieldValues found = Stats.of(Scan.of(dataset), true).fields().getFirst().values();
        assertEquals(
                new FieldValues.Frequent("0xff0001", false, 3L, 1), found.top().getFirst());
    }

    @Test
    void detailsAreOnlyComputedOnRequest() throws IOException {
        MemoryDataset dataset = new MemoryDataset(
                List.of(WHOLE),
                IntStream.range(0, 3).mapToObj(i -> new byte[][] {new byte[8]}).toArray(byte[][][]::new));
        assertNull(Stats.of(Scan.of(dataset)).fields().getFirst().values());
    }
}
