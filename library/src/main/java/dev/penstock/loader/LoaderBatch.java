// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.memory.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/// Records that a loader hands out.
///
/// **Ownership.** The loader's: the batch and its memory may be used until the next one is asked for.
public final class LoaderBatch implements AutoCloseable {
    private final Batch batch;
    private final Buffer indexBuffer = new Buffer();
    private long rowCount;
    private long step;
    private long epoch;
    private long paddedCount;
    private long skippedCount;

    LoaderBatch(Batch batch) {
        this.batch = batch;
    }

    /// The columns.
    public Batch batch() {
        return batch;
    }

    /// One column by its name.
    public Column column(String name) {
        return batch.column(name);
    }

    public List<Column> columns() {
        return batch.columns();
    }

    /// How many records there are.
    public long rowCount() {
        return rowCount;
    }

    /// The index of a record in the dataset.
    public long index(long rowIndex) {
        return indexBuffer.segment().getAtIndex(U64, Objects.checkIndex(rowIndex, rowCount));
    }

    /// The indices of all records, 64-bit little-endian.
    public MemorySegment indices() {
        return indexBuffer.segment().asSlice(0, rowCount * U64.byteSize());
    }

    /// Which step of the epoch this is, counted from where the loader began.
    public long step() {
        return step;
    }

    public long epoch() {
        return epoch;
    }

    /// How many records at the end come a second time in this epoch, so that all ranks have as many.
    public long paddedCount() {
        return paddedCount;
    }

    /// Whether a record comes a second time.
    public boolean isPadded(long rowIndex) {
        return Objects.checkIndex(rowIndex, rowCount) >= rowCount - paddedCount;
    }

    /// How many records were left out because they could not be read.
    public long skippedCount() {
        return skippedCount;
    }

    /// Room for indices.
    MemorySegment reserve(long count) {
        return indexBuffer.reserve(count * U64.byteSize()).asSlice(0, count * U64.byteSize());
    }

    void complete(long epoch, long step, long rowCount, long paddedCount, long skippedCount) {
        this.epoch = epoch;
        this.step = step;
        this.rowCount = rowCount;
        this.paddedCount = paddedCount;
        this.skippedCount = skippedCount;
    }

    long allocatedBytes() {
        return batch.allocatedBytes() + indexBuffer.size();
    }

    @Override
    public void close() {
        batch.close();
        indexBuffer.close();
    }
}
