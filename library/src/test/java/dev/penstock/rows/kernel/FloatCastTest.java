// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.table.NumPy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Numbers become those that NumPy and ml_dtypes make of them, bit by bit, whatever memory they come from and
/// go to.
@ExtendWith(Seeds.class)
final class FloatCastTest {
    private static final List<ElementType> TYPES =
            List.of(ElementType.F16, ElementType.BF16, ElementType.F32, ElementType.F64);

    private static byte[] cast(ElementType from, byte[] numbers, ElementType to) {
        int count = (int) (numbers.length / from.size());
        byte[] target = new byte[(int) (count * to.size())];
        FloatCast.cast(from, MemorySegment.ofArray(numbers), to, MemorySegment.ofArray(target), count);
        return target;
    }

    /// From an address to memory outside the heap.
    private static byte[] castAtAddress(ElementType from, byte[] numbers, ElementType to, boolean isShared) {
        try (Arena arena = isShared ? Arena.ofShared() : Arena.ofConfined()) {
            int count = (int) (numbers.length / from.size());
            // Neither is aligned.
            MemorySegment source = arena.allocate(numbers.length + 1).asSlice(1);
            MemorySegment target = arena.allocate(count * to.size() + 1).asSlice(1);
            source.copyFrom(MemorySegment.ofArray(numbers));
            FloatCast.cast(from, source.address(), to, target, count);
            return target.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static long bits(byte[] bytes, ElementType type, int index) {
        long bits = 0;
        for (int i = 0; i < type.size(); i++) {
            bits |= (bytes[(int) (index * type.size()) + i] & 0xffL) << 8 * i;
        }
        return bits;
    }

    private static boolean isNaN(byte[] bytes, ElementType type, int index) {
        return Double.isNaN(Elements.toDouble(type, MemorySegment.ofArray(bytes), index * type.size()));
    }

    @Test
    void everyConversionIsThatOfNumPy(@TempDir Path folder) throws IOException, InterruptedException {
        NumPy.require();
        NumPy.runScript("kernel/float_cases.py", folder, folder, Seeds.random().nextInt(Integer.MAX_VALUE));
        long count = 0;
        for (ElementType from : TYPES) {
            byte[] numbers = Files.readAllBytes(folder.resolve(from.toString()));
            for (ElementType to : TYPES) {
                if (from != to) {
                    byte[] expected = Files.readAllBytes(folder.resolve(from + "-" + to));
                    requireEqual(from, numbers, to, expected);
                    count += numbers.length / from.size();
                }
            }
        }
        Figures.print("numbers converted as by NumPy", count);
    }

    private static void requireEqual(ElementType from, byte[] numbers, ElementType to, byte[] expected) {
        byte[] found = cast(from, numbers, to);
        assertEquals(expected.length, found.length);
        for (int i = 0; i < found.length / to.size(); i++) {
            String what = from + " " + Long.toHexString(bits(numbers, from, i)) + " to " + to;
            if (isNaN(expected, to, i)) {
                assertTrue(isNaN(found, to, i), what);
            } else {
                assertEquals(bits(expected, to, i), bits(found, to, i), what);
            }
        }
        assertTrue(Arrays.equals(found, castAtAddress(from, numbers, to, false)), from + " to " + to);
        assertTrue(Arrays.equals(found, castAtAddress(from, numbers, to, true)), from + " to " + to);
    }

    /// Bits of a number in each of two types.
    private static void require(ElementType from, long bits, ElementType to, long expected) {
        byte[] number = new byte[(int) from.size()];
        for (int i = 0; i < number.length; i++) {
            number[i] = (byte) (bits >>> 8 * i);
        }
        String what = from + " " + Long.toHexString(bits) + " to " + to;
        assertEquals(expected, bits(cast(from, number, to), to, 0), what);
        assertEquals(expected, bits(castAtAddress(from, number, to, false), to, 0), what);
    }

    @Test
    void aNaNKeepsItsSignAndPayloadWhenItGetsWiderAndIsQuiet() {
        require(ElementType.F32, 0x7f800001L, ElementType.F64, 0x7ff8000020000000L);
        require(ElementType.F32, 0xff812345L, ElementType.F64, 0xfff82468a0000000L);
        require(ElementType.F32, 0x7fc00000L, ElementType.F64, 0x7ff8000000000000L);
        require(ElementType.BF16, 0xff81L, ElementType.F32, 0xff810000L);
        require(ElementType.BF16, 0x7fc1L, ElementType.F64, 0x7ff8200000000000L);
        require(ElementType.F16, 0xfe01L, ElementType.F32, 0xffc02000L);
    }

    @Test
    void aNaNStaysANaNWhenItGetsNarrower() {
        require(ElementType.F64, 0x7ff8000020000000L, ElementType.F32, 0x7fc00001L);
        require(ElementType.F64, 0xfff0000000000001L, ElementType.F32, 0xffc00000L);
        require(ElementType.F64, 0xfff0000000000001L, ElementType.BF16, 0x7fc0L);
        require(ElementType.F32, 0xff800001L, ElementType.BF16, 0x7fc0L);
    }

    @Test
    void subnormalNumbersInfinityAndTiesAreRoundedToEven() {
        require(ElementType.F32, 0x00000001L, ElementType.F64, 0x36a0000000000000L);
        require(ElementType.F16, 0x0001L, ElementType.F32, 0x33800000L);
        require(ElementType.BF16, 0x0001L, ElementType.F32, 0x00010000L);
        require(ElementType.BF16, 0x8000L, ElementType.F64, 0x8000000000000000L);
        require(ElementType.F64, Double.doubleToRawLongBits(65520), ElementType.F16, 0x7c00L);
        require(ElementType.F64, Double.doubleToRawLongBits(65519.999), ElementType.F16, 0x7bffL);
        require(ElementType.F64, Double.doubleToRawLongBits(-1e300), ElementType.F32, 0xff800000L);
        require(ElementType.F32, 0x3f808000L, ElementType.BF16, 0x3f80L);
        require(ElementType.F32, 0x3f818000L, ElementType.BF16, 0x3f82L);
        require(ElementType.F32, 0x7f7fffffL, ElementType.BF16, 0x7f80L);
        // One rounding: by way of a float the tie would be decided wrongly.
        double above = 1 + 0x1p-11 + 0x1p-40;
        require(ElementType.F64, Double.doubleToRawLongBits(above), ElementType.F16, 0x3c01L);
    }

    @Test
    void anyCountIsConvertedAndNothingBehindIt() {
        for (int count : new int[] {0, 1, 3, 15, 16, 17, 4095, 4096, 4097, 10_001}) {
            float[] floats = new float[count];
            for (int i = 0; i < count; i++) {
                floats[i] = i - 5.5f;
            }
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment source = arena.allocateFrom(ValueLayout.JAVA_FLOAT, floats);
                MemorySegment target = arena.allocate((count + 1) * 8L, 8);
                target.setAtIndex(ValueLayout.JAVA_DOUBLE, count, 42);
                FloatCast.cast(ElementType.F32, source.address(), ElementType.F64, target, count);
                for (int i = 0; i < count; i++) {
                    assertEquals(i - 5.5, target.getAtIndex(ValueLayout.JAVA_DOUBLE, i));
                }
                assertEquals(42, target.getAtIndex(ValueLayout.JAVA_DOUBLE, count));
            }
        }
    }

    @Test
    void aTargetThatIsTooSmallAndOtherTypesAreRefused() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(64);
            MemorySegment target = arena.allocate(63);
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> FloatCast.cast(ElementType.F32, source.address(), ElementType.F64, target, 8));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> FloatCast.cast(ElementType.I32, source.address(), ElementType.F64, target, 1));
        }
    }
}
