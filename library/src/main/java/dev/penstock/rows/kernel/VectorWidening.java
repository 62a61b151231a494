// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import static dev.penstock.file.Layouts.U8;
import static dev.penstock.rows.kernel.RowCopy.ALL;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// [Widening] with vectors of 32 bytes. The class is loaded only if the runtime has the vector module.
///
/// Each element type is used with one width in the whole process, for the reason given in [VectorRowCopy]. As in
/// [Widening], segments of exactly the size of the piece let the compiler remove the bounds checks.
final class VectorWidening {
    /// Counts are multiples of this number of values.
    static final int STEP = 16;

    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_128;
    private static final VectorSpecies<Double> DOUBLES = DoubleVector.SPECIES_256;
    private static final VectorSpecies<Short> SHORTS = ShortVector.SPECIES_128;
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_256;
    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;

    private static final int TRAINING_COUNT = 256;

    /// The sink for one byte of each piece. The byte is read by a plain access, so that the compiler expects in
    /// each loop that memory may be missing (see [RowCopy]).
    private static byte touched;

    private VectorWidening() {}

    /// Runs both loops until they are compiled.
    static boolean train() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(TRAINING_COUNT * (long) Float.BYTES, Double.BYTES);
            MemorySegment target = arena.allocate(TRAINING_COUNT * (long) Double.BYTES, Double.BYTES);
            return VectorTraining.run(
                    call -> {
                        int count = TRAINING_COUNT - call % 4 * STEP;
                        floatToDouble(source.address(), target.address(), count);
                        brainToFloat(source.address(), target.address(), count);
                    },
                    TRAINING_COUNT * (long) Short.BYTES);
        }
    }

    static void floatToDouble(long source, long target, int count) {
        touched = ALL.get(U8, source);
        MemorySegment from = ALL.asSlice(source, count * 4L);
        MemorySegment to = ALL.asSlice(target, count * 8L);
        for (int i = 0; i < count; i += 4) {
            ((DoubleVector) FloatVector.fromMemorySegment(FLOATS, from, i * 4L, LITTLE)
                            .convertShape(VectorOperators.F2D, DOUBLES, 0))
                    .intoMemorySegment(to, i * 8L, LITTLE);
        }
    }

    static void brainToFloat(long source, long target, int count) {
        touched = ALL.get(U8, source);
        MemorySegment from = ALL.asSlice(source, count * 2L);
        MemorySegment to = ALL.asSlice(target, count * 4L);
        for (int i = 0; i < count; i += 8) {
            ((IntVector) ShortVector.fromMemorySegment(SHORTS, from, i * 2L, LITTLE)
                            .convertShape(VectorOperators.S2I, INTS, 0))
                    .lanewise(VectorOperators.LSHL, Short.SIZE)
                    .intoMemorySegment(to, i * 4L, LITTLE);
        }
    }
}
