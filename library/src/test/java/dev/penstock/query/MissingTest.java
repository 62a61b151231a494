// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Seeds;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Missing values in conditions and statistics.
@ExtendWith(Seeds.class)
class MissingTest {
    private static final List<Field> FIELDS = List.of(
            Field.fixed("x", ElementType.I32),
            Field.fixed("y", ElementType.F64),
            Field.variable("text", ElementType.UTF8),
            Field.fixed("flag", ElementType.BOOL),
            Field.fixed("small", ElementType.U8));

    private final Random random = Seeds.random();

    /// The values of a record; null if one is missing.
    private record Values(Integer x, Double y, String text, Boolean flag, Integer small) {
        byte[][] bytes() {
            byte[][] bytes = new byte[5][];
            bytes[0] = x == null ? null : filled(4, memory -> memory.set(Layouts.U32, 0, x));
            bytes[1] =
                    y == null ? null : filled(8, memory -> memory.set(Layouts.U64, 0, Double.doubleToRawLongBits(y)));
            bytes[2] = text == null ? null : text.getBytes();
            bytes[3] = flag == null ? null : new byte[] {(byte) (flag ? 1 : 0)};
            bytes[4] = small == null ? null : new byte[] {small.byteValue()};
            return bytes;
        }

        private static byte[] filled(int size, java.util.function.Consumer<MemorySegment> fill) {
            byte[] bytes = new byte[size];
            fill.accept(MemorySegment.ofArray(bytes));
            return bytes;
        }
    }

    private <T> T some(T value) {
        return random.nextInt(3) == 0 ? null : value;
    }

    private List<Values> records(int count) {
        List<Values> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(new Values(
                    some(random.nextInt(-3, 4)),
                    some((double) random.nextInt(-3, 4)),
                    some("abc".substring(0, random.nextInt(4))),
                    some(random.nextBoolean()),
                    some(random.nextInt(5))));
        }
        return records;
    }

    private static MemoryDataset dataset(List<Values> records) {
        return new MemoryDataset(FIELDS, records.stream().map(Values::bytes).toArray(byte[][][]::new));
    }

    /// A condition and its value for a record: true, false, or null when it is unknown.
    private record Case(String text, Function<Values, Boolean> value) {
        Case not() {
            return new Case("not (" + text + ")", values -> negation(value.apply(values)));
        }

        Case and(Case other) {
            return new Case("(" + text + ") and (" + other.text + ")", values -> {
                Boolean left = value.apply(values);
                Boolean right = other.value.apply(values);
                boolean isFalse = Boolean.FALSE.equals(left) || Boolean.FALSE.equals(right);
                return isFalse ? Boolean.FALSE : left == null || right == null ? null : Boolean.TRUE;
            });
        }

        Case or(Case other) {
            return not().and(other.not()).not().called("(" + text + ") or (" + other.text + ")");
        }

        private Case called(String name) {
            return new Case(name, value);
        }

        private static Boolean negation(Boolean value) {
            return value == null ? null : Boolean.valueOf(!value);
        }
    }

    private static final List<Case> COMPARISONS = List.of(
            new Case("x > 0", values -> values.x == null ? null : values.x > 0),
            new Case("x != 2", values -> values.x == null ? null : values.x != 2),
            new Case("x in (1, 2)", values -> values.x == null ? null : values.x == 1 || values.x == 2),
            new Case("x not in (1, 2)", values -> values.x == null ? null : values.x != 1 && values.x != 2),
            new Case("y <= 0.5", values -> values.y == null ? null : values.y <= 0.5),
            new Case("y < x", values -> values.y == null || values.x == null ? null : values.y < values.x),
            new Case("text == 'ab'", values -> values.text == null ? null : values.text.equals("ab")),
            new Case("text != ''", values -> values.text == null ? null : !values.text.isEmpty()),
            new Case("flag", values -> values.flag),
            new Case("x is null", values -> values.x == null),
            new Case("text is not null", values -> values.text != null),
            // A byte is always less than 1000, unless it is missing.
            new Case("small < 1000", values -> values.small == null ? null : Boolean.TRUE));

    private Case random(int depth) {
        int kind = depth == 0 ? 0 : random.nextInt(4);
        return switch (kind) {
            case 1 -> random(depth - 1).not();
            case 2 -> random(depth - 1).and(random(depth - 1));
            case 3 -> random(depth - 1).or(random(depth - 1));
            default -> COMPARISONS.get(random.nextInt(COMPARISONS.size()));
        };
    }

    private static long[] expected(List<Values> records, Case wanted) {
        List<Long> indices = new ArrayList<>();
        for (int i = 0; i < records.size(); i++) {
            if (Boolean.TRUE.equals(wanted.value.apply(records.get(i)))) {
                indices.add((long) i);
            }
        }
        return indices.stream().mapToLong(Long::longValue).toArray();
    }

    @Test
    void aMissingValueMatchesNeitherAConditionNorItsOpposite() throws IOException {
        List<Values> records = records(300);
        for (int i = 0; i < 200; i++) {
            Case wanted = random(4);
            Where where = Where.parse(wanted.text, FIELDS);
            long[] found = Scan.of(dataset(records)).withWhere(where).indices();
            assertArrayEquals(expected(records, wanted), found, wanted.text);
        }
    }

    @Test
    void onlyAFieldIsComparedWithNull() {
        for (String text : List.of("x is 3", "x is not 3", "x is", "3 is null", "x == null", "x is null null")) {
            assertThrows(IllegalArgumentException.class, () -> Where.parse(text, FIELDS), text);
        }
        List<Field> odd = List.of(Field.fixed("is", ElementType.I32), Field.fixed("null", ElementType.I32));
        assertEquals(
                odd,
                Where.parse("is is null and null is not null and null > 1", odd).fields());
    }

    /// The test would notice a negation that treats missing values as different values.
    @Test
    void aNegationThatMatchesMissingValuesIsNoticed() {
        List<Values> records = records(300);
        Case equal = COMPARISONS.get(0);
        Case wrong = new Case("not", values -> !Boolean.TRUE.equals(equal.value.apply(values)));
        assertFalse(java.util.Arrays.equals(expected(records, equal.not()), expected(records, wrong)));
    }

    @Test
    void statisticsCountMissingValuesApart() throws IOException {
        List<Values> records = records(500);
        List<Values> present =
                records.stream().filter(values -> values.x != null).toList();
        Stats stats = Stats.of(Scan.of(dataset(records)));
        Stats expected = Stats.of(Scan.of(dataset(present)).withFields(FIELDS.subList(0, 1)));
        FieldStats x = stats.fields().getFirst();
        assertEquals(500, stats.recordCount());
        assertEquals(records.size() - present.size(), x.missingCount());
        assertTrue(x.missingCount() > 0);
        FieldStats without = expected.fields().getFirst();
        assertEquals(without.count(), x.count());
        assertEquals(without.min(), x.min());
        assertEquals(without.max(), x.max());
        assertEquals(without.mean(), x.mean(), 1e-12);
        assertEquals(without.histogram(), x.histogram());
        FieldStats sizes = stats.fields().get(2);
        assertEquals(records.stream().filter(values -> values.text != null).count(), sizes.count());
        assertEquals(500, sizes.count() + sizes.missingCount());
    }

    @Test
    void aColumnHasAMaskOnlyWhenAValueIsMissing() {
        MemoryDataset dataset = dataset(List.of(
                new Values(1, 1.0, "a", true, 1),
                new Values(null, 2.0, "", null, 2),
                new Values(3, 3.0, "c", false, 3)));
        try (Batch batch = Batch.create(FIELDS)) {
            dataset.gather(MemorySegment.ofArray(new long[] {0, 1}), batch);
            Column x = batch.column("x");
            assertTrue(x.hasMissing() && x.isMissing(1) && !x.isMissing(0));
            assertArrayEquals(new byte[] {0, 1}, x.missing().toArray(Layouts.U8));
            assertThrows(IndexOutOfBoundsException.class, () -> x.isMissing(2));
            assertFalse(batch.column("text").hasMissing(), "an empty value is not missing");
            assertThrows(IllegalStateException.class, () -> batch.column("text").missing());
            dataset.gather(MemorySegment.ofArray(new long[] {0, 2}), batch);
            assertFalse(x.hasMissing() || x.isMissing(0), "the next gather starts without a mask");
            long bytes = batch.allocatedBytes();
            batch.trim();
            assertTrue(batch.allocatedBytes() < bytes);
        }
    }
}
