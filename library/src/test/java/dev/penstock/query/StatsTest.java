// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Statistics equal those of two passes without rounding, for any order of the values and any number of threads.
@ExtendWith(Seeds.class)
final class StatsTest {
    private static final Field REAL = Field.fixed("x", ElementType.F64);
    private static final Field SIGNED = Field.fixed("x", ElementType.I64);
    private static final Field UNSIGNED = Field.fixed("x", ElementType.U64);

    private static MemoryDataset of(Field field, long... bits) {
        return new MemoryDataset(
                List.of(field),
                Arrays.stream(bits)
                        .mapToObj(value -> new byte[][] {
                            MemorySegment.ofArray(new long[] {value}).toArray(Layouts.U8)
                        })
                        .toArray(byte[][][]::new));
    }

    private static FieldStats reals(double... values) throws IOException {
        MemoryDataset dataset = of(
                REAL, Arrays.stream(values).mapToLong(Double::doubleToLongBits).toArray());
        FieldStats stats = Stats.of(Scan.of(dataset)).fields().getFirst();
        naive(dataset, REAL).require(stats);
        return stats;
    }

    private static FieldStats wholes(Field field, long... values) throws IOException {
        MemoryDataset dataset = of(field, values);
        FieldStats stats = Stats.of(Scan.of(dataset)).fields().getFirst();
        naive(dataset, field).require(stats);
        return stats;
    }

    /// The values of a field for the statistics.
    private static NaiveStats naive(MemoryDataset dataset, Field field) {
        List<BigDecimal> finite = new ArrayList<>();
        long nonFiniteCount = 0;
        for (long index = 0; index < dataset.count(); index++) {
            byte[] bytes = dataset.bytes(index, field);
            for (int i = 0; i < (field.isVariable() ? 1 : Tally.elementCount(field)); i++) {
                if (field.isVariable()) {
                    finite.add(BigDecimal.valueOf(bytes.length));
                } else if (field.type().isText()) {
                    long unitCount = ((long[]) NaiveWhere.element(dataset, index, field, i)).length;
                    finite.add(BigDecimal.valueOf(unitCount * field.type().size()));
                } else if (NaiveWhere.element(dataset, index, field, i) instanceof BigDecimal whole) {
                    finite.add(whole);
                } else {
                    double real = (Double) NaiveWhere.element(dataset, index, field, i);
                    nonFiniteCount += Double.isFinite(real) ? 0 : 1;
                    finite.addAll(Double.isFinite(real) ? List.of(new BigDecimal(real)) : List.of());
                }
            }
        }
        return new NaiveStats(finite, nonFiniteCount);
    }

    @Test
    void allTypesGiveWhatTwoPassesGive() throws IOException {
        Random random = Seeds.random();
        for (int count : new int[] {1, 7, 2000}) {
            MemoryDataset dataset = Samples.dataset(random, count);
            Stats stats = Stats.of(Scan.of(dataset).withThreads(3));
            assertEquals(count, stats.recordCount());
            for (FieldStats field : stats.fields()) {
                if (!field.field().type().isComplex()) {
                    naive(dataset, field.field()).require(field);
                }
            }
            Figures.print(
                    "fields whose figures were held against exact ones",
                    stats.fields().size());
        }
    }

    @Test
    void wrongFiguresAreNoticed() throws IOException {
        MemoryDataset dataset =
                of(SIGNED, new Random(1).longs(1000, -5000, 5000).toArray());
        FieldStats right = Stats.of(Scan.of(dataset)).fields().getFirst();
        NaiveStats naive = naive(dataset, SIGNED);
        naive.require(right);
        Histogram bins = right.histogram();
        List<Long> moved = new ArrayList<>(bins.counts());
        Collections.swap(moved, 3, moved.indexOf(Collections.max(moved)));
        long width = (Long) bins.width();
        List<FieldStats> wrong = List.of(
                with(right, 999, right.min(), right.mean(), right.std(), bins),
                with(right, 1000, (Long) right.min() + 1, right.mean(), right.std(), bins),
                with(right, 1000, right.min(), right.mean() * (1 + 1e-9), right.std(), bins),
                with(right, 1000, right.min(), right.mean(), right.std() * Math.sqrt(1000 / 999.0), bins),
                with(right, 1000, right.min(), right.mean(), right.std(), new Histogram(bins.start(), width, moved)),
                with(
                        right,
                        1000,
                        right.min(),
                        right.mean(),
                        right.std(),
                        new Histogram((Long) bins.start() + 1, width, bins.counts())),
                with(
                        right,
                        1000,
                        right.min(),
                        right.mean(),
                        right.std(),
                        new Histogram(bins.start(), 2 * width, bins.counts())));
        for (FieldStats stats : wrong) {
            assertThrows(AssertionError.class, () -> naive.require(stats), "figure " + wrong.indexOf(stats));
        }
    }

    private static FieldStats with(
            FieldStats stats, long count, Number min, double mean, double std, Histogram histogram) {
        return new FieldStats(stats.field(), false, count, 0, 0, min, stats.max(), mean, std, histogram, null);
    }

    @Test
    void threadsAndOrderChangeNothing() throws IOException {
        Random random = Seeds.random();
        double[] values = random.doubles(300_000, -1e6, 1e6).map(x -> x * x * x).toArray();
        long[] bits = Arrays.stream(values).mapToLong(Double::doubleToLongBits).toArray();
        Stats one = Stats.of(Scan.of(of(REAL, bits)).withThreads(1));
        assertEquals(one, Stats.of(Scan.of(of(REAL, bits)).withThreads(2)));
        assertEquals(one, Stats.of(Scan.of(of(REAL, bits)).withThreads(7)));
        for (int i = bits.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            long bit = bits[i];
            bits[i] = bits[other];
            bits[other] = bit;
        }
        FieldStats shuffled = Stats.of(Scan.of(of(REAL, bits))).fields().getFirst();
        FieldStats first = one.fields().getFirst();
        assertEquals(first.histogram(), shuffled.histogram());
        assertEquals(first.min(), shuffled.min());
        assertEquals(first.std(), shuffled.std(), first.std() * 1e-12);
        assertEquals(first.mean(), shuffled.mean(), first.std() * 1e-12);
        assertEquals(
                300_000,
                first.histogram().counts().stream().mapToLong(Long::longValue).sum());
    }

    @Test
    void extremeWholeNumbersAreExact() throws IOException {
        FieldStats stats = wholes(SIGNED, Long.MIN_VALUE, Long.MAX_VALUE, 0, -1);
        assertEquals(Long.MIN_VALUE, stats.min());
        assertEquals(Long.MAX_VALUE, stats.max());
        assertEquals(1L << 57, stats.histogram().width());
        stats = wholes(UNSIGNED, 0, -1, Long.MIN_VALUE, Long.MAX_VALUE);
        assertEquals(0L, stats.min());
        assertEquals(new BigInteger("18446744073709551615"), stats.max());
        assertEquals(0L, stats.histogram().start());
        stats = wholes(UNSIGNED, -1, -2, -2);
        assertEquals(new BigInteger("18446744073709551614"), stats.histogram().start());
        assertEquals(List.of(2L, 1L), stats.histogram().counts());
        wholes(SIGNED, Long.MAX_VALUE);
        wholes(SIGNED, Long.MIN_VALUE, Long.MIN_VALUE);
        assertEquals(0, wholes(SIGNED, 3, 3, 3).std());
        assertEquals(new Histogram(3L, 1L, List.of(3L)), wholes(SIGNED, 3, 3, 3).histogram());
    }

    @Test
    void extremeRealNumbersDoNotOverflow() throws IOException {
        double max = Double.MAX_VALUE;
        FieldStats stats = reals(-max, max, 0, Double.MIN_VALUE, -Double.MIN_VALUE, -0.0, 1, -1);
        assertEquals(-max, stats.histogram().start());
        assertTrue(Double.isFinite(stats.std()));
        reals(max, max);
        reals(max, 1, -1e-300);
        reals(Double.MIN_VALUE, Double.MIN_VALUE * 200, 0);
        reals(-Double.MIN_VALUE);
        reals(1e-200, 3e-200, -1e-210);
        reals(1e-200, 3e-100, 2);
        reals(1000.1, 1000.2, 1000.15);
        assertEquals(0.1, reals(0.1, 0.1, 0.1).mean());
        assertEquals(0, reals(0.1, 0.1, 0.1).std());
        assertEquals(0.0, reals(-0.0, 0.0).min());
        assertEquals(0.0, reals(0.0, -0.0).min());
    }

    @Test
    void valuesFarFromZeroKeepTheirDeviation() throws IOException {
        double[] values = new Random(3).doubles(20_000, 1e9, 1e9 + 1).toArray();
        assertEquals(Math.sqrt(1 / 12.0), reals(values).std(), 0.005);
    }

    @Test
    void whatIsNotFiniteIsCountedApart() throws IOException {
        FieldStats stats = reals(Double.NaN, 1, Double.POSITIVE_INFINITY, 3, Double.NEGATIVE_INFINITY);
        assertEquals(5, stats.count());
        assertEquals(3, stats.nonFiniteCount());
        assertEquals(2, stats.mean());
        assertEquals(1, stats.std());
        assertNull(reals(Double.NaN, Double.NaN).min());
    }

    @Test
    void complexNumbersAreCounted() throws IOException {
        MemoryDataset dataset = Samples.dataset(Seeds.random(), 500);
        for (String name : List.of("c64", "c128")) {
            Field field = Samples.field(name);
            FieldStats stats = Stats.of(Scan.of(dataset).withFields(List.of(field)))
                    .fields()
                    .getFirst();
            assertEquals(500, stats.count());
            ElementType part = name.equals("c64") ? ElementType.F32 : ElementType.F64;
            long expected = 0;
            for (int i = 0; i < 500; i++) {
                MemorySegment value = MemorySegment.ofArray(dataset.bytes(i, field));
                expected += Double.isFinite(Elements.toDouble(part, value, 0))
                                && Double.isFinite(Elements.toDouble(part, value, part.size()))
                        ? 0
                        : 1;
            }
            assertEquals(expected, stats.nonFiniteCount());
            assertNull(stats.histogram());
        }
    }

    @Test
    void nothingHasNoFigures() throws IOException {
        Stats stats = Stats.of(Scan.of(new MemoryDataset(Samples.FIELDS, new byte[0][][])));
        assertEquals(0, stats.recordCount());
        assertEquals(Samples.FIELDS.size(), stats.fields().size());
        for (FieldStats field : stats.fields()) {
            assertEquals(0, field.count());
            assertNull(field.min());
            assertNull(field.histogram());
            assertTrue(Double.isNaN(field.mean()));
        }
    }

    @Test
    void onlyMatchingRecordsCount() throws IOException {
        MemoryDataset dataset = of(SIGNED, 1, 2, 3, 4, 5);
        Stats stats = Stats.of(Scan.of(dataset).withWhere(Where.parse("2 <= x < 5", dataset.fields())));
        assertEquals(3, stats.recordCount());
        assertEquals(2L, stats.fields().getFirst().min());
        assertEquals(4L, stats.fields().getFirst().max());
        Stats none = Stats.of(Scan.of(dataset).withWhere(Where.parse("x > 5", dataset.fields())));
        assertEquals(0, none.recordCount());
        assertNull(none.fields().getFirst().min());
    }
}
