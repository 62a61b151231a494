// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.memory.Layouts.U64;

import java.lang.foreign.MemorySegment;

/// How the positions of an epoch become the batches of the ranks.
///
/// A step takes the next `batchSize * worldSize` positions of the one sequence that all ranks share, and each
/// rank `batchSize` of them: a run of neighbours or, of a sequence that is divided into shares, every position
/// that is its own modulo the number of ranks. So the sequence is the same whatever the batch size and the number
/// of ranks, and a run that stopped after some samples goes on behind them with any other.
///
/// What is left at the end makes a smaller step: each rank takes an equal share, rounded up, and where there
/// are not enough positions the first ones of the epoch fill up, fewer than there are ranks. Or it is left out.
///
/// @param length         positions of an epoch
/// @param start          where this run begins in the epoch
/// @param batchSize      positions of one rank in a whole step
/// @param isDroppingLast whether the smaller step is left out
/// @param isStrided      whether a rank has positions of its own
record Steps(long length, long start, long batchSize, int worldSize, boolean isDroppingLast, boolean isStrided) {
    Steps {
        if (batchSize < 1 || start < 0 || start > length) {
            throw new IllegalArgumentException("batches of " + batchSize + " from position " + start + " of " + length);
        }
        Math.multiplyExact(batchSize, worldSize);
    }

    /// The steps of an order from a position on.
    static Steps of(Sampler sampler, long start, long batchSize, int worldSize, boolean isDroppingLast) {
        int shareCount = sampler.shareCount();
        if (shareCount > 1 && shareCount % worldSize != 0) {
            throw new IllegalArgumentException(shareCount + " shares cannot be divided among " + worldSize
                    + " ranks: make the order with a multiple of " + worldSize + " shares");
        }
        long length = isDroppingLast ? sampler.repeatsFrom() : sampler.length();
        return new Steps(length, Math.min(start, length), batchSize, worldSize, isDroppingLast, shareCount > 1);
    }

    /// The part of a step that one rank takes. Filled again and again, for it is asked for with every batch.
    static final class Share {
        /// The first position, and how far it is from one to the next.
        long position;

        long stride;
        /// Positions of the epoch.
        long realCount;
        /// Positions from the beginning of the epoch that come again to fill up, and the first of them.
        long paddedCount;

        long padPosition;

        long count() {
            return realCount + paddedCount;
        }

        /// Becomes a copy of another.
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

        /// The records of these positions.
        ///
        /// @param indices room for [#count] of them
        void fill(Sampler sampler, long epoch, MemorySegment indices) {
            if (paddedCount == 0) {
                sampler.fill(epoch, position, stride, indices);
            } else {
                long realBytes = realCount * U64.byteSize();
                sampler.fill(epoch, position, stride, indices.asSlice(0, realBytes));
                sampler.fill(epoch, padPosition, stride, indices.asSlice(realBytes));
            }
        }

        /// Whether some row has a record that came before.
        boolean hasPadded(Sampler sampler) {
            return paddedCount > 0 || position + (realCount - 1) * stride >= sampler.repeatsFrom();
        }

        /// Whether a row has a record that came before.
        boolean isPadded(Sampler sampler, long row) {
            return row >= realCount || sampler.isRepeat(position + row * stride);
        }
    }

    /// Positions of a whole step.
    long stepSize() {
        return batchSize * worldSize;
    }

    /// Steps from the start to the end of the epoch.
    long count() {
        long left = length - start;
        return isDroppingLast ? left / stepSize() : Math.ceilDiv(left, stepSize());
    }

    /// Samples of the epoch that are delivered, by all ranks, after so many steps.
    long deliveredAfter(long stepCount) {
        return Math.min(length, start + stepCount * stepSize());
    }

    /// Where a step begins.
    long stepStart(long step) {
        return start + step * stepSize();
    }

    /// The number of a step counted from the start of the epoch. After a resume in the middle of a step, which
    /// another batch size or another number of ranks makes possible, it is the step that its first sample is in.
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
            share.paddedCount = each - share.realCount;
            share.padPosition = rank;
        } else {
            long before = Math.min(left, rank * each);
            share.position = stepStart + before;
            share.stride = 1;
            share.realCount = Math.min(each, left - before);
            share.paddedCount = each - share.realCount;
            share.padPosition = share.paddedCount == 0 ? 0 : (rank * each + share.realCount - left) % length;
        }
    }

    /// The step that a position falls to; it may be in the part that is left out.
    long stepOf(long position) {
        return (position - start) / stepSize();
    }

    /// The rank that a position falls to.
    int rankOf(long position) {
        if (isStrided) {
            return (int) (position % worldSize);
        }
        long stepStart = stepStart(stepOf(position));
        long left = Math.min(stepSize(), length - stepStart);
        return (int) ((position - stepStart) / Math.ceilDiv(left, worldSize));
    }
}
