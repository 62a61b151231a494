// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Reads the fields of NumPy array objects directly from memory, because asking Python for the address and shape
/// of an array takes longer than a small gather. The layout has been part of NumPy's binary interface since its
/// first version; Python checks it with an array of its own before it relies on it.
///
/// Addresses point behind the common head of Python objects, whose size differs between interpreters.
///
/// `take(out=)` reads NumPy's array objects where they are, after Python has checked that their
/// layout is as documented. Asking NumPy for an address takes as long as copying a hundred rows.
final class ArrayObject {
    private static final long DATA = 0;
    private static final long DIMENSION_COUNT = 8;
    private static final long SHAPE = 16;
    private static final long FLAGS = 48;

    static final int IS_CONTIGUOUS = 0x1;
    static final int IS_ALIGNED = 0x100;
    static final int IS_WRITEABLE = 0x400;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private ArrayObject() {}

    static long data(long array) {
        return ALL.get(WORD, array + DATA);
    }

    static boolean has(long array, int flags) {
        return (ALL.get(ValueLayout.JAVA_INT, array + FLAGS) & flags) == flags;
    }

    /// @return the length of the first dimension, or -1 when it is not an array of items of this shape
    static long count(long array, long[] itemShape) {
        if (ALL.get(ValueLayout.JAVA_INT, array + DIMENSION_COUNT) != itemShape.length + 1) {
            return -1;
        }
        long shape = ALL.get(WORD, array + SHAPE);
        for (int i = 0; i < itemShape.length; i++) {
            if (ALL.get(WORD, shape + WORD.byteSize() * (i + 1)) != itemShape[i]) {
                return -1;
            }
        }
        return ALL.get(WORD, shape);
    }
}
