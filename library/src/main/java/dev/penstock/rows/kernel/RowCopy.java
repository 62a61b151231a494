// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.file.Faults;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/// Copies pieces of equal size from many addresses to one contiguous target. A gather spends most of its time
/// here.
///
/// It uses vector instructions if the runtime was started with `--add-modules jdk.incubator.vector`, otherwise
/// words of eight bytes, which take about 1.5 times as long. Larger rows use the runtime's block copy, which is
/// as fast. The loops are compiled separately from their callers: see [SeparatelyCompiled].
///
/// Raw addresses are used, so that a batch needs one check instead of one for each row, and so that the kinds of
/// memory seen before do not change the compiled code. The caller must have checked every address and must hold
/// a lease on the files (see [OpenFiles#use][dev.penstock.file.OpenFiles#use]).
///
/// If a file was shortened, a missing page raises an [InternalError] and does not end the process: each loop
/// reads the addresses by a plain access to a segment, which makes the compiler expect the fault. A vector loop
/// that is not compiled as a whole is different. It calls vector loads that were compiled on their own and
/// expect no fault. Therefore vectors are used only after their loops have run often enough over private memory
/// to be compiled ([VectorRowCopy#train]), and never again after the first fault, which makes the runtime
/// discard compiled code. The rows to be copied are touched by a plain access first.
///
/// The addresses of rows are read by a plain access, the rows by vectors. Only then does the compiled code
/// handle the fault of a shortened mapped file; otherwise the process ends.
public final class RowCopy {
    /// A segment that spans the whole address space.
    @SuppressWarnings("restricted")
    static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /// From this row size on, the block copy is as fast as vectors.
    static final long BLOCK_SIZE_MIN = 129;

    /// Fewer rows use a separate loop, because short runs of the main loops would worsen their compiled code.
    private static final int COUNT_MIN = 64;

    private static final int TOUCH_COUNT = 512;

    /// A runtime that always has the module can be told to do without by `-Dpenstock.vectors=off`.
    static final boolean HAS_VECTORS =
            ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()
                    && !"off".equals(System.getProperty("penstock.vectors"));

    private static MethodHandle copyApart = SeparatelyCompiled.of(
            MethodHandles.lookup(),
            "copyAnySize",
            MethodType.methodType(
                    void.class, long.class, int.class, long.class, long.class, long.class, long.class, boolean.class));

    /// Tells whether vectors may be used now.
    private static final VectorTrust TRUST = new VectorTrust();

    /// So many rows are copied by words before the vector loops are trained. Training takes as much processor time
    /// as copying ten million rows, which programs that copy few rows, or larger ones only, need not spend.
    private static final int ROWS_UNTIL_TRAINING = 1 << 18;

    /// The rows that vectors could have copied. Threads may lose some of each other's counts.
    private static int copiedByWords;

    /// The sink of [#touch], which prevents the compiler from removing the reads.
    private static long touched;

    static {
        Faults.onFault(RowCopy::distrustVectors);
    }

    private RowCopy() {}

    /// Whether vector instructions are used, once enough rows were copied that preparing them is worthwhile.
    public static boolean hasVectors() {
        return HAS_VECTORS && !TRUST.isLost();
    }

    /// Trains the vector loops in the background, unless that has begun.
    static void train() {
        if (HAS_VECTORS && TRUST.begin()) {
            VectorTraining.start(TRUST, VectorRowCopy::train, VectorRowPlaces::train);
        }
    }

    /// Whether the vector loops are compiled, so that rows are copied by them from now on.
    static boolean isTrained() {
        return TRUST.isTrained();
    }

    /// Records that a page could not be read.
    static void distrustVectors() {
        TRUST.distrust();
    }

    /// Copies a piece of each row.
    ///
    /// @param places the address of `count` 64-bit addresses
    /// @param count  the number of rows
    /// @param offset the start of the piece in each row
    /// @param size   the size of the piece in bytes
    /// @param target the address that the first piece is copied to
    /// @param stride the distance in bytes between pieces at the target, at least `size`
    /// @param isTouched whether the last row was touched ([RowPlaces#locate]), or the memory cannot disappear
    public static void copy(
            long places, int count, long offset, long size, long target, long stride, boolean isTouched) {
        try {
            copyApart.invokeExact(places, count, offset, size, target, stride, isTouched);
        } catch (Throwable e) {
            throw SeparatelyCompiled.rethrow(e);
        }
    }

    private static void copyAnySize(
            long places, int count, long offset, long size, long target, long stride, boolean isTouched) {
        if (size == 0) {
            return;
        }
        if (count < COUNT_MIN) {
            ScalarRowCopy.copyFew(places, count, offset, size, target, stride);
        } else if (size >= BLOCK_SIZE_MIN) {
            ScalarRowCopy.copyBlocks(places, count, offset, size, target, stride);
        } else if (TRUST.isTrained() && size >= VectorRowCopy.SIZE_MIN) {
            if (isTouched) {
                VectorRowCopy.copy(places, count, offset, size, target, stride);
            } else {
                copyTouching(places, count, offset, size, target, stride);
            }
        } else {
            ScalarRowCopy.copy(places, count, offset, size, target, stride);
            if (HAS_VECTORS && size >= VectorRowCopy.SIZE_MIN && (copiedByWords += count) >= ROWS_UNTIL_TRAINING) {
                copiedByWords = 0;
                train();
            }
        }
    }

    /// Copies some rows at a time, so that touched rows are still in the CPU cache when they are copied.
    private static void copyTouching(long places, int count, long offset, long size, long target, long stride) {
        for (int done = 0; done < count; done += TOUCH_COUNT) {
            int here = Math.min(TOUCH_COUNT, count - done);
            long start = places + done * U64.byteSize();
            touched = touch(start, here, offset + size - 1);
            Faults.settle();
            VectorRowCopy.copy(start, here, offset, size, target + done * stride, stride);
        }
    }

    /// Reads the last byte of each piece. A piece is smaller than a page.
    private static long touch(long places, int count, long last) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += ALL.get(U8, ALL.get(U64, places + i * U64.byteSize()) + last);
        }
        return sum;
    }
}
