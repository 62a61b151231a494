// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.memory.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What every slot of every field holds: the tables as they are on disk, and what differs from them.
///
/// Slots of the tables that are taken ([#slots]) are never written again; what changes there is in the overlay.
/// Slots behind them are pending until they are written to the tables.
///
/// **Ownership.** Owns the open tables. **Threads.** Any number as long as nothing is changed.
final class StoreCells implements AutoCloseable {
    private final List<Disk.Readable> tables;
    private final Map<Long, StoreEntry> overlay = new HashMap<>();
    /// By field, entries of the slots from [#slots] on.
    private final List<List<StoreEntry>> pending = new ArrayList<>();

    private long slots;
    private long length;

    StoreCells(List<Disk.Readable> tables, long slots, long length) {
        this.tables = new ArrayList<>(tables);
        this.slots = slots;
        this.length = length;
        tables.forEach(table -> pending.add(new ArrayList<>()));
    }

    /// Opens the tables of a store.
    static List<Disk.Readable> openTables(Disk disk, Path store, List<StoreField> fields) throws IOException {
        List<Disk.Readable> tables = new ArrayList<>();
        try {
            for (StoreField field : fields) {
                tables.add(disk.open(StoreFormat.table(store, field.name())));
            }
            return tables;
        } catch (Throwable e) {
            Closing.after(e, () -> Closing.all(closers(tables)));
            throw e;
        }
    }

    static List<Closing.Step> closers(Collection<Disk.Readable> files) {
        return files.stream().map(file -> (Closing.Step) file::close).toList();
    }

    int fieldCount() {
        return tables.size();
    }

    /// Records.
    long length() {
        return length;
    }

    /// Slots of the tables that are taken.
    long slots() {
        return slots;
    }

    /// What a slot holds.
    StoreEntry get(int field, long slot) throws IOException {
        if (slot >= slots) {
            return pending.get(field).get((int) (slot - slots));
        }
        StoreEntry changed = overlay.get(key(field, slot));
        return changed == null ? inTable(field, slot) : changed;
    }

    private StoreEntry inTable(int field, long slot) throws IOException {
        MemorySegment bytes = MemorySegment.ofArray(new byte[(int) StoreFormat.ENTRY_SIZE]);
        long read = tables.get(field).read(slot * StoreFormat.ENTRY_SIZE, bytes);
        if (read < bytes.byteSize()) {
            throw new IOException("the table of field " + field + " was shortened while it was open");
        }
        return StoreEntry.read(bytes, 0);
    }

    private long key(int field, long slot) {
        return slot * tables.size() + field;
    }

    /// Changes what a slot holds, and makes room for the slots before it, which are missing values.
    void put(int field, long slot, StoreEntry entry) throws IOException {
        if (slot < slots) {
            if (entry.equals(inTable(field, slot))) {
                overlay.remove(key(field, slot));
            } else {
                overlay.put(key(field, slot), entry);
            }
            return;
        }
        List<StoreEntry> entries = pending.get(field);
        while (slots + entries.size() <= slot) {
            entries.add(StoreEntry.MISSING);
        }
        entries.set((int) (slot - slots), entry);
    }

    /// Sets the number of records.
    void setLength(long newLength) {
        for (int field = 0; field < tables.size(); field++) {
            List<StoreEntry> entries = pending.get(field);
            while (slots + entries.size() < newLength) {
                entries.add(StoreEntry.MISSING);
            }
            int kept = (int) Math.max(0, newLength - slots);
            entries.subList(Math.min(kept, entries.size()), entries.size()).clear();
        }
        if (newLength < length) {
            overlay.keySet().removeIf(key -> key / tables.size() >= newLength);
        }
        length = newLength;
    }

    /// The cells of taken slots that differ from the tables, in order.
    List<StoreChange> overlay() {
        return overlay.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(cell -> new StoreChange(
                        (int) (cell.getKey() % tables.size()), cell.getKey() / tables.size(), cell.getValue(), 0))
                .toList();
    }

    /// How many cells of taken slots differ from the tables.
    int overlayCount() {
        return overlay.size();
    }

    /// Whether a table differs from what a new one would be, in slots that are taken.
    boolean isChanged(int field) {
        return length < slots || overlay.keySet().stream().anyMatch(key -> key % tables.size() == field);
    }

    /// The pending slots have been written to the tables.
    void pendingWritten() {
        slots = Math.max(slots, length);
        pending.forEach(List::clear);
    }

    /// New tables hold everything.
    void replaceTables(Map<Integer, Disk.Readable> replaced) throws IOException {
        List<Disk.Readable> old = new ArrayList<>();
        replaced.forEach((field, table) -> old.add(tables.set(field, table)));
        slots = length;
        overlay.clear();
        pending.forEach(List::clear);
        Closing.all(closers(old));
    }

    @Override
    public void close() throws IOException {
        Closing.all(closers(tables));
    }
}
