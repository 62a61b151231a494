// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.Disk;
import dev.penstock.file.Parallel;

/// Options for writing a store.
///
/// @param durability   what a commit waits for
/// @param batchRecords with [Durability#BATCH]: the number of changed records after which commits are made durable
/// @param batchMillis  with [Durability#BATCH]: the milliseconds after which commits are made durable, or
///                     `Long.MAX_VALUE` for no limit
/// @param isSwapping   whether a delete moves the last record into the gap instead of leaving a tombstone; used
///                     only when a store is created
/// @param chunkRows    the number of rows after which a chunk is full; used only when a store is created
/// @param chunkBytes   the number of bytes after which a chunk is full
/// @param rotateBytes  the size of the journal after which a new one is started
/// @param writers      the number of threads that compress and write values at the same time, 1 to [#WRITERS_MAX],
///                     each to its own chunk; other threads wait
/// @param closeMillis  the milliseconds after which [StoreWriter#close] returns even if the disk or another thread
///                     blocks it
/// @param disk         the disk that holds the files
public record StoreOptions(
        Durability durability,
        long batchRecords,
        long batchMillis,
        boolean isSwapping,
        long chunkRows,
        long chunkBytes,
        long rotateBytes,
        int writers,
        long closeMillis,
        Disk disk) {
    /// The guarantee when a commit has returned.
    public enum Durability {
        /// The commit survives the end of the process. A power failure may lose the last commits, the latest
        /// first.
        NONE,
        /// Like [#NONE], but commits become durable together: after some records or some milliseconds, whichever
        /// comes first.
        BATCH,
        /// The commit also survives a power failure.
        COMMIT
    }

    /// The largest number of writers of a store.
    public static final int WRITERS_MAX = 4;

    private static final long BATCH_RECORDS = 1000;
    private static final long BATCH_MILLIS = 100;
    private static final long CHUNK_ROWS = 1 << 20;
    private static final long CHUNK_BYTES = 1L << 30;
    private static final long ROTATE_BYTES = 64L << 20;
    private static final long CLOSE_MILLIS = 60_000;

    public static final StoreOptions DEFAULT = new StoreOptions(
            Durability.COMMIT,
            BATCH_RECORDS,
            BATCH_MILLIS,
            false,
            CHUNK_ROWS,
            CHUNK_BYTES,
            ROTATE_BYTES,
            defaultWriters(),
            CLOSE_MILLIS,
            Disk.real());

    public StoreOptions {
        if (chunkRows < 1 || chunkBytes < 1 || rotateBytes < 1 || batchRecords < 1 || batchMillis < 1) {
            throw new IllegalArgumentException(
                    "chunkRows, chunkBytes, rotateBytes, batchRecords and batchMillis must" + " be at least 1");
        }
        if (writers < 1 || writers > WRITERS_MAX) {
            throw new IllegalArgumentException("writers must be between 1 and " + WRITERS_MAX + ", got " + writers);
        }
        if (closeMillis < 1) {
            throw new IllegalArgumentException("closeMillis must be at least 1, got " + closeMillis);
        }
    }

    /// The default number of writers: one for each core.
    public static int defaultWriters() {
        return Math.min(WRITERS_MAX, Parallel.defaultThreads());
    }

    public StoreOptions withDurability(Durability durability) {
        return new StoreOptions(
                durability,
                batchRecords,
                batchMillis,
                isSwapping,
                chunkRows,
                chunkBytes,
                rotateBytes,
                writers,
                closeMillis,
                disk);
    }

    /// Makes commits durable together, after a number of changed records or milliseconds.
    public StoreOptions withBatch(long batchRecords, long batchMillis) {
        return new StoreOptions(
                Durability.BATCH,
                batchRecords,
                batchMillis,
                isSwapping,
                chunkRows,
                chunkBytes,
                rotateBytes,
                writers,
                closeMillis,
                disk);
    }

    public StoreOptions withSwapping(boolean isSwapping) {
        return new StoreOptions(
                durability,
                batchRecords,
                batchMillis,
                isSwapping,
                chunkRows,
                chunkBytes,
                rotateBytes,
                writers,
                closeMillis,
                disk);
    }

    public StoreOptions withChunkRows(long chunkRows) {
        return new StoreOptions(
                durability,
                batchRecords,
                batchMillis,
                isSwapping,
                chunkRows,
                chunkBytes,
                rotateBytes,
                writers,
                closeMillis,
                disk);
    }

    public StoreOptions withChunkBytes(long chunkBytes) {
        return new StoreOptions(
                durability,
                batchRecords,
                batchMillis,
                isSwapping,
                chunkRows,
                chunkBytes,
                rotateBytes,
                writers,
                closeMillis,
                disk);
    }

    public StoreOptions withRotateBytes(long rotateBytes) {
        return new StoreOptions(
                durability,
                batchRecords,
                batchMillis,
                isSwapping,
                chunkRows,
                chunkBytes,
                rotateBytes,
                writers,
                closeMillis,
                disk);
    }

    public StoreOptions withWriters(int writers) {
        return new StoreOptions(
                durability,
                batchRecords,
                batchMillis,
                isSwapping,
                chunkRows,
                chunkBytes,
                rotateBytes,
                writers,
                closeMillis,
                disk);
    }

    public StoreOptions withCloseMillis(long closeMillis) {
        return new StoreOptions(
                durability,
                batchRecords,
                batchMillis,
                isSwapping,
                chunkRows,
                chunkBytes,
                rotateBytes,
                writers,
                closeMillis,
                disk);
    }

    public StoreOptions withDisk(Disk disk) {
        return new StoreOptions(
                durability,
                batchRecords,
                batchMillis,
                isSwapping,
                chunkRows,
                chunkBytes,
                rotateBytes,
                writers,
                closeMillis,
                disk);
    }
}
