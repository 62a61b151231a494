// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Appends rows to files. A file that is full is completed at once, so that a crash before the next row keeps it.
///
/// **Lifecycle.** [#finish] completes the last file; [#close] without it discards that file.
///
/// **Threads.** One thread at a time.
///
/// @param <F> the kind of file that a format writes
public final class RollingWriter<F extends RowFileWriter> implements AutoCloseable {
    /// The limits at which a file is full.
    ///
    /// @param rowCountMax the largest number of rows of a file
    /// @param sizeMax     the largest size of a file, unless a single row is larger
    public record Limits(long rowCountMax, long sizeMax) {
        /// No limits: a single file of any size.
        public static final Limits NONE = new Limits(Long.MAX_VALUE, Long.MAX_VALUE);

        public Limits {
            if (rowCountMax < 1 || sizeMax < 1) {
                throw new IllegalArgumentException("the limits of a shard must be at least one row and one byte");
            }
        }
    }

    /// Starts and ends files for a format.
    public interface Files<F> {
        /// Starts the next file.
        F begin() throws IOException;

        /// Publishes a file that is complete.
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

    /// Starts the first file now, so that there is one even if no row is appended.
    public void begin() throws IOException {
        if (file == null) {
            file = files.begin();
        }
    }

    /// Appends rows.
    ///
    /// @throws IllegalArgumentException when the size is not a multiple of the row size
    public void append(MemorySegment rows) throws IOException {
        long rowCount = requireWhole(rows);
        long done = 0;
        while (done < rowCount) {
            begin();
            long here = Math.min(rowCount - done, room());
            file.append(rows.asSlice(done * rowSize, here * rowSize), here);
            done += here;
            if (room() == 0) {
                finish();
            }
        }
    }

    /// The number of rows in these bytes.
    public long requireWhole(MemorySegment rows) {
        long rowCount = rows.byteSize() / rowSize;
        if (rowCount * rowSize != rows.byteSize()) {
            throw new IllegalArgumentException(
                    rows.byteSize() + " bytes are not a whole number of rows of " + rowSize + " bytes");
        }
        return rowCount;
    }

    /// The number of rows that still fit in the current file.
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
