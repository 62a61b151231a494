// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.store.StoreWriter;
import java.io.IOException;

/// Appends records to a store, and commits after each `commitRecords` records.
///
/// **Ownership.** Owns the store's writer. **Threads.** One thread at a time.
public final class StoreRecordWriter implements RecordWriter {
    private final StoreWriter writer;
    private final long commitRecords;
    private final long firstCount;
    private long appendedCount;
    private long committedCount;
    private Batch part;
    private boolean isClosed;

    /// @param commitRecords the number of records of a commit
    public StoreRecordWriter(StoreWriter writer, long commitRecords) {
        if (commitRecords < 1) {
            throw new IllegalArgumentException(
                    "the number of records of a commit must be at least 1, got " + commitRecords);
        }
        this.writer = writer;
        this.commitRecords = commitRecords;
        this.firstCount = writer.count();
    }

    @Override
    public long count() {
        return firstCount + appendedCount;
    }

    /// The number of records that were appended and committed.
    public long committedCount() {
        return committedCount;
    }

    /// @throws BadInput when a record does not fit; the message has its number
    @Override
    public void append(long[] indices, Batch batch) throws IOException {
        if (part == null) {
            part = Batch.create(batch.fields());
        }
        long done = 0;
        while (done < batch.rowCount()) {
            long limit = Math.min(batch.rowCount(), done + commitRecords - appendedCount % commitRecords);
            append(BatchRows.range(batch, done, limit, part));
            done = limit;
            if (appendedCount % commitRecords == 0) {
                commit();
            }
        }
    }

    private void append(Batch rows) throws IOException {
        try {
            writer.appendAll(rows);
        } catch (IllegalArgumentException e) {
            throw new BadInput("from record " + appendedCount + " of the input on: " + e.getMessage(), e);
        }
        appendedCount += rows.rowCount();
    }

    /// Commits the records so far, and returns the number of the commit.
    public long commit() throws IOException {
        long sequence = writer.commit();
        committedCount = appendedCount;
        return sequence;
    }

    @Override
    public void finish() throws IOException {
        if (committedCount < appendedCount) {
            commit();
        }
        isClosed = true;
        release();
        writer.close();
    }

    @Override
    public void close() throws IOException {
        if (!isClosed) {
            isClosed = true;
            release();
            writer.abort();
        }
    }

    private void release() {
        if (part != null) {
            part.close();
        }
    }
}
