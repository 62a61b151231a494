// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import static dev.penstock.memory.Layouts.U64;
import static dev.penstock.memory.Layouts.U8;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/// Copies pieces of one size from many places of memory to one: what a gather spends its time with.
///
/// The work is done by vector instructions where the runtime was started with `--add-modules
/// jdk.incubator.vector`, otherwise by words of eight bytes, which takes about half as long again. Larger rows go
/// through the runtime's block copy, which is as fast as anything. It is compiled apart from its callers: see
/// [SeparatelyCompiled].
///
/// Addresses are used as they are, so that a batch costs one check instead of one for each row, and so that no
/// kind of memory seen before changes the compiled code. The caller has checked every place, and holds a lease
/// on the files (see [OpenFiles#use]) while the copy runs. A page that cannot be read, because a file was
/// shortened, raises an [InternalError] and does not end the process: each loop reads the places by a plain
/// access to a segment, which makes the compiler expect the fault. A loop of vectors that is not compiled as a
/// whole, though, calls vector loads that were compiled alone and expect none. So vectors are used once their
/// loops have run often enough over memory of our own to be compiled ([VectorRowCopy#train]); never again after
/// the first fault, which makes the runtime drop compiled code; and what is about to be copied is touched by a
/// plain access first.
public final class RowCopy {
    /// All memory there is.
    @SuppressWarnings("restricted")
    static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /// From here on the block copy is as fast as vectors.
    static final long BLOCK_SIZE_MIN = 129;

    /// Fewer rows go another way: short loops among the long ones would spoil the compiled code for all.
    private static final int COUNT_MIN = 64;

    private static final int TOUCH_COUNT = 512;
    private static final long TRAINING_DELAY_MILLIS = 500;

    static final boolean HAS_VECTORS =
            ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

    private static MethodHandle copyApart = SeparatelyCompiled.of(
            MethodHandles.lookup(),
            "copyAnySize",
            MethodType.methodType(
                    void.class, long.class, int.class, long.class, long.class, long.class, long.class, boolean.class));

    /// Whether vectors may be used now.
    private static final VectorTrust TRUST = new VectorTrust();

    static {
        if (HAS_VECTORS) {
            startTraining();
        }
    }

    /// Where the bytes of [#touch] go, so that the compiler has to read them.
    private static long touched;

    private RowCopy() {}

    /// Where the system has no thread to spare, words do.
    private static void startTraining() {
        try {
            Thread.ofPlatform().daemon().name("penstock-train").start(() -> {
                if (isTimeToTrain() && VectorRowCopy.train()) {
                    TRUST.trained();
                }
            });
        } catch (OutOfMemoryError e) {
            TRUST.distrust();
        }
    }

    /// Compiling takes a core for a while, which whoever waits for a first batch needs more.
    private static boolean isTimeToTrain() {
        try {
            Thread.sleep(TRAINING_DELAY_MILLIS);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /// Whether vector instructions are used, from about a second after the first use on.
    public static boolean hasVectors() {
        return HAS_VECTORS && !TRUST.isLost();
    }

    /// Takes note that a page could not be read.
    static void distrustVectors() {
        TRUST.distrust();
    }

    /// Copies.
    ///
    /// @param places the address of `count` 64-bit addresses
    /// @param count  how many rows
    /// @param offset where in each row the piece begins
    /// @param size   bytes of the piece
    /// @param target the address the first piece goes to
    /// @param stride bytes from one piece to the next at the target, not less than `size`
    /// @param isTouched whether the last row was touched ([RowPlaces#locate]), or the memory cannot go away
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
        }
    }

    /// Some rows at a time, so that those touched are in the cache when they are copied.
    private static void copyTouching(long places, int count, long offset, long size, long target, long stride) {
        for (int done = 0; done < count; done += TOUCH_COUNT) {
            int here = Math.min(TOUCH_COUNT, count - done);
            long start = places + done * U64.byteSize();
            touched = touch(start, here, offset + size - 1);
            Faults.settle();
            VectorRowCopy.copy(start, here, offset, size, target + done * stride, stride);
        }
    }

    /// Reads the last byte of each piece, which is smaller than a page.
    private static long touch(long places, int count, long last) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += ALL.get(U8, ALL.get(U64, places + i * U64.byteSize()) + last);
        }
        return sum;
    }
}
