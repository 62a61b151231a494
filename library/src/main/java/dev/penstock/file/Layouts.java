// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Unaligned little-endian value layouts, which all our files use.
public final class Layouts {
    public static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    public static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /// Reads eight bytes of an array as a number.
    public static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Layouts() {}

    /// The offset of a field in a layout, in bytes.
    ///
    /// @throws IllegalArgumentException when the layout has no such field
    public static long offset(StructLayout layout, String field) {
        return layout.byteOffset(MemoryLayout.PathElement.groupElement(field));
    }

    /// Reads an unsigned 32-bit value.
    public static long u32(MemorySegment segment, long offset) {
        return Integer.toUnsignedLong(segment.get(U32, offset));
    }

    /// Reads an unsigned 16-bit value.
    public static int u16(MemorySegment segment, long offset) {
        return Short.toUnsignedInt(segment.get(U16, offset));
    }

    /// Rounds up to the next multiple of `alignment`, which need not be a power of two.
    ///
    /// @throws ArithmeticException when the result does not fit in 63 bits
    public static long alignUp(long value, long alignment) {
        long remainder = value % alignment;
        return remainder == 0 ? value : Math.addExact(value, alignment - remainder);
    }

    /// Whether a segment can be viewed as a `ByteBuffer`: it is off-heap or a byte array.
    static boolean isBytes(MemorySegment segment) {
        return segment.isNative()
                || segment.heapBase().filter(byte[].class::isInstance).isPresent();
    }
}
