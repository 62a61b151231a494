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

    /// The record at one position.
    ///
    /// @throws IndexOutOfBoundsException when the epoch has no such position
    long index(long epoch, long position);

    /// The records at consecutive positions.
    ///
    /// @param target room for as many 64-bit indices as are wanted
    /// @throws IndexOutOfBoundsException when the epoch has no such positions
    default void fill(long epoch, long position, MemorySegment target) {
        long count = requirePositions(epoch, position, target);
        for (long i = 0; i < count; i++) {
            target.setAtIndex(U64, i, index(epoch, position + i));
        }
    }

    /// The records at every so many positions.
    default void fill(long epoch, long position, long stride, MemorySegment target) {
        if (stride == 1) {
            fill(epoch, position, target);
            return;
        }
        long count = target.byteSize() / U64.byteSize();
        for (long i = 0; i < count; i++) {
            target.setAtIndex(U64, i, index(epoch, position + i * stride));
        }
    }

    /// Where in an epoch a record comes, for samplers that draw each record once; otherwise nothing.
    ///
    /// @throws IndexOutOfBoundsException when there is no such record or epoch
    OptionalLong position(long epoch, long recordIndex);

    /// Whether every epoch has every record once.
    boolean isPermutation();

    /// The same order for another number of records.
    ///
    /// @throws IllegalArgumentException when it is bound to the records it was made for
    default Sampler resized(long recordCount) {
        if (recordCount == recordCount()) {
            return this;
        }
        throw new IllegalArgumentException("the order " + name() + " was made for " + recordCount()
                + " records and cannot be made for " + recordCount);
    }

    /// Into how many shares the records are divided for good, position `p` drawing from share `p` modulo this.
    /// Above 1, a rank takes every position of its shares and no other, so that it touches only their records.
    default int shareCount() {
        return 1;
    }

    /// Before this position no record is there only to fill up.
    default long repeatsFrom() {
        return length();
    }

    /// Whether a position has a record that came before, because its share has no other left.
    default boolean isRepeat(long position) {
        return false;
    }

    /// Some neighbours among the records.
    @FunctionalInterface
    interface Run {
        void at(long firstRecord, long recordCount);
    }

    /// Names the neighbours that will be drawn soon, for those that bring them into memory meanwhile. An order
    /// that draws neighbours together names them once, at positions well before it draws them.
    ///
    /// @param position where some positions begin, with their stride and count
    default void ahead(long epoch, long position, long stride, long count, Run run) {}

    /// Among how many records the order jumps about at any time: what has to be in memory for every one to be
    /// read from disk once.
    default long spreadCount() {
        return recordCount();
    }

    /// How many neighbours come into that at once.
    default long runCount() {
        return 1;
    }

    /// For samplers: checks how many records there are said to be.
    static void requireCount(long recordCount) {
        if (recordCount < 0) {
            throw new IllegalArgumentException("there cannot be " + recordCount + " records");
        }
    }

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

    /// For samplers: checks the position of an [#index].
    default void requirePosition(long epoch, long position) {
        if (epoch < 0 || position < 0 || position >= length()) {
            throw new IndexOutOfBoundsException(
                    "position " + position + " of epoch " + epoch + " is not among the " + length() + " of an epoch");
        }
    }

    /// For samplers: checks the record of a [#position].
    default void requireRecord(long epoch, long recordIndex) {
        if (epoch < 0 || recordIndex < 0 || recordIndex >= recordCount()) {
            throw new IndexOutOfBoundsException("record " + recordIndex + " of epoch " + epoch + " is not among the "
                    + recordCount() + " there are");
        }
    }
}
