// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/// The cells that a batch changes, on top of the cells of the last commit.
///
/// **Threads.** One thread at a time.
final class BatchCells {
    private final StoreCells cells;
    private final int fieldCount;
    /// The first slot of appended records.
    private final long base;
    /// By field, the entries of appended records and their checksums.
    private final List<EntryList> appended = new ArrayList<>();

    private final int[][] appendedCrcs;
    /// Changes of slots before [#base].
    private final TreeMap<Long, StoreChange> edits = new TreeMap<>();

    private long length;
    private boolean isChanged;

    /// @param base the number of records before the batch: those of the cells, or more while another batch is
    ///             being written
    BatchCells(StoreCells cells, long base) {
        this.cells = cells;
        this.fieldCount = cells.fieldCount();
        this.base = base;
        this.length = base;
        this.appendedCrcs = new int[fieldCount][];
        for (int field = 0; field < fieldCount; field++) {
            appended.add(new EntryList());
            appendedCrcs[field] = new int[0];
        }
    }

    /// The number of records including the changes.
    long length() {
        return length;
    }

    /// Whether there is anything to commit. Deleting the last record changes no slot but counts as a change.
    boolean isChanged() {
        return isChanged;
    }

    void setLength(long length) {
        this.length = length;
        for (EntryList entries : appended) {
            if (entries.count() > length - base) {
                entries.resize((int) Math.max(0, length - base));
            }
        }
        isChanged = true;
    }

    void put(int field, long slot, StoreEntry entry, int crc) {
        isChanged = true;
        if (slot < base) {
            edits.put(slot * fieldCount + field, new StoreChange(field, slot, entry, crc));
            return;
        }
        EntryList entries = appended.get(field);
        int index = Math.toIntExact(slot - base);
        entries.resize(Math.max(entries.count(), index + 1));
        entries.set(index, entry);
        if (appendedCrcs[field].length <= index) {
            appendedCrcs[field] = Arrays.copyOf(appendedCrcs[field], Math.max(16, 2 * (index + 1)));
        }
        appendedCrcs[field][index] = crc;
    }

    StoreEntry get(int field, long slot) throws IOException {
        StoreChange change = change(field, slot);
        return change == null ? cells.get(field, slot) : change.entry();
    }

    /// The change of a slot in this batch, or null.
    StoreChange change(int field, long slot) {
        if (slot < base) {
            return edits.get(slot * fieldCount + field);
        }
        int index = (int) (slot - base);
        return new StoreChange(field, slot, appended.get(field).get(index), appendedCrcs[field][index]);
    }

    /// One change for each slot that differs, in the order of the slots.
    List<StoreChange> changes() {
        List<StoreChange> changes = new ArrayList<>();
        for (StoreChange edit : edits.values()) {
            if (edit.slot() < length) {
                changes.add(edit);
            }
        }
        for (long slot = base; slot < length; slot++) {
            for (int field = 0; field < fieldCount; field++) {
                changes.add(change(field, slot));
            }
        }
        return changes;
    }

    /// Replaces places by other places.
    void replacePlaces(UnaryOperator<StoreEntry> replacement) {
        edits.replaceAll(
                (key, edit) -> new StoreChange(edit.field(), edit.slot(), replacement.apply(edit.entry()), edit.crc()));
        for (EntryList entries : appended) {
            for (int i = 0; i < entries.count(); i++) {
                entries.set(i, replacement.apply(entries.get(i)));
            }
        }
    }

    /// Applies changes of this batch to the cells.
    ///
    /// @param changes the result of [#changes]
    void apply(List<StoreChange> changes) throws IOException {
        long lengthBefore = cells.length();
        long editCount = Math.max(0, lengthBefore - length);
        for (StoreChange change : changes) {
            cells.put(change.field(), change.slot(), change.entry());
            editCount += change.slot() < lengthBefore ? 1 : 0;
        }
        cells.addEdits(editCount);
        cells.setLength(length);
    }
}
