// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.LoaderStats;
import java.util.Iterator;

/// The result of running a loader for some time, with a baseline measured before and after.
///
/// @param warmUpSeconds the duration of the warm-up, which is not counted
/// @param seconds       the measured duration
/// @param done          the batches, rows and bytes that were delivered in that time
/// @param waits         how long the consumer waited for each batch
/// @param floorBefore   plain copies of a batch per second, measured before
/// @param floorAfter    the same, measured after
record BenchResult(
        double warmUpSeconds,
        double seconds,
        LoaderStats done,
        WaitTimes waits,
        double floorBefore,
        double floorAfter) {
    private static final double WARM_UP_SECONDS_MAX = 1;
    private static final double FLOOR_SECONDS_MAX = 0.5;

    /// @param progress receives milliseconds
    static BenchResult of(Dataset dataset, LoaderOptions options, double seconds, Progress progress) {
        double warmUpSeconds = Math.min(WARM_UP_SECONDS_MAX, seconds);
        double floorSeconds = Math.min(FLOOR_SECONDS_MAX, seconds);
        try (Loader loader = Loader.open(dataset, options)) {
            Consumer consumer = new Consumer(loader, progress, warmUpSeconds + seconds + 2 * floorSeconds);
            double warmedUp = consumer.run(warmUpSeconds, new WaitTimes());
            LoaderStats warm = loader.stats();
            long batchBytes = warm.bytes() / Math.max(1, warm.batches());
            double before = CopyFloor.batchesPerSecond(batchBytes, dataset.bytes(), floorSeconds);
            // Batches that were prefetched meanwhile are not counted, because taking them needs no waiting.
            consumer.drain();
            LoaderStats start = loader.stats();
            WaitTimes waits = new WaitTimes();
            double taken = consumer.run(seconds, waits);
            LoaderStats done = difference(loader.stats(), start);
            double after = CopyFloor.batchesPerSecond(batchBytes, dataset.bytes(), floorSeconds);
            return new BenchResult(warmedUp, taken, done, waits, before, after);
        }
    }

    private static LoaderStats difference(LoaderStats end, LoaderStats start) {
        return new LoaderStats(
                end.batches() - start.batches(),
                end.rows() - start.rows(),
                end.bytes() - start.bytes(),
                end.skippedRows() - start.skippedRows(),
                end.waitNanos() - start.waitNanos(),
                end.gatherNanos() - start.gatherNanos(),
                end.queuedCount(),
                end.heldBytes(),
                end.remote() == null ? null : end.remote().minus(start.remote()));
    }

    double batchesPerSecond() {
        return done.batches() / seconds;
    }

    double rowsPerSecond() {
        return done.rows() / seconds;
    }

    double bytesPerSecond() {
        return done.bytes() / seconds;
    }

    /// The mean of both baseline measurements.
    double floorBatchesPerSecond() {
        return (floorBefore + floorAfter) / 2;
    }

    double batchBytes() {
        return (double) done.bytes() / done.batches();
    }

    double ratio() {
        return batchesPerSecond() / floorBatchesPerSecond();
    }

    /// Takes batch after batch, for as many epochs as necessary.
    private static final class Consumer {
        private final Loader loader;
        private final Progress progress;
        private final double totalSeconds;
        private final long start = System.nanoTime();
        private Iterator<LoaderBatch> batches;

        Consumer(Loader loader, Progress progress, double totalSeconds) {
            this.loader = loader;
            this.progress = progress;
            this.totalSeconds = totalSeconds;
            this.batches = loader.iterator();
        }

        /// @return the measured seconds
        double run(double seconds, WaitTimes waits) {
            long from = System.nanoTime();
            long limit = from + (long) (seconds * 1e9);
            long now = from;
            while (now < limit) {
                take();
                long then = System.nanoTime();
                waits.add(then - now);
                now = then;
                progress.at((now - start) / 1_000_000, (long) (totalSeconds * 1e3));
            }
            return (now - from) / 1e9;
        }

        private void take() {
            while (!batches.hasNext()) {
                batches = loader.iterator();
            }
            batches.next();
        }

        /// Takes the batches that are ready.
        void drain() {
            for (long left = loader.stats().queuedCount(); left > 0; left--) {
                take();
            }
        }
    }
}
