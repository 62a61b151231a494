// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Appends rows to a file, and goes on with the next file when it is full.
///
/// **Lifecycle.** [#finish] completes the last file; [#close] without it gives that file up.
///
/// **Threads.** One at a time.
///
/// @param <F> the kind of file that a format writes
public final class RollingWriter<F extends RowFileWriter> implements AutoCloseable {
    /// When a file is full.
    ///
    /// @param rowCountMax rows that a file does not exceed
    /// @param sizeMax     bytes that a file does not exceed, unless one row does
    public record Limits(long rowCountMax, long sizeMax) {
        /// One file, whatever its size.
        public static final Limits NONE = new Limits(Long.MAX_VALUE, Long.MAX_VALUE);

        public Limits {
            if (rowCountMax < 1 || sizeMax < 1) {
                throw new IllegalArgumentException("a shard needs room for at least one row and one byte");
            }
        }
    }

    /// What a format does where one file ends and another begins.
    public interface Files<F> {
        /// Begins the next file.
        F begin() throws IOException;

        /// Publishes a file that gets no more rows.
        void end(F file) throws IOException;
    }

    private final long rowSize;
    private final Limits limits;
    private final Files<F> files;
    private F file;

    public RollingWriter(long rowSize, Limits limits, Files<F> files) {
        this.rowSize = rowSize;
        this.limits = limits;
        this.files = files;
    }

    /// Begins the first file now, so that there is one even if no row comes.
    public void begin() throws IOException {
        if (file == null) {
            file = files.begin();
        }
    }

    /// Adds rows.
    ///
    /// @throws IllegalArgumentException when the bytes are no whole number of rows
    public void append(MemorySegment rows) throws IOException {
        long rowCount = requireWhole(rows);
        long done = 0;
        while (done < rowCount) {
            if (file != null && room() == 0) {
                finish();
            }
            begin();
            long here = Math.min(rowCount - done, room());
            file.append(rows.asSlice(done * rowSize, here * rowSize), here);
            done += here;
        }
    }

    /// How many rows these bytes are.
    public long requireWhole(MemorySegment rows) {
        long rowCount = rows.byteSize() / rowSize;
        if (rowCount * rowSize != rows.byteSize()) {
            throw new IllegalArgumentException(
                    rows.byteSize() + " bytes are no whole number of rows of " + rowSize + " bytes");
        }
        return rowCount;
    }

    /// Rows that the current file still takes.
    private long room() {
        long byBytes = Math.max(file.rowCount() == 0 ? 1 : 0, (limits.sizeMax() - file.size()) / rowSize);
        return Math.max(0, Math.min(limits.rowCountMax() - file.rowCount(), byBytes));
    }

    /// Completes the current file, if there is one.
    public void finish() throws IOException {
        if (file != null) {
            files.end(file);
            file.close();
            file = null;
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
