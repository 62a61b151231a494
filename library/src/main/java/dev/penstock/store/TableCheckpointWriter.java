// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.file.RangeWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// Writes slots to the tables of a store.
final class TableCheckpointWriter {
    private static final int PIECE_SLOTS = 1 << 16;

    /// A million slots.
    private static final long REST_SIZE_MAX = 16L << 20;

    private final Disk disk;
    private final Path store;
    private final StoreMeta meta;
    private final StoreCells cells;

    TableCheckpointWriter(Disk disk, Path store, StoreMeta meta, StoreCells cells) {
        this.disk = disk;
        this.store = store;
        this.meta = meta;
        this.cells = cells;
    }

    private Path table(int field) {
        return StoreFormat.table(store, meta.fields().get(field).name());
    }

    /// Writes slots that are not in the table yet. No `meta.json` covers them, so no reader uses them.
    void appendSlots(int field, FailStop failStop) throws IOException {
        if (cells.length() <= cells.slots()) {
            return;
        }
        try (Disk.Writable table = disk.openForWriting(table(field))) {
            writeSlots(field, cells.slots(), table::write);
            failStop.orStop(table::force);
        }
    }

    /// Creates a new table with all slots. It is not shorter than the old one, whose slots after the last record
    /// are kept.
    ///
    /// @return the table, which is not forced and not published yet
    NewFile writeNew(int field) throws IOException {
        NewFile table = NewFile.create(disk, table(field), true);
        try {
            writeSlots(field, 0, table::write);
            copyRest(field, table);
            return table;
        } catch (Throwable e) {
            Closing.after(e, table::close);
            throw e;
        }
    }

    /// Writes a table with all slots to a folder without one. Its content is durable, its name is not.
    ///
    /// @param like the file whose mode, owner and group the table gets
    void create(int field, Path like) throws IOException {
        try (Disk.Writable table = disk.create(table(field), like)) {
            writeSlots(field, 0, table::write);
            table.force();
        }
    }

    /// Keeps the slots after the last record. A plain reader may still use those of an earlier `meta.json`. Slots
    /// far behind those in use are not copied, because a sparse table can have any length; the length is kept.
    private void copyRest(int field, NewFile table) throws IOException {
        try (Disk.Readable old = disk.open(table(field))) {
            byte[] piece = new byte[PIECE_SLOTS];
            long oldSize = old.size();
            long limit = Math.min(oldSize, cells.slots() * StoreFormat.ENTRY_SIZE + REST_SIZE_MAX);
            for (long at = cells.length() * StoreFormat.ENTRY_SIZE; at < limit; at += piece.length) {
                int size = (int) Math.min(piece.length, limit - at);
                MemorySegment bytes = MemorySegment.ofArray(piece).asSlice(0, size);
                old.read(at, bytes);
                table.write(bytes, at);
            }
            if (limit < oldSize) {
                table.write(MemorySegment.ofArray(new byte[1]), oldSize - 1);
            }
        }
    }

    private void writeSlots(int field, long from, RangeWriter target) throws IOException {
        for (long start = from; start < cells.length(); start += PIECE_SLOTS) {
            int count = (int) Math.min(PIECE_SLOTS, cells.length() - start);
            MemorySegment piece = MemorySegment.ofArray(new byte[(int) (count * StoreFormat.ENTRY_SIZE)]);
            for (int i = 0; i < count; i++) {
                cells.get(field, start + i).write(piece, i * StoreFormat.ENTRY_SIZE);
            }
            target.write(piece, start * StoreFormat.ENTRY_SIZE);
        }
    }
}
