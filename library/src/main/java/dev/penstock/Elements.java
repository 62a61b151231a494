// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/// Converts elements in memory to Java numbers and strings.
///
/// Memory is little-endian and need not be aligned.
public final class Elements {
    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
    private static final ValueLayout.OfShort I16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfLong I64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE);
    private static final Charset UTF_32 = Charset.forName("UTF-32LE");

    private Elements() {}

    /// Reads an integer or boolean. Unsigned 64-bit values above `Long.MAX_VALUE` become negative, as usual in
    /// Java.
    ///
    /// @throws IllegalArgumentException when the type is not an integer type
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
            default -> throw new IllegalArgumentException(type + " is not an integer type");
        };
    }

    /// Reads a number as a double. Large integers are rounded.
    ///
    /// @throws IllegalArgumentException when the type is not a real number type
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

    /// Converts an unsigned 64-bit number to the nearest double.
    public static double unsignedToDouble(long value) {
        // Halve the number, keep the lost bit so that the rounding stays correct, and double the result.
        return value >= 0 ? value : ((value >>> 1) | (value & 1)) * 2.0;
    }

    /// Reads text up to the padding of zeros. Bytes that are not valid text become U+FFFD.
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
