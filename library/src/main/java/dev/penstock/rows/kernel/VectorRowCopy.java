// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import static dev.penstock.file.Layouts.U64;
import static dev.penstock.rows.kernel.RowCopy.ALL;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorSpecies;

/// [RowCopy] with vectors of 16 and 32 bytes. The class is loaded only if the runtime has the vector module.
///
/// One wide store for each row instead of four keeps the processor's store queue from filling up, which would
/// limit the number of outstanding cache misses. So each loop uses as few stores as the size allows, the last one
/// overlapping the one before.
///
/// The addresses are read by a plain access and not by a vector one: only then does the compiler expect that
/// memory may be missing (see [RowCopy]).
final class VectorRowCopy {
    /// Smaller rows are copied as one or two words.
    static final long SIZE_MIN = 16;

    /// The two widths use different element types, although elements are never examined: vector methods that have
    /// seen only one width are always inlined into the loop.
    private static final VectorSpecies<Byte> V16 = ByteVector.SPECIES_128;

    private static final VectorSpecies<Long> V32 = LongVector.SPECIES_256;
    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;

    /// One size for each loop.
    private static final long[] TRAINING_SIZES = {16, 24, 32, 48, 96};

    private static final int TRAINING_ROWS = 64;

    private VectorRowCopy() {}

    /// Runs all loops until they are compiled.
    static boolean train() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(TRAINING_ROWS * RowCopy.BLOCK_SIZE_MIN, 64);
            MemorySegment target = arena.allocate(TRAINING_ROWS * RowCopy.BLOCK_SIZE_MIN, 64);
            MemorySegment places = arena.allocate(TRAINING_ROWS * U64.byteSize(), 64);
            for (int i = 0; i < TRAINING_ROWS; i++) {
                places.setAtIndex(U64, i, source.address() + i * RowCopy.BLOCK_SIZE_MIN);
            }
            return VectorTraining.run(
                    call -> {
                        for (long size : TRAINING_SIZES) {
                            copy(places.address(), TRAINING_ROWS - call % 16, 0, size, target.address(), size);
                        }
                    },
                    (long) TRAINING_ROWS * V16.vectorByteSize());
        }
    }

    /// Copies pieces of any size from [#SIZE_MIN] to 128.
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
        ByteVector.fromMemorySegment(V16, ALL, from, LITTLE).intoMemorySegment(ALL, to, LITTLE);
    }

    private static void move32(long from, long to) {
        LongVector.fromMemorySegment(V32, ALL, from, LITTLE).intoMemorySegment(ALL, to, LITTLE);
    }

    private static long place(long places, int i) {
        return ALL.get(U64, places + i * 8L);
    }
}
