// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Buffer;
import dev.penstock.DatasetException;
import dev.penstock.Io;
import dev.penstock.file.Access;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Disk;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// The rows of a single file that is written again with more rows, to notice when another program changes the file
/// meanwhile. That program ignores the lock, so it may do anything: rename another file over it, or write to it
/// through a mapping, which need not change its time. So the rows are read again and compared by a checksum.
final class OldRows {
    private static final long COPY_BYTES = 4L << 20;

    private final Disk disk;
    private final Path path;
    private final RowType rowType;
    private final long count;
    private final long bytes;
    private int crc;

    OldRows(Disk disk, Path path, TableRows rows) {
        this.disk = disk;
        this.path = path;
        this.rowType = rows.rowType();
        this.count = rows.count();
        this.bytes = rows.group().bytes();
    }

    RowType rowType() {
        return rowType;
    }

    /// Passes on all rows, and notes their checksum.
    void copy(TableRows rows, Io.Consumer<MemorySegment> sink) throws IOException {
        crc = forEach(rows, sink);
    }

    private static int forEach(TableRows rows, Io.Consumer<MemorySegment> sink) throws IOException {
        Crc32c crc = new Crc32c();
        long rowSize = rows.rowType().size();
        long rowsAtOnce = Math.clamp(COPY_BYTES / rowSize, 1, Math.max(1, rows.count()));
        try (Buffer buffer = new Buffer()) {
            MemorySegment all = buffer.reserve(Math.multiplyExact(rowsAtOnce, rowSize));
            for (long row = 0; row < rows.count(); row += rowsAtOnce) {
                long part = Math.min(rowsAtOnce, rows.count() - row);
                MemorySegment piece = all.asSlice(0, part * rowSize);
                rows.rows().read(row, part, piece);
                crc.update(piece);
                sink.accept(piece);
            }
        }
        return crc.value();
    }

    /// Whether the file has the size it had. This is quick.
    boolean hasSameSize() throws IOException {
        try (Disk.Readable file = disk.open(path)) {
            return file.size() == bytes;
        }
    }

    /// Whether the file has the rows that were copied.
    boolean isUnchanged() throws IOException {
        ReaderOptions reading = ReaderOptions.DEFAULT.withDisk(disk).withAccess(Access.READ);
        if (!hasSameSize()) {
            return false;
        }
        try (TableRows now = TableRows.open(TablePaths.find(disk, path, false), reading)) {
            return now.rowType().equals(rowType) && now.count() == count && forEach(now, rows -> {}) == crc;
        } catch (DatasetException e) {
            return false;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
