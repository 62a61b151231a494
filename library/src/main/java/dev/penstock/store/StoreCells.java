// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// What every slot of every field holds: the tables as they are on disk, and what differs from them.
///
/// Slots of the tables that are taken ([#slots]) are never written again; what changes there is in the overlay.
/// Slots behind them are pending until they are written to the tables.
///
/// **Ownership.** Owns the open tables. **Threads.** Any number as long as nothing is changed.
final class StoreCells implements AutoCloseable {
    private StoreTables tables;
    private final int fieldCount;
    private final EntryMap overlay = new EntryMap();
    /// By field, how many cells of it are in the overlay.
    private final int[] overlayCounts;
    /// By field, entries of the slots from [#slots] on.
    private final List<EntryList> pending = new ArrayList<>();

    private long slots;
    private long length;
    private long deletedCount;
    private long editCount;

    /// @param deletedCount tombstones among the records
    /// @param editCount    cells of existing records that were ever changed
    StoreCells(StoreTables tables, long slots, long length, long deletedCount, long editCount) {
        this.tables = tables;
        this.fieldCount = tables.fieldCount();
        this.overlayCounts = new int[fieldCount];
        this.slots = slots;
        this.length = length;
        this.deletedCount = deletedCount;
        this.editCount = editCount;
        for (int field = 0; field < fieldCount; field++) {
            pending.add(new EntryList());
        }
    }

    int fieldCount() {
        return fieldCount;
    }

    /// Records.
    long length() {
        return length;
    }

    /// Slots of the tables that are taken.
    long slots() {
        return slots;
    }

    /// Records that were deleted and left a tombstone.
    long deletedCount() {
        return deletedCount;
    }

    void setDeletedCount(long deletedCount) {
        this.deletedCount = deletedCount;
    }

    /// Looks at every record.
    void recountDeleted() throws IOException {
        deletedCount = 0;
        for (long slot = 0; slot < length; slot++) {
            deletedCount += get(0, slot).isDeleted() ? 1 : 0;
        }
    }

    /// Cells of existing records that were ever changed, and records that were taken away: it stays the same as
    /// long as records are only appended.
    long editCount() {
        return editCount;
    }

    void addEdits(long count) {
        editCount += count;
    }

    long tableBytes() {
        return tables.bytes();
    }

    /// Begins to bring the tables into memory.
    void prepare() {
        tables.prepare();
    }

    /// What a slot holds.
    StoreEntry get(int field, long slot) throws IOException {
        if (slot >= slots) {
            return pending.get(field).get((int) (slot - slots));
        }
        StoreEntry changed = overlay.get(key(field, slot));
        return changed == null ? tables.get(field, slot) : changed;
    }

    private long key(int field, long slot) {
        return slot * fieldCount + field;
    }

    /// Changes what a slot holds, and makes room for the slots before it, which are missing values.
    void put(int field, long slot, StoreEntry entry) throws IOException {
        if (field == 0) {
            boolean wasDeleted = slot < length && get(0, slot).isDeleted();
            deletedCount += (entry.isDeleted() ? 1 : 0) - (wasDeleted ? 1 : 0);
        }
        if (slot >= slots) {
            EntryList entries = pending.get(field);
            int index = Math.toIntExact(slot - slots);
            if (index == entries.count()) {
                entries.add(entry);
            } else {
                entries.resize(Math.max(entries.count(), index + 1));
                entries.set(index, entry);
            }
        } else if (entry.equals(tables.get(field, slot))) {
            overlayCounts[field] -= overlay.remove(key(field, slot)) ? 1 : 0;
        } else {
            overlayCounts[field] += overlay.put(key(field, slot), entry) ? 1 : 0;
        }
    }

    /// Changes what a new slot holds that directly follows the slots so far, as [#put] does: most changes of a
    /// journal are such.
    ///
    /// @param chunkAndSize of the entry, which is no tombstone
    /// @return whether the slot is one of these; otherwise nothing has changed
    boolean tryAppend(int field, long slot, long chunkAndSize, long offset) {
        EntryList entries = pending.get(field);
        boolean isNext = slot >= length && slot - slots == entries.count();
        if (isNext) {
            entries.add(chunkAndSize, offset);
        }
        return isNext;
    }

    /// Sets the number of records. New records have no values until they are written.
    void setLength(long newLength) throws IOException {
        for (long slot = newLength; slot < length; slot++) {
            deletedCount -= get(0, slot).isDeleted() ? 1 : 0;
        }
        for (int field = 0; field < fieldCount; field++) {
            for (long slot = newLength; slot < Math.min(length, slots); slot++) {
                overlayCounts[field] -= overlay.remove(key(field, slot)) ? 1 : 0;
            }
            pending.get(field).resize(Math.toIntExact(Math.max(0, newLength - slots)));
        }
        length = newLength;
    }

    /// The cells of taken slots that differ from the tables, in order.
    List<StoreChange> overlay() {
        List<StoreChange> changes = new ArrayList<>(overlay.count());
        for (long key : overlay.sortedKeys()) {
            changes.add(new StoreChange((int) (key % fieldCount), key / fieldCount, overlay.get(key), 0));
        }
        return changes;
    }

    /// How many cells of taken slots differ from the tables.
    int overlayCount() {
        return overlay.count();
    }

    /// Whether a table differs from what a new one would be, in slots that are taken.
    boolean isChanged(int field) {
        return length < slots || overlayCounts[field] > 0;
    }

    /// The pending slots have been written to the tables.
    ///
    /// @param written the tables with these slots
    void pendingWritten(StoreTables written) {
        slots = Math.max(slots, length);
        pending.forEach(EntryList::clear);
        exchange(written);
    }

    /// New tables hold everything.
    void replaceTables(StoreTables replaced) {
        slots = length;
        overlay.clear();
        Arrays.fill(overlayCounts, 0);
        pending.forEach(EntryList::clear);
        exchange(replaced);
    }

    private void exchange(StoreTables next) {
        StoreTables old = tables;
        tables = next;
        old.close();
    }

    @Override
    public void close() {
        tables.close();
    }
}
