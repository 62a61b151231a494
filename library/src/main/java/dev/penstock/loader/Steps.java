// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

/// How the positions of an epoch become the batches of the ranks.
///
/// A step takes the next `batchSize * worldSize` positions of the one sequence that all ranks share, and each
/// rank a run of `batchSize` of them. So the sequence is the same whatever the batch size and the number of
/// ranks, and a run that stopped after some samples goes on behind them with any other.
///
/// What is left at the end makes a smaller step: each rank takes an equal share, rounded up, and where there
/// are not enough positions the first ones of the epoch fill up, fewer than there are ranks. Or it is left out.
///
/// @param length         positions of an epoch
/// @param start          where this run begins in the epoch
/// @param batchSize      positions of one rank in a whole step
/// @param isDroppingLast whether the smaller step is left out
record Steps(long length, long start, long batchSize, int worldSize, boolean isDroppingLast) {
    Steps {
        if (batchSize < 1 || start < 0 || start > length) {
            throw new IllegalArgumentException("batches of " + batchSize + " from position " + start + " of " + length);
        }
        Math.multiplyExact(batchSize, worldSize);
    }

    /// The part of a step that one rank takes.
    ///
    /// @param position    the first position
    /// @param realCount   positions of the epoch
    /// @param paddedCount first positions of the epoch that come again to fill up
    /// @param padPosition the first of them
    record Share(long position, long realCount, long paddedCount, long padPosition) {
        long count() {
            return realCount + paddedCount;
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

    Share share(long step, int rank) {
        long stepStart = start + step * stepSize();
        long left = Math.min(stepSize(), length - stepStart);
        long each = Math.ceilDiv(left, worldSize);
        long before = Math.min(left, rank * each);
        long realCount = Math.min(each, left - before);
        long paddedCount = each - realCount;
        long padPosition = paddedCount == 0 ? 0 : (rank * each + realCount - left) % length;
        return new Share(stepStart + before, realCount, paddedCount, padPosition);
    }

    /// The step and rank that a position falls to; it may be in the part that is left out.
    long stepOf(long position) {
        return (position - start) / stepSize();
    }
}
