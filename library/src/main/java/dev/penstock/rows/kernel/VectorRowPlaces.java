// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import static dev.penstock.file.Layouts.U64;
import static dev.penstock.rows.kernel.RowCopy.ALL;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// [RowPlaces] with vectors of four indices. The class is loaded only if the runtime has the vector module.
///
/// The compiler makes no vectors of the plain loop unless the processor multiplies vectors of 64-bit numbers, and
/// then needs about 1 ns for an index; this loop needs 0.35 ns.
final class VectorRowPlaces {
    /// Fewer indices are left to the plain loop.
    static final int COUNT_MIN = 64;

    private static final VectorSpecies<Long> V32 = LongVector.SPECIES_256;
    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
    private static final int TRAINING_ROWS = 64;

    private VectorRowPlaces() {}

    /// Runs the loop until it is compiled.
    static boolean train() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment indices = arena.allocate(TRAINING_ROWS * U64.byteSize(), 64);
            return VectorTraining.run(
                    call -> {
                        indices.fill((byte) 0);
                        locate(indices.address(), TRAINING_ROWS - call % 16, 1, 0, call);
                    },
                    (long) TRAINING_ROWS * U64.byteSize());
        }
    }

    /// Checks row indices and overwrites each with the address of its row, as the plain loop does.
    ///
    /// @return the highest index, or a negative number when an index is invalid
    static long locate(long at, int count, long rowCount, long origin, long rowSize) {
        int step = V32.length();
        int vectorCount = count - count % step;
        LongVector last = LongVector.broadcast(V32, rowCount - 1);
        LongVector origins = LongVector.broadcast(V32, origin);
        LongVector rowSizes = LongVector.broadcast(V32, rowSize);
        LongVector bad = LongVector.zero(V32);
        LongVector highest = LongVector.zero(V32);
        for (int i = 0; i < vectorCount; i += step) {
            LongVector index = LongVector.fromMemorySegment(V32, ALL, at + i * 8L, LITTLE);
            bad = bad.or(index).or(last.sub(index));
            highest = highest.max(index);
            index.mul(rowSizes).add(origins).intoMemorySegment(ALL, at + i * 8L, LITTLE);
        }
        long rest = RowPlaces.locatePlainly(at + vectorCount * 8L, count - vectorCount, rowCount, origin, rowSize);
        boolean isBad = rest < 0 || bad.reduceLanes(VectorOperators.OR) < 0;
        return isBad ? -1 : Math.max(rest, highest.reduceLanes(VectorOperators.MAX));
    }
}
