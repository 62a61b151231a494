// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.memory.Layouts.U64;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.OptionalLong;

/// Which record comes at which position of an epoch.
///
/// A function and not a state: any part of any epoch can be asked for at any time, in any order, from any number
/// of threads, and the answer is the same on every machine.
public interface Sampler {
    /// The word for it in states and on the command line.
    String name();

    /// All that tells it from others of its name: strings, numbers and booleans, few enough for a state.
    Map<String, Object> parameters();

    /// How many records there are to draw from.
    long recordCount();

    /// How many positions an epoch has.
    long length();

    /// The records at consecutive positions.
    ///
    /// @param target room for as many 64-bit indices as are wanted
    /// @throws IndexOutOfBoundsException when the epoch has no such positions
    void fill(long epoch, long position, MemorySegment target);

    /// The record at one position.
    default long index(long epoch, long position) {
        long[] index = new long[1];
        fill(epoch, position, MemorySegment.ofArray(index));
        return index[0];
    }

    /// Where in an epoch a record comes, for samplers that draw each record once; otherwise nothing.
    OptionalLong position(long epoch, long recordIndex);

    /// Whether every epoch has every record once.
    boolean isPermutation();

    /// For samplers: checks the positions of a [#fill].
    ///
    /// @return how many are wanted
    default long requirePositions(long epoch, long position, MemorySegment target) {
        long count = target.byteSize() / U64.byteSize();
        if (epoch < 0 || position < 0 || position > length() - count) {
            throw new IndexOutOfBoundsException("positions " + position + " to " + (position + count - 1) + " of epoch "
                    + epoch + " are not among the " + length() + " of an epoch");
        }
        return count;
    }
}
