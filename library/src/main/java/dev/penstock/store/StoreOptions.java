// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.memory.Disk;

/// How a store is written.
///
/// @param durability   what a commit waits for
/// @param batchRecords with [Durability#BATCH]: changed records after which commits are made durable
/// @param batchMillis  with [Durability#BATCH]: milliseconds after which commits are made durable
/// @param isSwapping   whether deleting moves the last record into the gap instead of leaving a tombstone; only
///                     when a store is created
/// @param chunkRows    rows after which a chunk is full; only when a store is created
/// @param chunkBytes   bytes after which a chunk is full
/// @param rotateBytes  bytes of the journal after which a new one begins
/// @param disk         where the files are
public record StoreOptions(
        Durability durability,
        long batchRecords,
        long batchMillis,
        boolean isSwapping,
        long chunkRows,
        long chunkBytes,
        long rotateBytes,
        Disk disk) {
    /// What is promised when a commit has returned.
    public enum Durability {
        /// The commit survives the end of the process. A power cut may take the last commits, the later ones
        /// first.
        NONE,
        /// As [#NONE], and commits become durable together: after some records or some milliseconds, whichever
        /// comes first.
        BATCH,
        /// The commit survives a power cut as well.
        COMMIT
    }

    private static final long BATCH_RECORDS = 1000;
    private static final long BATCH_MILLIS = 100;
    private static final long CHUNK_ROWS = 1 << 20;
    private static final long CHUNK_BYTES = 1L << 30;
    private static final long ROTATE_BYTES = 64L << 20;

    public static final StoreOptions DEFAULT = new StoreOptions(
            Durability.COMMIT, BATCH_RECORDS, BATCH_MILLIS, false, CHUNK_ROWS, CHUNK_BYTES, ROTATE_BYTES, Disk.real());

    public StoreOptions {
        if (chunkRows < 1 || chunkBytes < 1 || rotateBytes < 1 || batchRecords < 1 || batchMillis < 1) {
            throw new IllegalArgumentException(
                    "chunkRows, chunkBytes, rotateBytes, batchRecords and batchMillis must" + " be at least 1");
        }
    }

    public StoreOptions withDurability(Durability durability) {
        return new StoreOptions(
                durability, batchRecords, batchMillis, isSwapping, chunkRows, chunkBytes, rotateBytes, disk);
    }

    /// Commits become durable together, after so many changed records or milliseconds.
    public StoreOptions withBatch(long batchRecords, long batchMillis) {
        return new StoreOptions(
                Durability.BATCH, batchRecords, batchMillis, isSwapping, chunkRows, chunkBytes, rotateBytes, disk);
    }

    public StoreOptions withSwapping(boolean isSwapping) {
        return new StoreOptions(
                durability, batchRecords, batchMillis, isSwapping, chunkRows, chunkBytes, rotateBytes, disk);
    }

    public StoreOptions withChunkRows(long chunkRows) {
        return new StoreOptions(
                durability, batchRecords, batchMillis, isSwapping, chunkRows, chunkBytes, rotateBytes, disk);
    }

    public StoreOptions withChunkBytes(long chunkBytes) {
        return new StoreOptions(
                durability, batchRecords, batchMillis, isSwapping, chunkRows, chunkBytes, rotateBytes, disk);
    }

    public StoreOptions withRotateBytes(long rotateBytes) {
        return new StoreOptions(
                durability, batchRecords, batchMillis, isSwapping, chunkRows, chunkBytes, rotateBytes, disk);
    }

    public StoreOptions withDisk(Disk disk) {
        return new StoreOptions(
                durability, batchRecords, batchMillis, isSwapping, chunkRows, chunkBytes, rotateBytes, disk);
    }
}
