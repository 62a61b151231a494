// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

/// Counts of what a loader has delivered.
///
/// **Threads.** Safe for any number of threads.
final class LoaderCounts {
    private long batches;
    private long rows;
    private long bytes;
    private long skippedRows;
    private long waitNanos;

    synchronized void add(LoaderBatch batch, long waitNanos) {
        batches++;
        rows += batch.rowCount();
        bytes += batch.valueBytes();
        skippedRows += batch.skippedCount();
        this.waitNanos += waitNanos;
    }

    synchronized LoaderStats stats(LoaderMemory memory) {
        return new LoaderStats(
                batches,
                rows,
                bytes,
                skippedRows,
                waitNanos,
                memory.fillNanos(),
                memory.queuedCount(),
                memory.heldBytes(),
                memory.remoteCounts());
    }
}
