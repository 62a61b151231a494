// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
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

    /// Adds rows after all others.
    void append(PlacedRows rows) {
        isChanged = true;
        if (length < base) {
            // A delete has moved the last record: its slot is used again.
            appendOneByOne(rows);
            return;
        }
        long end = Math.addExact(length, rows.rowCount());
        int before = Math.toIntExact(length - base);
        int after = Math.toIntExact(end - base);
        for (int field = 0; field < fieldCount; field++) {
            rows.addTo(field, appended.get(field));
            int[] crcs = appendedCrcs[field];
            if (crcs.length < after) {
                crcs = Arrays.copyOf(crcs, Math.max(2 * crcs.length, after));
                appendedCrcs[field] = crcs;
            }
            rows.copyCrcs(field, crcs, before);
        }
        length = end;
    }

    private void appendOneByOne(PlacedRows rows) {
        for (int row = 0; row < rows.rowCount(); row++) {
            for (int field = 0; field < fieldCount; field++) {
                put(field, length + row, rows.entry(row, field), rows.crc(row, field));
            }
        }
        setLength(length + rows.rowCount());
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

    /// One change for each slot that differs, in the order of the slots. The changes of appended records are made
    /// when they are asked for: a commit may have millions of them.
    List<StoreChange> changes() {
        List<StoreChange> edited = new ArrayList<>();
        for (StoreChange edit : edits.values()) {
            if (edit.slot() < length) {
                edited.add(edit);
            }
        }
        int count = Math.toIntExact(edited.size() + Math.max(0, length - base) * fieldCount);
        return new Changes(edited, count);
    }

    private final class Changes extends AbstractList<StoreChange> {
        private final List<StoreChange> edited;
        private final int count;

        private Changes(List<StoreChange> edited, int count) {
            this.edited = edited;
            this.count = count;
        }

        @Override
        public int size() {
            return count;
        }

        @Override
        public StoreChange get(int index) {
            Objects.checkIndex(index, count);
            if (index < edited.size()) {
                return edited.get(index);
            }
            int number = index - edited.size();
            return change(number % fieldCount, base + number / fieldCount);
        }
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
        // Records after all others are applied together.
        boolean isAppending = edits.isEmpty() && length >= base && cells.canAppend(base, appended);
        if (isAppending) {
            cells.appendAll(appended);
        }
        for (StoreChange change : isAppending ? List.<StoreChange>of() : changes) {
            cells.put(change.field(), change.slot(), change.entry());
            editCount += change.slot() < lengthBefore ? 1 : 0;
        }
        cells.addEdits(editCount);
        cells.setLength(length);
    }
}
