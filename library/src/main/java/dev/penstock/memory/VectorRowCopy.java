// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import static dev.penstock.memory.Layouts.U64;
import static dev.penstock.memory.RowCopy.ALL;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorSpecies;

/// [RowCopy] by vectors of 16 and 32 bytes; loaded only where the runtime has them.
///
/// One wide store for each row instead of four is what keeps the processor's store queue from filling up, and
/// with it the number of cache misses under way at once. So each loop has as few of them as the size allows,
/// the last one overlapping the one before.
///
/// The places are read by a plain access and not by a vector one: only then does the compiler expect that
/// memory may be gone (see [RowCopy]).
final class VectorRowCopy {
    /// Smaller rows are a word or two.
    static final long SIZE_MIN = 16;

    /// Two kinds of elements for the two widths, though none is looked at: methods of vectors that have seen one
    /// width only are always compiled into the loop.
    private static final VectorSpecies<Integer> V16 = IntVector.SPECIES_128;

    private static final VectorSpecies<Long> V32 = LongVector.SPECIES_256;
    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;

    /// One size for each loop.
    private static final long[] TRAINING_SIZES = {16, 24, 32, 48, 96};

    /// Beyond the runtime's thresholds for its best compiler.
    private static final int TRAINING_CALLS = 1000;

    private static final int TRAINING_ROWS = 256;
    private static final int TRAINING_ROUNDS_MIN = 3;
    private static final int TRAINING_ROUNDS_MAX = 100;
    private static final long TRAINING_PAUSE_MILLIS = 30;

    private VectorRowCopy() {}

    /// Has all loops compiled, by running them over memory that cannot go away.
    ///
    /// @return whether they are; a machine that has too much else to do may never come to it
    static boolean train() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(TRAINING_ROWS * RowCopy.BLOCK_SIZE_MIN, 64);
            MemorySegment target = arena.allocate(TRAINING_ROWS * RowCopy.BLOCK_SIZE_MIN, 64);
            MemorySegment places = arena.allocate(TRAINING_ROWS * U64.byteSize(), 64);
            for (int i = 0; i < TRAINING_ROWS; i++) {
                places.setAtIndex(U64, i, source.address() + i * RowCopy.BLOCK_SIZE_MIN);
            }
            for (int round = 1; round <= TRAINING_ROUNDS_MAX; round++) {
                for (int call = 0; call < TRAINING_CALLS; call++) {
                    for (long size : TRAINING_SIZES) {
                        copy(places.address(), TRAINING_ROWS - call % 64, 0, size, target.address(), size);
                    }
                }
                // What was compiled in the background meanwhile is used from the next time on, and settles.
                Thread.sleep(TRAINING_PAUSE_MILLIS);
                if (round >= TRAINING_ROUNDS_MIN && isCompiled(places.address(), target.address())) {
                    return true;
                }
            }
        } catch (InterruptedException e) {
            // Nobody interrupts a thread of ours; words do as well.
        }
        return false;
    }

    /// A loop that is compiled as a whole makes no objects; any other makes one for each vector.
    private static boolean isCompiled(long places, long target) {
        if (!(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads)) {
            return true;
        }
        for (long size : TRAINING_SIZES) {
            long before = threads.getCurrentThreadAllocatedBytes();
            copy(places, TRAINING_ROWS, 0, size, target, size);
            if (threads.getCurrentThreadAllocatedBytes() - before >= TRAINING_ROWS * V16.vectorByteSize()) {
                return false;
            }
        }
        return true;
    }

    /// Any size from [#SIZE_MIN] to 128.
    static void copy(long places, int count, long offset, long size, long target, long stride) {
        if (size == 16) {
            copy16(places, count, offset, target, stride);
        } else if (size < 32) {
            copyTwo16(places, count, offset, size - 16, target, stride);
        } else if (size == 32) {
            copy32(places, count, offset, target, stride);
        } else if (size <= 64) {
            copyTwo32(places, count, offset, size - 32, target, stride);
        } else {
            copyFour32(places, count, offset, size - 64, target, stride);
        }
    }

    private static void copy16(long places, int count, long offset, long target, long stride) {
        for (int i = 0; i < count; i++) {
            move16(place(places, i) + offset, target + i * stride);
        }
    }

    private static void copyTwo16(long places, int count, long offset, long second, long target, long stride) {
        for (int i = 0; i < count; i++) {
            long from = place(places, i) + offset;
            long to = target + i * stride;
            move16(from, to);
            move16(from + second, to + second);
        }
    }

    private static void copy32(long places, int count, long offset, long target, long stride) {
        for (int i = 0; i < count; i++) {
            move32(place(places, i) + offset, target + i * stride);
        }
    }

    private static void copyTwo32(long places, int count, long offset, long second, long target, long stride) {
        for (int i = 0; i < count; i++) {
            long from = place(places, i) + offset;
            long to = target + i * stride;
            move32(from, to);
            move32(from + second, to + second);
        }
    }

    private static void copyFour32(long places, int count, long offset, long second, long target, long stride) {
        for (int i = 0; i < count; i++) {
            long from = place(places, i) + offset;
            long to = target + i * stride;
            move32(from, to);
            move32(from + 32, to + 32);
            move32(from + second, to + second);
            move32(from + second + 32, to + second + 32);
        }
    }

    private static void move16(long from, long to) {
        IntVector.fromMemorySegment(V16, ALL, from, LITTLE).intoMemorySegment(ALL, to, LITTLE);
    }

    private static void move32(long from, long to) {
        LongVector.fromMemorySegment(V32, ALL, from, LITTLE).intoMemorySegment(ALL, to, LITTLE);
    }

    private static long place(long places, int i) {
        return ALL.get(U64, places + i * 8L);
    }
}
