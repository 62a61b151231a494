// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/// The values of elements in memory, as numbers and text of Java.
///
/// Memory is little-endian and need not be aligned.
public final class Elements {
    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
    private static final ValueLayout.OfShort I16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfLong I64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE);
    private static final Charset UTF_32 = Charset.forName("UTF-32LE");

    private Elements() {}

    /// A whole number or truth value. The largest unsigned ones come out negative, as Java has them.
    ///
    /// @throws IllegalArgumentException when the type has no whole numbers
    public static long toLong(ElementType type, MemorySegment segment, long offset) {
        return switch (type) {
            case BOOL -> segment.get(ValueLayout.JAVA_BYTE, offset) == 0 ? 0 : 1;
            case I8 -> segment.get(ValueLayout.JAVA_BYTE, offset);
            case I16 -> segment.get(I16, offset);
            case I32 -> segment.get(I32, offset);
            case I64, U64 -> segment.get(I64, offset);
            case U8 -> Byte.toUnsignedLong(segment.get(ValueLayout.JAVA_BYTE, offset));
            case U16 -> Short.toUnsignedLong(segment.get(I16, offset));
            case U32 -> Integer.toUnsignedLong(segment.get(I32, offset));
            default -> throw new IllegalArgumentException(type + " is no type of whole numbers");
        };
    }

    /// A real number; a whole one is rounded where it has to be.
    ///
    /// @throws IllegalArgumentException when the type has no real numbers
    public static double toDouble(ElementType type, MemorySegment segment, long offset) {
        return switch (type) {
            case F16 -> Float.float16ToFloat(segment.get(I16, offset));
            case BF16 -> Float.intBitsToFloat(segment.get(I16, offset) << 16);
            case F32 -> Float.intBitsToFloat(segment.get(I32, offset));
            case F64 -> Double.longBitsToDouble(segment.get(I64, offset));
            case U64 -> unsignedToDouble(segment.get(I64, offset));
            default -> toLong(type, segment, offset);
        };
    }

    /// An unsigned 64-bit number as the nearest real one.
    public static double unsignedToDouble(long value) {
        // Halved, with the lost bit kept so that the rounding comes out right, and doubled again.
        return value >= 0 ? value : ((value >>> 1) | (value & 1)) * 2.0;
    }

    /// Text: what stands before the padding of zeros. Bytes that are none are shown as U+FFFD.
    public static String toText(ElementType type, MemorySegment segment, long offset, long byteCount) {
        long unit = type == ElementType.UTF32 ? type.size() : 1;
        byte[] bytes = segment.asSlice(offset, byteCount).toArray(ValueLayout.JAVA_BYTE);
        int end = bytes.length;
        while (end > 0 && isZero(bytes, end - (int) unit, end)) {
            end -= (int) unit;
        }
        return new String(bytes, 0, end, type == ElementType.UTF32 ? UTF_32 : StandardCharsets.UTF_8);
    }

    private static boolean isZero(byte[] bytes, int start, int limit) {
        for (int i = start; i < limit; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }
}
