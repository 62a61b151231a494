// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;

/// A batch of records from a loader.
///
/// **Ownership.** A batch of an iteration belongs to the loader: it may be used until the next one is requested. A
/// batch from [Loader#createBatch] belongs to the caller.
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
    /// The positions of the rows in the epoch, and which of them are left if some were skipped.
    private final Steps.Share share = new Steps.Share();

    private int[] keptRows = {};
    private boolean isPartial;
    /// Memory for the indices of the last number of records, kept because the next batch usually has the same
    /// number.
    private MemorySegment indices;

    private MemorySegment wholeIndices;
    /// The exception to throw instead of the batch, or null.
    private Throwable failure;

    /// The batch that was returned before this one, while both wait to be reused.
    private LoaderBatch below;

    LoaderBatch(Batch batch) {
        this.batch = batch;
    }

    /// The columns of the batch.
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

    /// The number of records.
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

    /// Exchanges the memory of [#indices] for other memory.
    ///
    /// @throws IllegalStateException when one of the buffers is closed; then nothing has changed
    public Buffer exchangeIndices(Buffer other) {
        indexBuffer.segment();
        other.segment();
        Buffer own = indexBuffer;
        indexBuffer = other;
        return own;
    }

    /// The step of the epoch, counted from the start of the epoch, also after a resume.
    public long step() {
        return step;
    }

    public long epoch() {
        return epoch;
    }

    /// The number of samples of the epoch before this step, on all ranks.
    public long position() {
        return position;
    }

    /// The position of a record in the epoch, which all ranks share, counted from 0.
    public long position(long rowIndex) {
        return positionOf((int) Objects.checkIndex(rowIndex, rowCount));
    }

    private long positionOf(int row) {
        return share.positionOf(isPartial ? keptRows[row] : row);
    }

    /// A seed for random augmentations of a record. It depends only on the epoch and the position of the record,
    /// and not on batch size, ranks, threads or interruptions.
    ///
    /// @param seed selects one of many such sequences
    public long seed(long rowIndex, long seed) {
        return seedOf((int) Objects.checkIndex(rowIndex, rowCount), seed);
    }

    /// [#seed] for a batch that is being made.
    long seedOf(int row, long seed) {
        return Mix.at(Mix.at(seed, epoch), positionOf(row));
    }

    /// The number of records that are repeated in this epoch, so that all ranks have the same number.
    public long paddedCount() {
        return padded.cardinality();
    }

    /// Whether a record is such a repetition.
    public boolean isPadded(long rowIndex) {
        return padded.get((int) Objects.checkIndex(rowIndex, rowCount));
    }

    /// The number of records that were skipped because they could not be read or transformed.
    public long skippedCount() {
        return skippedCount;
    }

    /// Starts a new batch and returns memory for its indices.
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

    /// Removes all records except some, which keep their order.
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

    LoaderBatch below() {
        return below;
    }

    void setBelow(LoaderBatch below) {
        this.below = below;
    }

    /// The size of all values in bytes; known even after the batch has been closed.
    long valueBytes() {
        return valueBytes;
    }

    long allocatedBytes() {
        return batch.allocatedBytes() + indexBuffer.size();
    }

    /// Frees the memory, unless a consumer still uses it, although the batch is no longer the consumer's. Then the
    /// memory is kept until the loader is closed.
    ///
    /// @return whether the memory was freed
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
