// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/// Defines which record comes at which position of an epoch.
///
/// A sampler is a function without state: any part of any epoch can be computed at any time, in any order, by any
/// number of threads, and the result is the same on every machine.
public interface Sampler {
    /// The name of the sampler in checkpoints and on the command line.
    String name();

    /// The parameters that distinguish it from other samplers of its name: strings, numbers and booleans, small
    /// enough for a checkpoint.
    Map<String, Object> parameters();

    /// The number of records to sample from.
    long recordCount();

    /// The number of positions of an epoch.
    long length();

    /// The record at a position.
    ///
    /// @throws IndexOutOfBoundsException when the position is out of range
    long index(long epoch, long position);

    /// The records at consecutive positions.
    ///
    /// @param target memory for the 64-bit indices
    /// @throws IndexOutOfBoundsException when the positions are out of range
    default void fill(long epoch, long position, MemorySegment target) {
        long count = requirePositions(epoch, position, target);
        for (long i = 0; i < count; i++) {
            target.setAtIndex(U64, i, index(epoch, position + i));
        }
    }

    /// The records at positions with a stride.
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

    /// The position of a record in an epoch, for samplers that sample each record once; otherwise empty.
    ///
    /// @throws IndexOutOfBoundsException when the record or the epoch is out of range
    OptionalLong position(long epoch, long recordIndex);

    /// All positions of a record in an epoch, in ascending order. A sampler without an inverse is searched, in
    /// little memory.
    ///
    /// @throws IndexOutOfBoundsException when the record or the epoch is out of range
    default long[] positions(long epoch, long recordIndex) {
        return Places.search(this, epoch, recordIndex);
    }

    /// Describes the sampler for a checkpoint, as values for JSON from which [SamplerRecipe] makes it again.
    default Map<String, Object> recipe() {
        Map<String, Object> recipe = new LinkedHashMap<>();
        recipe.put("sampler", name());
        recipe.put("records", recordCount());
        recipe.put("parameters", parameters());
        return recipe;
    }

    /// Whether every epoch has every record exactly once.
    boolean isPermutation();

    /// The same sampler for another number of records.
    ///
    /// @throws IllegalArgumentException when the sampler is bound to its number of records
    default Sampler resized(long recordCount) {
        if (recordCount == recordCount()) {
            return this;
        }
        throw new IllegalArgumentException("the sampler " + name() + " was created for " + recordCount()
                + " records and cannot be resized to " + recordCount);
    }

    /// Whether this sampler has the order of a checkpoint of another sampler up to its position, so that a
    /// run can go on with it.
    default boolean continues(LoaderState state) {
        return false;
    }

    /// The number of fixed shares that the records are divided into; position `p` samples from share `p` modulo
    /// this number. If it is above 1, a rank takes all positions of its shares and no others, so that it reads
    /// only their records.
    default int shareCount() {
        return 1;
    }

    /// The first position that may repeat a record as padding.
    default long repeatsFrom() {
        return length();
    }

    /// Whether a position repeats a record, because its share has no other record left.
    default boolean isRepeat(long position) {
        return false;
    }

    /// Receives ranges of neighbouring records.
    @FunctionalInterface
    interface RangeVisitor {
        void at(long firstRecord, long recordCount);
    }

    /// Announces neighbouring records that will be sampled soon, so that they can be prefetched. A sampler that
    /// samples neighbours together announces them once, well before it samples them.
    ///
    /// @param position the first of some positions, with their stride and count
    default void ahead(long epoch, long position, long stride, long count, RangeVisitor visitor) {}

    /// The number of records that the sampler draws from at any time: they must be in memory for every record to
    /// be read from disk only once.
    default long spreadCount() {
        return recordCount();
    }

    /// The number of neighbouring records that are added to them at a time.
    default long neighbourCount() {
        return 1;
    }

    /// The end of the positions that are sampled from the same records as a position, such as a window of a few
    /// blocks. These records are best read together.
    default long togetherLimit(long epoch, long position) {
        return length();
    }

    /// For samplers: checks a number of records.
    static void requireCount(long recordCount) {
        if (recordCount < 0) {
            throw new IllegalArgumentException("the number of records must not be negative, got " + recordCount);
        }
    }

    /// For samplers: checks the positions of a [#fill].
    ///
    /// @return the number of positions
    default long requirePositions(long epoch, long position, MemorySegment target) {
        long count = target.byteSize() / U64.byteSize();
        if (epoch < 0 || position < 0 || position > length() - count) {
            throw new IndexOutOfBoundsException("positions " + position + " to " + (position + count - 1) + " of epoch "
                    + epoch + " are out of range: an epoch has " + length() + " positions");
        }
        return count;
    }

    /// For samplers: checks the position of an [#index].
    default void requirePosition(long epoch, long position) {
        if (epoch < 0 || position < 0 || position >= length()) {
            throw new IndexOutOfBoundsException("position " + position + " of epoch " + epoch
                    + " is out of range: an epoch has " + length() + " positions");
        }
    }

    /// For samplers: checks the record of a [#position].
    default void requireRecord(long epoch, long recordIndex) {
        if (epoch < 0 || recordIndex < 0 || recordIndex >= recordCount()) {
            throw new IndexOutOfBoundsException("record " + recordIndex + " of epoch " + epoch
                    + " is out of range: there are " + recordCount() + " records");
        }
    }
}
