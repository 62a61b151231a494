// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.loader.LoaderBatch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalLong;

/// A batch whose memory the other language uses, as its own arrays, until it gives it back.
///
/// **Ownership.** Its memory is its own: it outlives the dataset and the loader that it came from.
final class HeldBatch implements AutoCloseable {
    /// Numbers before those of the columns.
    static final int HEAD_COUNT = 8;

    /// Numbers of each column: where its values are, their bytes, where its offsets are or 0, and where its mask
    /// of missing values is or 0.
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

    HeldBatch(Batch batch, HeldBatches pool) {
        this.batch = batch;
        this.pool = pool;
    }

    Batch batch() {
        return batch;
    }

    /// Takes over what a loader hands out, by trading memory with it.
    ///
    /// @param seed which seeds the records get, if any
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

    /// Writes where everything is.
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

    /// Makes it known by a number.
    void lend(long handle) {
        Handles.put(handle, this);
    }

    /// Bytes it holds on to.
    long allocatedBytes() {
        return batch.allocatedBytes() + indices.size() + padded.size() + seeds.size();
    }

    /// The other language has no more use for it.
    @Override
    public void close() {
        pool.giveBack(this);
    }

    void free() {
        batch.close();
        indices.close();
        padded.close();
        seeds.close();
    }
}
