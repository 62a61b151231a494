// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.Parallel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/// Compresses the values of rows and places them in chunks. Rows get their indices later, so that a failed row
/// never had an index.
///
/// A large batch of compressed values is divided into parts, and as many threads as there are writers work on
/// them, including the calling thread. Copying raw values would not get faster this way.
///
/// **Threads.** Safe for any number of threads. None of them may hold the lock of [StoreCore].
final class RowPlacer {
    /// The largest size of a part, so that no other thread waits long for a writer.
    private static final long PART_BYTES_MAX = 1L << 20;
    /// For fewer bytes a second thread costs more than it saves.
    private static final long PARALLEL_BYTES_MIN = 128L << 10;

    private static final int PARTS_PER_WRITER = 4;

    private final List<StoreField> fields;
    private final ChunkWriters chunks;
    private final boolean isCompressing;

    RowPlacer(List<StoreField> fields, ChunkWriters chunks) {
        this.fields = fields;
        this.chunks = chunks;
        this.isCompressing = fields.stream().anyMatch(field -> field.compression() != StoreCompression.RAW);
    }

    /// Places a row.
    ///
    /// @param cells the values in the order of the fields; null if a value is missing
    PlacedRows place(MemorySegment[] cells) throws IOException {
        return place(fields, cells);
    }

    /// Places values of some fields of a row.
    PlacedRows place(int[] positions, MemorySegment[] cells) throws IOException {
        List<StoreField> some = Arrays.stream(positions).mapToObj(fields::get).toList();
        return place(some, cells);
    }

    private PlacedRows place(List<StoreField> some, MemorySegment[] cells) throws IOException {
        PlacedRows placed = new PlacedRows(some, 1);
        chunks.use(writer -> placed.place(0, cells, writer));
        return placed;
    }

    /// Places many rows.
    PlacedRows place(RowSource source) throws IOException {
        long rowCount = source.rowCount();
        PlacedRows placed = new PlacedRows(fields, rowCount);
        long partCount = Math.min(rowCount, partCount(source.byteCount()));
        Parallel.run(partCount, isCompressing ? chunks.count() : 1, part -> {
            int from = (int) (rowCount * part / partCount);
            int to = (int) (rowCount * (part + 1) / partCount);
            chunks.use(writer -> placeRows(source, from, to, placed, writer));
        });
        return placed;
    }

    private void placeRows(RowSource source, int from, int to, PlacedRows placed, ChunkWriter writer)
            throws IOException {
        MemorySegment[] cells = new MemorySegment[fields.size()];
        for (int row = from; row < to; row++) {
            source.read(row, cells);
            placed.place(row, cells, writer);
        }
    }

    private long partCount(long bytes) {
        boolean isWorthIt = isCompressing && chunks.count() > 1 && bytes >= PARALLEL_BYTES_MIN;
        long least = isWorthIt ? (long) chunks.count() * PARTS_PER_WRITER : 1;
        return Math.max(least, (bytes + PART_BYTES_MAX - 1) / PART_BYTES_MAX);
    }
}
