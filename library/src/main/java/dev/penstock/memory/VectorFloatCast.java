// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// The loop of [FloatCast] that the compiler does not turn into vector instructions by itself; loaded only where
/// the runtime has them. It works on arrays, which cannot go away as mapped files can.
final class VectorFloatCast {
    private static final VectorSpecies<Short> SHORTS = ShortVector.SPECIES_128;
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_256;

    private VectorFloatCast() {}

    /// Makes bfloat16 numbers the bits of floats.
    static void brainToBits(short[] from, int[] to, int size) {
        int i = 0;
        for (int limit = SHORTS.loopBound(size); i < limit; i += SHORTS.length()) {
            ((IntVector) ShortVector.fromArray(SHORTS, from, i).convertShape(VectorOperators.S2I, INTS, 0))
                    .lanewise(VectorOperators.LSHL, Short.SIZE)
                    .intoArray(to, i);
        }
        for (; i < size; i++) {
            to[i] = from[i] << Short.SIZE;
        }
    }
}
