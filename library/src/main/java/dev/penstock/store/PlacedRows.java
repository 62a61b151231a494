// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// The places of the values of some rows, before the rows have an index.
///
/// **Threads.** Safe for any number of threads, each with its own rows.
final class PlacedRows {
    private final List<StoreField> fields;
    private final int rowCount;
    /// Two numbers for each value, in the form of [StoreEntry#of].
    private final long[] numbers;

    private final int[] crcs;

    /// @param fields the fields of the rows
    PlacedRows(List<StoreField> fields, long rowCount) {
        this.fields = fields;
        this.rowCount = Math.toIntExact(rowCount);
        int valueCount = Math.multiplyExact(this.rowCount, fields.size());
        this.numbers = new long[Math.multiplyExact(2, valueCount)];
        this.crcs = new int[valueCount];
    }

    int rowCount() {
        return rowCount;
    }

    StoreEntry entry(int row, int field) {
        int at = row * fields.size() + field;
        return StoreEntry.of(numbers[2 * at], numbers[2 * at + 1]);
    }

    int crc(int row, int field) {
        return crcs[row * fields.size() + field];
    }

    /// Adds the entries of a field to a list.
    void addTo(int field, EntryList entries) {
        int fieldCount = fields.size();
        if (fieldCount == 1) {
            entries.addAll(numbers, rowCount);
            return;
        }
        long[] own = new long[2 * rowCount];
        for (int row = 0; row < rowCount; row++) {
            int at = 2 * (row * fieldCount + field);
            own[2 * row] = numbers[at];
            own[2 * row + 1] = numbers[at + 1];
        }
        entries.addAll(own, rowCount);
    }

    /// Copies the checksums of a field.
    void copyCrcs(int field, int[] target, int start) {
        int fieldCount = fields.size();
        for (int row = 0; row < rowCount; row++) {
            target[start + row] = crcs[row * fieldCount + field];
        }
    }

    /// Places the values of one row.
    ///
    /// @param cells the values in the order of the fields; null if a value is missing
    void place(int row, MemorySegment[] cells, ChunkWriter writer) throws IOException {
        int field = 0;
        try {
            writer.beginRow();
            for (field = 0; field < cells.length; field++) {
                place(row, field, cells[field], writer);
            }
        } catch (IOException e) {
            throw new IOException(
                    "row " + row + ", field "
                            + fields.get(Math.min(field, fields.size() - 1)).name() + ": " + e.getMessage(),
                    e);
        }
    }

    private void place(int row, int field, MemorySegment value, ChunkWriter writer) throws IOException {
        if (value == null || value.byteSize() == 0) {
            set(row, field, value == null ? StoreEntry.MISSING : StoreEntry.EMPTY, 0);
            return;
        }
        ChunkWriter.Placed placed = writer.pack(fields.get(field).compression(), value);
        set(row, field, placed.entry(), placed.crc());
    }

    private void set(int row, int field, StoreEntry entry, int crc) {
        int at = row * fields.size() + field;
        numbers[2 * at] = entry.chunkAndSize();
        numbers[2 * at + 1] = entry.offset();
        crcs[at] = crc;
    }
}
