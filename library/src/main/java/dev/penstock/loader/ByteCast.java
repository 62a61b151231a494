// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.ElementType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// [NumberCast] from types of one byte. Their 256 values are converted once and then looked up, in one pass for
/// any conversion.
///
/// **Threads.** Safe for any number of threads.
final class ByteCast {
    private static final int VALUE_COUNT = 256;

    private final long size;
    private final byte[] bytes = new byte[VALUE_COUNT];
    private final short[] shorts = new short[VALUE_COUNT];
    private final int[] ints = new int[VALUE_COUNT];
    private final long[] longs = new long[VALUE_COUNT];

    ByteCast(ElementType fromType, ElementType toType, double scale, double shift) {
        this.size = toType.size();
        byte[] values = new byte[VALUE_COUNT];
        for (int i = 0; i < VALUE_COUNT; i++) {
            values[i] = (byte) i;
        }
        MemorySegment table = switch ((int) size) {
            case 1 -> MemorySegment.ofArray(bytes);
            case 2 -> MemorySegment.ofArray(shorts);
            case 4 -> MemorySegment.ofArray(ints);
            default -> MemorySegment.ofArray(longs);
        };
        NumberCast.cast(fromType, MemorySegment.ofArray(values), toType, table, VALUE_COUNT, scale, shift);
    }

    /// Converts `count` numbers to aligned memory.
    void cast(MemorySegment from, MemorySegment to, long count) {
        switch ((int) size) {
            case 1 -> {
                for (long i = 0; i < count; i++) {
                    to.setAtIndex(ValueLayout.JAVA_BYTE, i, bytes[value(from, i)]);
                }
            }
            case 2 -> {
                for (long i = 0; i < count; i++) {
                    to.setAtIndex(ValueLayout.JAVA_SHORT, i, shorts[value(from, i)]);
                }
            }
            case 4 -> {
                for (long i = 0; i < count; i++) {
                    to.setAtIndex(ValueLayout.JAVA_INT, i, ints[value(from, i)]);
                }
            }
            default -> {
                for (long i = 0; i < count; i++) {
                    to.setAtIndex(ValueLayout.JAVA_LONG, i, longs[value(from, i)]);
                }
            }
        }
    }

    private static int value(MemorySegment from, long i) {
        return from.get(ValueLayout.JAVA_BYTE, i) & 0xFF;
    }
}
