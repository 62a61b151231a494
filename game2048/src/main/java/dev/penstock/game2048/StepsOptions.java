// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.Parallel;
import dev.penstock.game2048.StepRows.MissingBranches;

/// Options for building a steps dataset or appending to one.
///
/// @param shardRows             the number of rows after which a new shard begins; 0 writes one file `steps.npy`
/// @param workers               the number of threads that decode runs
/// @param isSynthesizing        whether steps without branch values get the legal moves of the board, with the
///                              value 1 for the chosen move; otherwise their run is rejected
/// @param isSkippingBad         whether runs that cannot be used are skipped and reported; otherwise the first one
///                              throws an exception
/// @param isWide                whether the step index has 32 bits, for runs of more than 65,536 steps
/// @param disk                  the disk that holds the dataset
/// @param progress              receives the number of runs
public record StepsOptions(
        long shardRows,
        int workers,
        boolean isSynthesizing,
        boolean isSkippingBad,
        boolean isWide,
        Disk disk,
        Progress progress) {
    private static final int WORKERS_MAX = 1024;

    public static final StepsOptions DEFAULT =
            new StepsOptions(0, Parallel.defaultThreads(), false, false, false, Disk.real(), Progress.NONE);

    public StepsOptions {
        if (shardRows < 0) {
            throw new IllegalArgumentException(
                    "shardRows must be at least 1, or 0 for a single file, got " + shardRows);
        }
        if (workers < 1 || workers > WORKERS_MAX) {
            throw new IllegalArgumentException("workers must be between 1 and " + WORKERS_MAX + ", got " + workers);
        }
    }

    public StepsOptions withShardRows(long shardRows) {
        return new StepsOptions(shardRows, workers, isSynthesizing, isSkippingBad, isWide, disk, progress);
    }

    public StepsOptions withWorkers(int workers) {
        return new StepsOptions(shardRows, workers, isSynthesizing, isSkippingBad, isWide, disk, progress);
    }

    public StepsOptions withSynthesizing(boolean isSynthesizing) {
        return new StepsOptions(shardRows, workers, isSynthesizing, isSkippingBad, isWide, disk, progress);
    }

    public StepsOptions withSkippingBad(boolean isSkippingBad) {
        return new StepsOptions(shardRows, workers, isSynthesizing, isSkippingBad, isWide, disk, progress);
    }

    public StepsOptions withWide(boolean isWide) {
        return new StepsOptions(shardRows, workers, isSynthesizing, isSkippingBad, isWide, disk, progress);
    }

    public StepsOptions withDisk(Disk disk) {
        return new StepsOptions(shardRows, workers, isSynthesizing, isSkippingBad, isWide, disk, progress);
    }

    public StepsOptions withProgress(Progress progress) {
        return new StepsOptions(shardRows, workers, isSynthesizing, isSkippingBad, isWide, disk, progress);
    }

    MissingBranches missingBranches() {
        return isSynthesizing ? MissingBranches.SYNTHESIZE : MissingBranches.ERROR;
    }
}
