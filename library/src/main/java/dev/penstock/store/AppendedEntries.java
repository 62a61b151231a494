// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

/// Collects the entries that changes of a journal append, field by field. Most changes of a journal are appends.
///
/// **Threads.** One thread at a time.
final class AppendedEntries {
    /// By field, the slot after the existing ones.
    private final long[] nextSlots;
    /// By field, two numbers for each entry.
    private final long[][] entries;
    /// By field, the number of collected entries.
    private final int[] counts;

    AppendedEntries(int fieldCount) {
        this.nextSlots = new long[fieldCount];
        this.counts = new int[fieldCount];
        this.entries = new long[fieldCount][2 * (ChangeRun.COUNT_MAX / fieldCount + 1)];
    }

    /// Adds the entries of consecutive changes to the cells, as long as each change appends a value.
    ///
    /// @param from      the position of the first change in the run
    /// @param slotLimit the exclusive limit of valid slots
    /// @return the position of the first change that was not applied
    int apply(ChangeRun run, int from, long slotLimit, StoreCells cells) {
        for (int field = 0; field < nextSlots.length; field++) {
            nextSlots[field] = cells.nextSlot(field);
        }
        int end = run.collectAppended(from, cells.length(), slotLimit, nextSlots, entries, counts);
        for (int field = 0; end > from && field < counts.length; field++) {
            cells.appendAll(field, entries[field], counts[field]);
            counts[field] = 0;
        }
        return end;
    }
}
