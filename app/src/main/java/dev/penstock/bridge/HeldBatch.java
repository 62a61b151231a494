// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.loader.LoaderBatch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalLong;

/// A batch whose memory Python uses as arrays until it releases the batch.
///
/// Rare calls are JSON; a batch is numbers and addresses. A call in JSON takes 30 us and can
/// carry any arguments; a batch must take only a few microseconds.
///
/// **Ownership.** The batch owns its memory, which outlives the dataset and the loader it came from.
final class HeldBatch implements AutoCloseable {
    /// The number of values before those of the columns.
    static final int HEAD_COUNT = 8;

    /// The number of values for each column: the address of its data, the size of the data, the address of its
    /// offsets or 0, and the address of its mask of missing values or 0.
    static final int COLUMN_COUNT = 4;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final Batch batch;
    private final HeldBatches pool;
    private Buffer indices = new Buffer();
    private final Buffer padded = new Buffer();
    private final Buffer seeds = new Buffer();
    private long rowCount;
    private long epoch;
    private long step;
    private long position;
    private long skippedCount;
    private long indexAddress;
    private long paddedAddress;
    private long seedAddress;

    /// The number of bytes it had when it was released.
    private long idleBytes;

    HeldBatch(Batch batch, HeldBatches pool) {
        this.batch = batch;
        this.pool = pool;
    }

    Batch batch() {
        return batch;
    }

    /// Takes over the batch of a loader by exchanging memory with it.
    ///
    /// @param seed the seed from which the records get their own seeds, if any
    void takeOver(LoaderBatch from, OptionalLong seed) {
        for (int i = 0; i < batch.columns().size(); i++) {
            batch.column(i).exchange(from.columns().get(i));
        }
        batch.complete(from.rowCount());
        rowCount = from.rowCount();
        epoch = from.epoch();
        step = from.step();
        position = from.position();
        skippedCount = from.skippedCount();
        paddedAddress = from.paddedCount() == 0 ? 0 : markPadded(from);
        seedAddress = seed.isPresent() ? makeSeeds(from, seed.getAsLong()) : 0;
        indices = from.exchangeIndices(indices);
        indexAddress = indices.segment().address();
    }

    private long markPadded(LoaderBatch from) {
        MemorySegment mask = padded.reserve(rowCount);
        for (long row = 0; row < rowCount; row++) {
            mask.set(ValueLayout.JAVA_BYTE, row, (byte) (from.isPadded(row) ? 1 : 0));
        }
        return mask.address();
    }

    private long makeSeeds(LoaderBatch from, long seed) {
        MemorySegment made = seeds.reserve(rowCount * WORD.byteSize());
        for (long row = 0; row < rowCount; row++) {
            made.setAtIndex(WORD, row, from.seed(row, seed));
        }
        return made.address();
    }

    /// Writes the addresses and sizes of all parts.
    void describe(MemorySegment info) {
        long[] head = {batch.rowCount(), epoch, step, position, skippedCount, indexAddress, paddedAddress, seedAddress};
        for (int i = 0; i < HEAD_COUNT; i++) {
            info.setAtIndex(WORD, i, head[i]);
        }
        for (int i = 0; i < batch.columns().size(); i++) {
            Column column = batch.column(i);
            long at = HEAD_COUNT + (long) COLUMN_COUNT * i;
            info.setAtIndex(WORD, at, column.values().address());
            info.setAtIndex(WORD, at + 1, column.valueBytes());
            info.setAtIndex(
                    WORD, at + 2, column.field().isVariable() ? column.offsets().address() : 0);
            info.setAtIndex(WORD, at + 3, column.hasMissing() ? column.missing().address() : 0);
        }
    }

    /// Registers the batch under a number.
    void lend(long handle) {
        Handles.put(handle, this);
    }

    /// The number of bytes allocated.
    long allocatedBytes() {
        return batch.allocatedBytes() + indices.size() + padded.size() + seeds.size();
    }

    /// Called when Python does not need the batch any more.
    @Override
    public void close() {
        IdleMemory.put(this);
    }

    HeldBatches pool() {
        return pool;
    }

    long idleBytes() {
        return idleBytes;
    }

    void setIdleBytes(long idleBytes) {
        this.idleBytes = idleBytes;
    }

    void free() {
        batch.close();
        indices.close();
        padded.close();
        seeds.close();
    }
}
