// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.ElementType;
import dev.penstock.Io;
import dev.penstock.file.NewFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Copies the rows of a corpus into files of other formats.
final class ShardCopy {
    private static final long COPY_BYTES = 4L << 20;

    private ShardCopy() {}

    /// Reads all rows in order, some megabytes at a time.
    static void forEach(ShardReader shards, ElementType type, Io.Consumer<ShardBatch> rows) throws IOException {
        forEach(shards, type, 0, shards.count(), rows);
    }

    /// Reads the rows of a range in order, some megabytes at a time.
    static void forEach(ShardReader shards, ElementType type, long from, long to, Io.Consumer<ShardBatch> rows)
            throws IOException {
        long rowsAtOnce = Math.max(1, COPY_BYTES / Math.max(1, shards.rowSize()));
        try (ShardSource source = shards.source();
                ShardBatch batch = ShardBatch.create(type)) {
            for (long row = from; row < to; row += rowsAtOnce) {
                source.read(row, Math.min(to, row + rowsAtOnce), batch);
                rows.accept(batch);
            }
        }
    }

    /// Writes a header and all rows after it.
    static void write(ShardReader shards, ElementType type, byte[] header, NewFile file) throws IOException {
        file.write(MemorySegment.ofArray(header), 0);
        long[] offset = {header.length};
        forEach(shards, type, batch -> {
            file.write(batch.values(), offset[0]);
            offset[0] += batch.values().byteSize();
        });
    }
}
