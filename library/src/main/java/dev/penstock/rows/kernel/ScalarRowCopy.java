// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;
import static dev.penstock.rows.kernel.RowCopy.ALL;

import java.lang.foreign.MemorySegment;

/// [RowCopy] with words of up to eight bytes.
///
/// A size that is not a power of two is copied by two overlapping words, so that no row needs an inner loop. Each
/// size has a separate method, so that its loop has no branches.
final class ScalarRowCopy {
    private ScalarRowCopy() {}

    /// Copies pieces of any size of at least 1.
    static void copy(long places, int count, long offset, long size, long target, long stride) {
        if (size == 1) {
            copy1(places, count, offset, target, stride);
        } else if (size == 2) {
            copy2(places, count, offset, target, stride);
        } else if (size == 3) {
            copy2(places, count, offset, target, stride);
            copy2(places, count, offset + 1, target + 1, stride);
        } else if (size == 4) {
            copy4(places, count, offset, target, stride);
        } else if (size < 8) {
            copy4(places, count, offset, target, stride);
            copy4(places, count, offset + size - 4, target + size - 4, stride);
        } else if (size == 8) {
            copy8(places, count, offset, target, stride);
        } else if (size <= 16) {
            copyTwo8(places, count, offset, size - 8, target, stride);
        } else if (size <= 32) {
            copyFour8(places, count, offset, size - 16, target, stride);
        } else {
            copyBlocks(places, count, offset, size, target, stride);
        }
    }

    /// Copies a few rows.
    static void copyFew(long places, int count, long offset, long size, long target, long stride) {
        for (int i = 0; i < count; i++) {
            MemorySegment.copy(ALL, place(places, i) + offset, ALL, target + i * stride, size);
        }
    }

    /// Copies large rows. It repeats [#copyFew], because the profile of short runs would worsen the compiled code
    /// for long runs.
    static void copyBlocks(long places, int count, long offset, long size, long target, long stride) {
        for (int i = 0; i < count; i++) {
            MemorySegment.copy(ALL, place(places, i) + offset, ALL, target + i * stride, size);
        }
    }

    private static void copy1(long places, int count, long offset, long target, long stride) {
        for (int i = 0; i < count; i++) {
            ALL.set(U8, target + i * stride, ALL.get(U8, place(places, i) + offset));
        }
    }

    private static void copy2(long places, int count, long offset, long target, long stride) {
        for (int i = 0; i < count; i++) {
            ALL.set(U16, target + i * stride, ALL.get(U16, place(places, i) + offset));
        }
    }

    private static void copy4(long places, int count, long offset, long target, long stride) {
        for (int i = 0; i < count; i++) {
            ALL.set(U32, target + i * stride, ALL.get(U32, place(places, i) + offset));
        }
    }

    private static void copy8(long places, int count, long offset, long target, long stride) {
        for (int i = 0; i < count; i++) {
            ALL.set(U64, target + i * stride, ALL.get(U64, place(places, i) + offset));
        }
    }

    private static void copyTwo8(long places, int count, long offset, long second, long target, long stride) {
        for (int i = 0; i < count; i++) {
            long from = place(places, i) + offset;
            long to = target + i * stride;
            ALL.set(U64, to, ALL.get(U64, from));
            ALL.set(U64, to + second, ALL.get(U64, from + second));
        }
    }

    /// Does all loads before the first store, because the compiler cannot know that source and target do not
    /// overlap.
    private static void copyFour8(long places, int count, long offset, long second, long target, long stride) {
        for (int i = 0; i < count; i++) {
            long from = place(places, i) + offset;
            long to = target + i * stride;
            long a = ALL.get(U64, from);
            long b = ALL.get(U64, from + 8);
            long c = ALL.get(U64, from + second);
            long d = ALL.get(U64, from + second + 8);
            ALL.set(U64, to, a);
            ALL.set(U64, to + 8, b);
            ALL.set(U64, to + second, c);
            ALL.set(U64, to + second + 8, d);
        }
    }

    private static long place(long places, int i) {
        return ALL.get(U64, places + i * 8L);
    }
}
