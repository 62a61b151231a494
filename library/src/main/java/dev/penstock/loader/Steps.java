// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;

/// Divides the positions of an epoch into the batches of the ranks.
///
/// A step takes the next `batchSize * worldSize` positions of the sequence that all ranks share, and each rank
/// takes `batchSize` of them: consecutive ones or, if the sequence is divided into shares, every position of its
/// own modulo the number of ranks. So the sequence does not depend on the batch size and the number of ranks, and
/// a run that stopped after some samples can continue with any other numbers.
///
/// The rest at the end makes a smaller step: each rank takes an equal share, rounded up, and missing positions are
/// filled with the first ones of the epoch, fewer than there are ranks. Alternatively the rest is dropped. For an
/// evaluation that counts every record once, nothing is filled up: the ranks then differ by one position, and a
/// rank without a position has one step less.
///
/// @param length         the number of positions of an epoch
/// @param start          the position at which this run begins
/// @param batchSize      the number of positions of one rank in a whole step
/// @param isDroppingLast whether the smaller step is dropped
/// @param isEven         whether all ranks have the same number of positions in every step, by repeating positions
/// @param isStrided      whether each rank has positions of its own
record Steps(
        long length,
        long start,
        long batchSize,
        int worldSize,
        boolean isDroppingLast,
        boolean isEven,
        boolean isStrided) {
    Steps {
        if (batchSize < 1) {
            throw new IllegalArgumentException("batchSize must be at least 1, got " + batchSize);
        }
        if (start < 0 || start > length) {
            throw new IllegalArgumentException("start must be from 0 to " + length + ", got " + start);
        }
        Math.multiplyExact(batchSize, worldSize);
    }

    /// The steps of a sampler from a position on, with the same number of positions on all ranks.
    static Steps of(Sampler sampler, long start, long batchSize, int worldSize, boolean isDroppingLast) {
        return of(sampler, start, batchSize, worldSize, isDroppingLast, true);
    }

    static Steps of(
            Sampler sampler, long start, long batchSize, int worldSize, boolean isDroppingLast, boolean isEven) {
        int shareCount = sampler.shareCount();
        if (shareCount > 1 && shareCount % worldSize != 0) {
            throw new IllegalArgumentException(shareCount + " shares cannot be divided among " + worldSize
                    + " ranks: create the sampler with a multiple of " + worldSize + " shares");
        }
        long length = isDroppingLast || !isEven ? sampler.repeatsFrom() : sampler.length();
        return new Steps(length, Math.min(start, length), batchSize, worldSize, isDroppingLast, isEven, shareCount > 1);
    }

    /// The part of a step that one rank takes. It is reused, because it is computed for every batch.
    static final class Share {
        /// The first position, and the distance from one to the next.
        long position;

        long stride;
        /// The number of positions of the epoch.
        long realCount;
        /// The number of positions that are repeated from the beginning of the epoch, and the first of them.
        long paddedCount;

        long padPosition;

        long count() {
            return realCount + paddedCount;
        }

        /// Copies another share.
        void set(Share other) {
            position = other.position;
            stride = other.stride;
            realCount = other.realCount;
            paddedCount = other.paddedCount;
            padPosition = other.padPosition;
        }

        /// The position of a row.
        long positionOf(long row) {
            return row < realCount ? position + row * stride : padPosition + (row - realCount) * stride;
        }

        /// Computes the records of these positions.
        ///
        /// @param indices memory for [#count] indices
        void fill(Sampler sampler, long epoch, MemorySegment indices) {
            if (paddedCount == 0) {
                sampler.fill(epoch, position, stride, indices);
            } else {
                long realBytes = realCount * U64.byteSize();
                sampler.fill(epoch, position, stride, indices.asSlice(0, realBytes));
                sampler.fill(epoch, padPosition, stride, indices.asSlice(realBytes));
            }
        }

        /// Whether some row repeats a record.
        boolean hasPadded(Sampler sampler) {
            return paddedCount > 0 || position + (realCount - 1) * stride >= sampler.repeatsFrom();
        }

        /// Whether a row repeats a record.
        boolean isPadded(Sampler sampler, long row) {
            return row >= realCount || sampler.isRepeat(position + row * stride);
        }
    }

    /// The number of positions of a whole step.
    long stepSize() {
        return batchSize * worldSize;
    }

    /// The number of steps from the start to the end of the epoch.
    long count() {
        long left = length - start;
        return isDroppingLast ? left / stepSize() : Math.ceilDiv(left, stepSize());
    }

    /// The number of steps of one rank, which has no last step if there is no position for it.
    long count(int rank) {
        long count = count();
        if (isEven || count == 0) {
            return count;
        }
        Share last = new Share();
        share(count - 1, rank, last);
        return last.count() == 0 ? count - 1 : count;
    }

    /// The number of samples of the epoch that all ranks have delivered after `stepCount` steps.
    long deliveredAfter(long stepCount) {
        return Math.min(length, start + stepCount * stepSize());
    }

    /// The first position of a step.
    long stepStart(long step) {
        return start + step * stepSize();
    }

    /// The number of a step, counted from the start of the epoch. After a resume in the middle of a step, which
    /// happens with another batch size or number of ranks, it is the step of its first sample.
    long stepOfEpoch(long step) {
        return stepStart(step) / stepSize();
    }

    void share(long step, int rank, Share share) {
        long stepStart = stepStart(step);
        long left = Math.min(stepSize(), length - stepStart);
        long each = Math.ceilDiv(left, worldSize);
        if (isStrided) {
            long before = Math.floorMod(rank - stepStart, (long) worldSize);
            share.position = stepStart + before;
            share.stride = worldSize;
            share.realCount = Math.min(each, Math.ceilDiv(Math.max(0, left - before), worldSize));
            share.paddedCount = isEven ? each - share.realCount : 0;
            share.padPosition = rank;
        } else if (!isEven) {
            long least = left / worldSize;
            long more = left % worldSize;
            share.position = stepStart + rank * least + Math.min(rank, more);
            share.stride = 1;
            share.realCount = least + (rank < more ? 1 : 0);
            share.paddedCount = 0;
            share.padPosition = 0;
        } else {
            long before = Math.min(left, rank * each);
            share.position = stepStart + before;
            share.stride = 1;
            share.realCount = Math.min(each, left - before);
            share.paddedCount = each - share.realCount;
            share.padPosition = share.paddedCount == 0 ? 0 : (rank * each + share.realCount - left) % length;
        }
    }

    /// The step of a position, which may be in the part that is dropped.
    long stepOf(long position) {
        return (position - start) / stepSize();
    }

    /// The rank of a position.
    int rankOf(long position) {
        if (isStrided) {
            return (int) (position % worldSize);
        }
        long stepStart = stepStart(stepOf(position));
        long left = Math.min(stepSize(), length - stepStart);
        long inStep = position - stepStart;
        if (isEven) {
            return (int) (inStep / Math.ceilDiv(left, worldSize));
        }
        // The first ranks have one position more.
        long least = left / worldSize;
        long ofLarger = left % worldSize * (least + 1);
        return (int) (inStep < ofLarger ? inStep / (least + 1) : left % worldSize + (inStep - ofLarger) / least);
    }
}
