// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.DatasetException;
import dev.penstock.Leases;
import dev.penstock.Reason;
import dev.penstock.file.Faults;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.OpenFiles;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.function.IntToLongFunction;

/// The tables of a store as they were on disk when they were opened.
///
/// A store reads its tables through one mapping and each chunk through its own ([StoreTables], [StoreChunks]).
/// Tables are opened together; chunks come and go one by one.
///
/// **Ownership.** Owns the open files. **Threads.** Safe for any number of threads.
final class StoreTables implements AutoCloseable {
    private final OpenFiles files;
    private final Leases leases;
    /// The bytes of each table if they are mapped, otherwise null.
    private final MemorySegment[] mapped;
    /// The blocks of each table that were read from a remote storage, or null for a disk.
    private final TableBlocks[] blocks;

    private StoreTables(OpenFiles files) throws IOException {
        this.files = files;
        this.leases = new Leases(files::close);
        this.mapped = new MemorySegment[files.files().size()];
        for (int i = 0; i < mapped.length; i++) {
            OpenFile file = files.files().get(i);
            mapped[i] = file.isMapped() ? file.whole() : null;
        }
        this.blocks =
                files.isRanged() ? files.files().stream().map(TableBlocks::new).toArray(TableBlocks[]::new) : null;
    }

    /// Opens the tables of all fields.
    ///
    /// @throws DatasetException when a table is missing
    static StoreTables open(Location store, List<StoreField> fields, ReaderOptions options) throws IOException {
        List<Location> tables = fields.stream()
                .map(field -> StoreFormat.table(store, field.name()))
                .toList();
        try {
            return new StoreTables(OpenFiles.open(tables, options));
        } catch (NoSuchFileException e) {
            throw new DatasetException.Corrupt(
                    missing(tables, e.getFile()), 0, Reason.MISSING_SHARD, "the table of a field is missing", e);
        }
    }

    private static Location missing(List<Location> tables, String name) {
        return tables.stream()
                .filter(table -> table.toString().equals(name))
                .findFirst()
                .orElse(tables.getFirst());
    }

    /// Reads the slots that are about to be used, if the tables are in a remote storage.
    ///
    /// @param slots gives the slots, which must be below [#slotCount], or -1 for none
    void fetch(int field, int count, IntToLongFunction slots) throws IOException {
        if (blocks != null) {
            blocks[field].fetch(count, slots);
        }
    }

    int fieldCount() {
        return mapped.length;
    }

    /// The number of whole slots in the file of a field.
    long slotCount(int field) {
        return files.files().get(field).size() / StoreFormat.ENTRY_SIZE;
    }

    long bytes() {
        return files.bytes();
    }

    /// The content of a slot, which must be below [#slotCount].
    StoreEntry get(int field, long slot) throws IOException {
        OpenFile file = files.files().get(field);
        if (blocks != null) {
            return blocks[field].get(slot);
        }
        MemorySegment bytes = mapped[field];
        if (bytes == null) {
            MemorySegment copy = MemorySegment.ofArray(new byte[(int) StoreFormat.ENTRY_SIZE]);
            file.read(slot * StoreFormat.ENTRY_SIZE, copy);
            return StoreEntry.read(copy, 0);
        }
        try {
            StoreEntry entry = StoreEntry.read(bytes, slot * StoreFormat.ENTRY_SIZE);
            Faults.settle();
            return entry;
        } catch (InternalError e) {
            throw file.translate(e);
        }
    }

    /// Starts loading the tables into memory, if the memory budget allows it.
    void prepare() {
        files.prepare();
    }

    /// The same tables for another owner. They are closed when all owners have closed them.
    StoreTables share() {
        leases.acquire();
        return this;
    }

    /// Each owner calls it once.
    @Override
    public void close() {
        leases.release();
    }
}
