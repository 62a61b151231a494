// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The changes since the last commit, over the cells of that commit.
///
/// **Threads.** One at a time.
final class StoreBatch {
    private final StoreCells cells;
    private final Map<Long, StoreChange> changes = new TreeMap<>();
    private long length;
    private boolean isChanged;

    StoreBatch(StoreCells cells) {
        this.cells = cells;
        this.length = cells.length();
    }

    /// Records with the changes.
    long length() {
        return length;
    }

    /// Whether there is anything to commit. Deleting the last record changes no slot and counts all the same.
    boolean isChanged() {
        return isChanged;
    }

    void setLength(long length) {
        this.length = length;
        isChanged = true;
    }

    void put(int field, long slot, StoreEntry entry, int crc) {
        changes.put(slot * cells.fieldCount() + field, new StoreChange(field, slot, entry, crc));
        isChanged = true;
    }

    StoreEntry get(int field, long slot) throws IOException {
        StoreChange change = changes.get(slot * cells.fieldCount() + field);
        return change == null ? cells.get(field, slot) : change.entry();
    }

    /// The change of a slot in this batch, or null.
    StoreChange change(int field, long slot) {
        return changes.get(slot * cells.fieldCount() + field);
    }

    /// One change for each slot that differs, in the order of the slots.
    List<StoreChange> changes() {
        return changes.values().stream()
                .filter(change -> change.slot() < length)
                .toList();
    }

    /// Makes the changes part of the cells.
    void apply() throws IOException {
        for (StoreChange change : changes()) {
            cells.put(change.field(), change.slot(), change.entry());
        }
        cells.setLength(length);
    }
}
