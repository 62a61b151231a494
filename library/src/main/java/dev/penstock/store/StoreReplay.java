// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Location;
import dev.penstock.store.journal.Journal;
import dev.penstock.store.journal.JournalFrame;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Applies the frames of a journal to the cells of a store, one after another.
///
/// **Threads.** One thread at a time.
final class StoreReplay {
    private final Location journal;
    private final StoreMeta meta;
    private final StoreCells cells;
    private final ChangeBlock block;
    private final long lengthAtStart;
    private long changeCount;
    private long editCount;
    private long sequence;

    /// @param sequence the sequence of the last commit in the cells
    StoreReplay(Location journal, StoreMeta meta, StoreCells cells, long sequence) {
        this.journal = journal;
        this.meta = meta;
        this.cells = cells;
        this.block = new ChangeBlock(cells.fieldCount());
        this.lengthAtStart = cells.length();
        this.sequence = sequence;
    }

    /// The sequence of the last frame that was applied.
    long sequence() {
        return sequence;
    }

    /// Applies a frame, or some items of one.
    void apply(JournalFrame frame, long offset, MemorySegment items, int firstItem) throws IOException {
        changeCount += firstItem == 0 ? frame.count() : 0;
        // Every new slot has a change, so there cannot be more new slots than changes. The length of a commit is
        // in all its frames, and only with the last one have all its changes been seen.
        long lengthLimit = lengthAtStart + changeCount;
        boolean isPossible = frame.fields() == cells.fieldCount()
                && frame.length() >= 0
                && (frame.hasMore() || frame.length() <= lengthLimit);
        long slotLimit = Math.min(Math.max(frame.length(), cells.length()), lengthLimit);
        int count = Math.toIntExact(items.byteSize() / StoreFormat.CHANGE_SIZE);
        for (int done = 0; isPossible && done < count; done += ChangeBlock.COUNT_MAX) {
            int blockCount = Math.min(ChangeBlock.COUNT_MAX, count - done);
            block.load(items, done, blockCount);
            isPossible = applyBlock(slotLimit, frame.kind() == Journal.COMMIT);
        }
        if (!isPossible) {
            throw new DatasetException.Corrupt(
                    journal, offset, Reason.OUT_OF_RANGE, "a frame of the journal changes a slot that does not exist");
        }
        if (firstItem + count == frame.count() && !frame.hasMore()) {
            cells.addEdits(editCount + Math.max(0, cells.length() - frame.length()));
            editCount = 0;
            cells.setLength(frame.length());
        }
        if (frame.kind() == Journal.OVERLAY) {
            // The count in `meta.json` includes the overlay.
            cells.setDeletedCount(meta.checkpoint().deleted());
        }
        sequence = frame.sequence();
    }

    /// @return whether all changes are valid
    private boolean applyBlock(long slotLimit, boolean isCommit) throws IOException {
        int next = block.applyAppended(0, slotLimit, cells);
        while (next < block.count()) {
            if (!applyOne(next, slotLimit, isCommit)) {
                return false;
            }
            next = block.applyAppended(next + 1, slotLimit, cells);
        }
        return true;
    }

    private boolean applyOne(int index, long slotLimit, boolean isCommit) throws IOException {
        int field = block.field(index);
        long slot = block.slot(index);
        if (!block.isKnown(index) || field >= cells.fieldCount() || slot < 0 || slot >= slotLimit) {
            return false;
        }
        cells.put(field, slot, StoreEntry.of(block.chunkAndSize(index), block.offset(index)));
        editCount += isCommit && !block.isMoved(index) && slot < cells.length() ? 1 : 0;
        return true;
    }
}
