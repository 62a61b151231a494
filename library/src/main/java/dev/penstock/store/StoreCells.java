// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntToLongFunction;

/// The content of every slot of every field: the tables on disk, and the differences from them.
///
/// Slots of the tables that are in use ([#slots]) are never rewritten; changes of them are in the overlay. Slots
/// after them are pending until they are written to the tables.
///
/// **Ownership.** Owns the open tables. **Threads.** Safe for any number of threads as long as nothing is changed.
final class StoreCells implements AutoCloseable {
    private StoreTables tables;
    private final int fieldCount;
    private EntryMap overlay = new EntryMap();
    /// By field, the number of its cells in the overlay.
    private final int[] overlayCounts;
    /// By field, the entries of the slots from [#slots] on.
    private final List<EntryList> pending = new ArrayList<>();

    private long slots;
    private long length;
    private long deletedCount;
    private long editCount;

    /// @param deletedCount the number of tombstones among the records
    /// @param editCount    the number of changes ever made to cells of existing records
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

    /// A copy that changes independently, as long as this object does not change. The tables are shared.
    StoreCells copy() {
        StoreCells copy = new StoreCells(tables.share(), slots, length, deletedCount, editCount);
        copy.overlay = overlay.copy();
        System.arraycopy(overlayCounts, 0, copy.overlayCounts, 0, fieldCount);
        for (int field = 0; field < fieldCount; field++) {
            copy.pending.set(field, pending.get(field).copy());
        }
        return copy;
    }

    int fieldCount() {
        return fieldCount;
    }

    /// The number of records.
    long length() {
        return length;
    }

    /// The number of slots of the tables that are in use.
    long slots() {
        return slots;
    }

    /// The number of deleted records that left a tombstone.
    long deletedCount() {
        return deletedCount;
    }

    void setDeletedCount(long deletedCount) {
        this.deletedCount = deletedCount;
    }

    /// Counts the tombstones by reading every record.
    void recountDeleted() throws IOException {
        deletedCount = 0;
        for (long slot = 0; slot < length; slot++) {
            deletedCount += get(0, slot).isDeleted() ? 1 : 0;
        }
    }

    /// The number of changes ever made to cells of existing records, plus removed records. It stays the same as
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

    /// Starts loading the tables into memory.
    void prepare() {
        tables.prepare();
    }

    /// Reads the slots of some records that are about to be used, if the tables are in a remote storage.
    ///
    /// @param records gives the records, which must be below [#length]
    void fetch(int field, int count, IntToLongFunction records) throws IOException {
        tables.fetch(field, count, i -> {
            long slot = records.applyAsLong(i);
            return slot < slots ? slot : -1;
        });
    }

    /// The content of a slot.
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

    /// Changes the content of a slot. Slots before it that do not exist yet become missing values.
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

    /// The slot after all slots of a field.
    long nextSlot(int field) {
        return slots + pending.get(field).count();
    }

    /// Adds entries that are not tombstones from [#nextSlot] on, after all records.
    ///
    /// @param numbers two numbers for each entry, in the form of [StoreEntry#of]
    void appendAll(int field, long[] numbers, int count) {
        pending.get(field).addAll(numbers, count);
    }

    /// Whether new records from a slot on can be added as they are: they follow all slots, and none is a
    /// tombstone.
    ///
    /// @param appended by field, the entries of the new records
    boolean canAppend(long slot, List<EntryList> appended) {
        for (int field = 0; field < fieldCount; field++) {
            if (nextSlot(field) != slot) {
                return false;
            }
        }
        return !appended.getFirst().hasDeleted();
    }

    /// Adds new records after all slots.
    ///
    /// @param appended by field, the entries of the new records
    void appendAll(List<EntryList> appended) {
        for (int field = 0; field < fieldCount; field++) {
            pending.get(field).addAll(appended.get(field));
        }
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

    /// The chunks that slots refer to which the tables do not have yet.
    Set<Long> changedChunks() {
        Set<Long> chunks = new HashSet<>();
        for (long key : overlay.sortedKeys()) {
            chunks.add(overlay.get(key).chunk());
        }
        for (EntryList entries : pending) {
            for (int i = 0; i < entries.count(); i++) {
                chunks.add(entries.get(i).chunk());
            }
        }
        return chunks;
    }

    /// The chunks that any slot refers to, found by reading every record.
    Set<Long> usedChunks() throws IOException {
        Set<Long> chunks = new HashSet<>();
        for (long slot = 0; slot < length; slot++) {
            for (int field = 0; field < fieldCount; field++) {
                chunks.add(get(field, slot).chunk());
            }
        }
        return chunks;
    }

    /// The cells of used slots that differ from the tables, in order.
    List<StoreChange> overlay() {
        List<StoreChange> changes = new ArrayList<>(overlay.count());
        for (long key : overlay.sortedKeys()) {
            changes.add(new StoreChange((int) (key % fieldCount), key / fieldCount, overlay.get(key), 0));
        }
        return changes;
    }

    /// The number of cells of used slots that differ from the tables.
    int overlayCount() {
        return overlay.count();
    }

    /// Whether a table differs from what a new one would be, in slots that are in use.
    boolean isChanged(int field) {
        return length < slots || overlayCounts[field] > 0;
    }

    /// Called when the pending slots have been written to the tables.
    ///
    /// @param written the tables with these slots
    void pendingWritten(StoreTables written) {
        slots = Math.max(slots, length);
        pending.forEach(EntryList::clear);
        exchange(written);
    }

    /// Called when new tables contain everything.
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
