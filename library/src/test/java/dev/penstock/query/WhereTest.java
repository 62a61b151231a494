// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Rounding;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// The meaning of comparisons, by example.
final class WhereTest {
    private static long[] matches(Field field, byte[][] values, String text) throws IOException {
        byte[][][] records =
                Arrays.stream(values).map(value -> new byte[][] {value}).toArray(byte[][][]::new);
        MemoryDataset dataset = new MemoryDataset(List.of(field), records);
        Where where = Where.parse(text, dataset.fields());
        try (Batch batch = Batch.create(where.fields())) {
            dataset.gather(LongStream.range(0, values.length).toArray(), batch);
            Mask mask = where.test(batch);
            assertEquals(values.length, mask.rowCount());
            assertEquals(mask.count(), mask.toIndices(0).length);
            return mask.toIndices(0);
        }
    }

    private static void requireMatches(Field field, byte[][] values, String text, long... expected) throws IOException {
        assertEquals(Arrays.toString(expected), Arrays.toString(matches(field, values, text)), text);
    }

    private static byte[] bits(int size, long bits) {
        return Arrays.copyOf(MemorySegment.ofArray(new long[] {bits}).toArray(Layouts.U8), size);
    }

    private static byte[][] texts(int width, String... texts) {
        return Arrays.stream(texts)
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .map(bytes -> width == 0 ? bytes : Arrays.copyOf(bytes, width))
                .toArray(byte[][]::new);
    }

    @Test
    void aLiteralIsRoundedToTheTypeOfTheField() throws IOException {
        byte[][] singles = {bits(4, Float.floatToIntBits(0.1f)), bits(4, Float.floatToIntBits(0.25f))};
        requireMatches(Field.fixed("w", ElementType.F32), singles, "w == 0.1", 0);
        requireMatches(Field.fixed("w", ElementType.F32), singles, "w < 0.1");
        requireMatches(Field.fixed("w", ElementType.F32), singles, "w in (0.1, 0.25)", 0, 1);
        byte[][] halves = {bits(2, Float.floatToFloat16(0.1f)), bits(2, Float.floatToFloat16(65504f))};
        requireMatches(Field.fixed("w", ElementType.F16), halves, "w == 0.1", 0);
        requireMatches(Field.fixed("w", ElementType.F16), halves, "w >= 65519", 1);
        requireMatches(Field.fixed("w", ElementType.F16), halves, "w >= 65520");
        byte[][] brains = {bits(2, Float.floatToIntBits(0.1f) + 0x8000 >> 16)};
        requireMatches(Field.fixed("w", ElementType.BF16), brains, "w == 0.1", 0);
        byte[][] doubles = {bits(8, Double.doubleToLongBits(0.1)), bits(8, Double.doubleToLongBits(0.1f))};
        requireMatches(Field.fixed("w", ElementType.F64), doubles, "w == 0.1", 0);
    }

    @Test
    void roundingTwiceIsNotRoundingOnce() {
        // Just above the middle of two halves; the nearest float is the middle itself.
        double justAbove = 1 + 0x1p-11 + 0x1p-40;
        assertEquals(1 + 0x1p-10, Rounding.toType(ElementType.F16, justAbove));
        assertEquals(1, Rounding.toType(ElementType.F16, 1 + 0x1p-11));
        assertEquals(1 + 0x1p-7, Rounding.toType(ElementType.BF16, 1 + 0x1p-8 + 0x1p-40));
        assertEquals(-1, Rounding.toType(ElementType.BF16, -1 - 0x1p-8));
        assertEquals(Double.POSITIVE_INFINITY, Rounding.toType(ElementType.BF16, 3.4e38));
        assertEquals(Double.NEGATIVE_INFINITY, Rounding.toType(ElementType.F16, -1e300));
        assertTrue(Double.isNaN(Rounding.toType(ElementType.BF16, Double.NaN)));
    }

    @Test
    void wholeNumbersAreComparedExactly() throws IOException {
        Field u64 = Field.fixed("x", ElementType.U64);
        byte[][] values = {bits(8, 0), bits(8, Long.MAX_VALUE), bits(8, Long.MIN_VALUE), bits(8, -1)};
        requireMatches(u64, values, "x > 9223372036854775807", 2, 3);
        requireMatches(u64, values, "x == 18446744073709551615", 3);
        requireMatches(u64, values, "x < 1e30 and x >= 0", 0, 1, 2, 3);
        requireMatches(u64, values, "x < 0 or x < -1.5 or x == 0.5 or x > 18446744073709551615");
        requireMatches(u64, values, "x in (18446744073709551615, -1, 0.0, 9223372036854775807.5)", 0, 3);
        requireMatches(u64, values, "x < inf and x != nan and x > -inf", 0, 1, 2, 3);
        Field i8 = Field.fixed("x", ElementType.I8);
        byte[][] small = {bits(1, 2), bits(1, 3), bits(1, -128)};
        requireMatches(i8, small, "x > 2.5", 1);
        requireMatches(i8, small, "2.5 >= x", 0, 2);
        requireMatches(i8, small, "-129 < x < 1000", 0, 1, 2);
    }

    @Test
    void nanIsUnequalToEverything() throws IOException {
        Field f64 = Field.fixed("x", ElementType.F64);
        byte[][] values = {bits(8, Double.doubleToLongBits(Double.NaN)), bits(8, 0), bits(8, Long.MIN_VALUE)};
        requireMatches(f64, values, "x != x", 0);
        requireMatches(f64, values, "x == x", 1, 2);
        requireMatches(f64, values, "x == nan or x < nan or x in (nan)");
        requireMatches(f64, values, "x != nan", 0, 1, 2);
        requireMatches(f64, values, "not x < 1", 0);
        requireMatches(f64, values, "x == 0 and x == -0.0 and x in (-0.0)", 1, 2);
    }

    @Test
    void paddingDoesNotCountAndZerosOfVariableFieldsDo() throws IOException {
        Field fixed = Field.fixedText("s", ElementType.BYTES, 4);
        byte[][] padded = texts(4, "a", "ab", "", "a\0b", "ÿ");
        requireMatches(fixed, padded, "s == 'a'", 0);
        requireMatches(fixed, padded, "s == 'a\\0\\0\\0\\0\\0\\0'", 0);
        requireMatches(fixed, padded, "s > 'a'", 1, 3, 4);
        requireMatches(fixed, padded, "s == ''", 2);
        requireMatches(fixed, padded, "s > 'z'", 4);
        requireMatches(fixed, padded, "s in ('ab', 'a\\0b', 'longer than the field')", 1, 3);
        Field variable = Field.variable("s", ElementType.UTF8);
        requireMatches(variable, texts(0, "a", "a\0", ""), "s == 'a'", 0);
        requireMatches(variable, texts(0, "a", "a\0", ""), "s == 'a\\0'", 1);
        requireMatches(variable, texts(0, "a", "a\0", ""), "s <= 'a'", 0, 2);
    }

    @Test
    void textIsSearched() throws IOException {
        String[] values = {"a cat", "cat", "concat", "", "Cat", "größe 😀"};
        Field wide = Field.fixedText("s", ElementType.UTF32, 32);
        byte[][] units = Arrays.stream(values)
                .map(value -> Arrays.copyOf(value.getBytes(Samples.UTF_32), 32))
                .toArray(byte[][]::new);
        for (Field field : List.of(
                Field.variable("s", ElementType.UTF8),
                Field.variable("s", ElementType.BYTES),
                Field.fixedText("s", ElementType.BYTES, 16),
                wide)) {
            byte[][] texts = field == wide ? units : texts(field.isVariable() ? 0 : 16, values);
            requireMatches(field, texts, "s contains 'cat'", 0, 1, 2);
            requireMatches(field, texts, "s not contains 'cat'", 3, 4, 5);
            requireMatches(field, texts, "not s contains 'cat' and s != ''", 4, 5);
            requireMatches(field, texts, "s startswith 'c'", 1, 2);
            requireMatches(field, texts, "s endswith 'cat' and s not startswith 'con'", 0, 1);
            requireMatches(field, texts, "s contains ''", 0, 1, 2, 3, 4, 5);
            requireMatches(field, texts, "s contains 'öß' or s endswith '😀'", 5);
            requireMatches(field, texts, "s contains 'a longer text than any of them is'");
        }
        Field number = Field.fixed("x", ElementType.I32);
        for (String wrong : List.of("x contains 'a'", "x contains 1", "x not startswith 'b'", "'a' contains 'a'")) {
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> Where.parse(wrong, List.of(number)));
            assertTrue(e.getMessage().contains("must be a field of text or bytes"), e.getMessage());
        }
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> Where.parse("s contains 3", List.of(wide)));
        assertTrue(e.getMessage().contains("must be a text in quotes"), e.getMessage());
        // A field may still have such a name.
        Field named = Field.fixed("contains", ElementType.I32);
        requireMatches(named, new byte[][] {bits(4, 3), bits(4, 5)}, "contains == 5", 1);
    }

    /// In UTF-16 order the last one would come first.
    @Test
    void textIsOrderedByCodePoint() throws IOException {
        Field field = Field.variable("s", ElementType.UTF8);
        requireMatches(field, texts(0, "z", "\uffff", "😀"), "s > '\uffff'", 2);
        Field wide = Field.fixedText("s", ElementType.UTF32, 8);
        byte[][] values = {"\uffff".getBytes(Samples.UTF_32), "😀".getBytes(Samples.UTF_32)};
        values = Arrays.stream(values).map(value -> Arrays.copyOf(value, 8)).toArray(byte[][]::new);
        requireMatches(wide, values, "s > '\uffff'", 1);
    }

    @Test
    void aBatchOfOtherFieldsIsRefused() {
        Field field = Field.fixed("x", ElementType.I32);
        Where where = Where.parse("x == 1", List.of(field));
        try (Batch other = Batch.create(List.of(Field.fixed("y", ElementType.I32)));
                Batch sameName = Batch.create(List.of(Field.fixed("x", ElementType.I64)))) {
            assertThrows(IllegalArgumentException.class, () -> where.test(other));
            assertThrows(IllegalArgumentException.class, () -> where.test(sameName));
        }
    }
}
