// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.memory.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;

/// Records that a loader hands out.
///
/// **Ownership.** The loader's when it comes out of an iteration: the batch and its memory may then be used until
/// the next one is asked for. One made by [Loader#createBatch] is the caller's.
public final class LoaderBatch implements AutoCloseable {
    private final Batch batch;
    private Buffer indexBuffer = new Buffer();
    private final BitSet padded = new BitSet();
    private long rowCount;
    private long step;
    private long epoch;
    private long position;
    private long skippedCount;
    private long valueBytes;
    /// Where the rows stand in the order of the epoch, and which of them are left when some were skipped.
    private final Steps.Share share = new Steps.Share();

    private int[] keptRows = {};
    private boolean isPartial;
    /// Room for the indices of as many records as the last batch had, kept because the next has as many.
    private MemorySegment indices;

    private MemorySegment wholeIndices;
    /// What is to be raised in place of the batch, or null.
    private Throwable failure;

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

    /// Gives away the memory of [#indices] for other memory, and with it the indices.
    ///
    /// @throws IllegalStateException when one of them is closed; then nothing has changed
    public Buffer exchangeIndices(Buffer other) {
        indexBuffer.segment();
        other.segment();
        Buffer own = indexBuffer;
        indexBuffer = other;
        return own;
    }

    /// Which step of the epoch this is, counted from the start of the epoch, also after a resume.
    public long step() {
        return step;
    }

    public long epoch() {
        return epoch;
    }

    /// How many samples of the epoch come before this step, on all ranks.
    public long position() {
        return position;
    }

    /// Where a record stands in the order of the epoch that all ranks share, counted from 0.
    public long position(long rowIndex) {
        int row = (int) Objects.checkIndex(rowIndex, rowCount);
        return share.positionOf(isPartial ? keptRows[row] : row);
    }

    /// A seed for random changes to a record. It depends on the epoch and on where the record stands in it, and
    /// on nothing else: batch size, ranks, threads and interruptions leave it as it is.
    ///
    /// @param seed chooses one of many such sequences
    public long seed(long rowIndex, long seed) {
        return Mix.at(Mix.at(seed, epoch), position(rowIndex));
    }

    /// How many records come a second time in this epoch, only so that all ranks have as many.
    public long paddedCount() {
        return padded.cardinality();
    }

    /// Whether a record comes a second time.
    public boolean isPadded(long rowIndex) {
        return padded.get((int) Objects.checkIndex(rowIndex, rowCount));
    }

    /// How many records were left out because they could not be read or transformed.
    public long skippedCount() {
        return skippedCount;
    }

    /// Begins anew: room for indices.
    MemorySegment begin(long epoch, long step, long position, Steps.Share from) {
        long count = from.count();
        share.set(from);
        isPartial = false;
        this.epoch = epoch;
        this.step = step;
        this.position = position;
        this.rowCount = 0;
        this.skippedCount = 0;
        padded.clear();
        MemorySegment whole = indexBuffer.reserve(count * U64.byteSize());
        if (indices == null || wholeIndices != whole || indices.byteSize() != count * U64.byteSize()) {
            indices = whole.asSlice(0, count * U64.byteSize());
            wholeIndices = whole;
        }
        return indices;
    }

    void pad(long rowIndex) {
        padded.set((int) rowIndex);
    }

    /// Leaves out all records but some of those there were, which keep their order.
    void keep(BitSet kept) {
        MemorySegment indices = indexBuffer.segment();
        int[] rows = new int[kept.cardinality()];
        int to = 0;
        for (int row = kept.nextSetBit(0); row >= 0; row = kept.nextSetBit(row + 1)) {
            indices.setAtIndex(U64, to, indices.getAtIndex(U64, row));
            rows[to] = isPartial ? keptRows[row] : row;
            padded.set(to++, padded.get(row));
        }
        padded.clear(to, Math.max(to, padded.length()));
        keptRows = rows;
        isPartial = true;
    }

    void complete(long rowCount, long skippedCount) {
        this.rowCount = rowCount;
        this.skippedCount = skippedCount;
        this.valueBytes = 0;
        for (int i = 0; i < batch.columns().size(); i++) {
            valueBytes += batch.column(i).valueBytes();
        }
    }

    Throwable failure() {
        return failure;
    }

    void setFailure(Throwable failure) {
        this.failure = failure;
    }

    /// Bytes of all values; known even when the batch has been closed meanwhile.
    long valueBytes() {
        return valueBytes;
    }

    long allocatedBytes() {
        return batch.allocatedBytes() + indexBuffer.size();
    }

    /// Gives up the memory, unless a consumer still writes it somewhere, though the batch is no longer his: then
    /// it stays until the loader is closed.
    ///
    /// @return whether it is gone
    boolean tryTrim() {
        rowCount = 0;
        try {
            batch.trim();
            indexBuffer.trim();
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    @Override
    public void close() {
        rowCount = 0;
        batch.close();
        indexBuffer.close();
    }
}
