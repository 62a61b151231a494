// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;

/// Many changes of a journal as an array of numbers, and the entries that they append, field by field.
///
/// Most changes of a journal append. A journal may have tens of millions of changes, and a process that has just
/// started has not compiled the code that reads them. Loops over an array of numbers become fast much earlier than
/// accesses to segments, and no object is allocated for a change.
///
/// **Threads.** One thread at a time.
final class ChangeBlock {
    /// The number of changes that are decoded together.
    static final int COUNT_MAX = 2048;

    /// The number of 64-bit numbers in a change.
    private static final int WIDTH = StoreFormat.CHANGE_SIZE / Long.BYTES;

    private static final long DELETED = StoreEntry.DELETED.chunkAndSize();

    private final long[] numbers = new long[COUNT_MAX * WIDTH];
    private int count;

    /// By field, the slot after the existing ones.
    private final long[] nextSlots;
    /// By field, two numbers for each appended entry.
    private final long[][] appended;
    /// By field, the number of appended entries.
    private final int[] appendedCounts;

    ChangeBlock(int fieldCount) {
        this.nextSlots = new long[fieldCount];
        this.appendedCounts = new int[fieldCount];
        this.appended = new long[fieldCount][2 * (COUNT_MAX / fieldCount + 1)];
    }

    /// Decodes some changes.
    ///
    /// @param first the position of the first change among the items
    void load(MemorySegment items, int first, int count) {
        MemorySegment.copy(items, U64, (long) first * StoreFormat.CHANGE_SIZE, numbers, 0, count * WIDTH);
        this.count = count;
    }

    /// The number of decoded changes.
    int count() {
        return count;
    }

    /// Adds the entries of consecutive changes to the cells, as long as each change appends a value.
    ///
    /// @param from      the position of the first change
    /// @param slotLimit the exclusive limit of valid slots
    /// @return the position of the first change that was not applied
    int applyAppended(int from, long slotLimit, StoreCells cells) {
        for (int field = 0; field < nextSlots.length; field++) {
            nextSlots[field] = cells.nextSlot(field);
        }
        int end = collectAppended(from, cells.length(), slotLimit, nextSlots, appended, appendedCounts);
        for (int field = 0; end > from && field < appendedCounts.length; field++) {
            cells.appendAll(field, appended[field], appendedCounts[field]);
            appendedCounts[field] = 0;
        }
        return end;
    }

    /// Collects the entries of consecutive changes as long as each puts a value, not a tombstone, in the slot
    /// after the slots of its field. It is a single loop over arrays without calls, so that it is compiled early.
    ///
    /// @param from      the position of the first change
    /// @param slotFirst the first new slot
    /// @param slotLimit the exclusive limit of valid slots
    /// @param nextSlots by field, the slot after the existing ones; updated
    /// @param entries   by field, memory for the two numbers of each entry
    /// @param counts    by field, the number of collected entries; updated
    /// @return the position of the first change that is of another kind, or does not fit
    private int collectAppended(
            int from, long slotFirst, long slotLimit, long[] nextSlots, long[][] entries, int[] counts) {
        int index = from;
        for (; index < count; index++) {
            int at = index * WIDTH;
            long head = numbers[at];
            int field = (int) (head >>> 16) & 0xFFFF;
            long slot = numbers[at + 1];
            if ((head & 0xFFFF) != StoreFormat.PUT
                    || field >= nextSlots.length
                    || slot != nextSlots[field]
                    || slot < slotFirst
                    || slot >= slotLimit) {
                break;
            }
            long low = numbers[at + 2];
            long high = numbers[at + 3];
            long chunkAndSize = low << Integer.SIZE | high >>> Integer.SIZE;
            long[] target = entries[field];
            int targetAt = 2 * counts[field];
            if (chunkAndSize == DELETED || targetAt == target.length) {
                break;
            }
            target[targetAt] = chunkAndSize;
            target[targetAt + 1] = low >>> Integer.SIZE | high << Integer.SIZE;
            counts[field]++;
            nextSlots[field]++;
        }
        return index;
    }

    /// Whether the kind of a change is known to this program.
    boolean isKnown(int index) {
        long op = op(index);
        return op == StoreFormat.PUT || op == StoreFormat.MOVED;
    }

    /// Whether the slot has the same value as before, at another place.
    boolean isMoved(int index) {
        return op(index) == StoreFormat.MOVED;
    }

    /// The operation with the following byte, which is zero.
    private long op(int index) {
        return numbers[index * WIDTH] & 0xFFFF;
    }

    int field(int index) {
        return (int) (numbers[index * WIDTH] >>> 16) & 0xFFFF;
    }

    long slot(int index) {
        return numbers[index * WIDTH + 1];
    }

    /// The chunk and the size of the entry, in the form of [StoreEntry#of].
    long chunkAndSize(int index) {
        long chunk = numbers[index * WIDTH + 2] & 0xFFFF_FFFFL;
        return chunk << Integer.SIZE | numbers[index * WIDTH + 3] >>> Integer.SIZE;
    }

    /// The offset of the entry.
    long offset(int index) {
        return numbers[index * WIDTH + 2] >>> Integer.SIZE | numbers[index * WIDTH + 3] << Integer.SIZE;
    }
}
