// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.ClosedException;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.file.OpenFiles;
import dev.penstock.file.ReaderOptions;
import dev.penstock.rows.NewRowFile;
import dev.penstock.rows.RollingWriter;
import dev.penstock.rows.RowAssembly;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// Writes a table row by row. The number of rows need not be known in advance.
///
/// A path that ends in `.npy` becomes one file, which is published when [#close] has put everything on disk. Any
/// other path becomes a folder of shards with a manifest. Each shard is on disk before the next one begins; the
/// manifest that lists them is written last, and until then readers see the table as it was before. Appending to a
/// folder adds new shards and changes none. Appending to a single file writes the whole file again, old rows
/// first, and compares the old rows with the file before it is replaced.
///
/// **Lifecycle.** After a failed append, or after [#abort], no more rows are accepted and `close` leaves the old
/// table. A caller that gives up for its own reasons must call `abort`: otherwise `close` publishes the rows so
/// far.
///
/// **Threads.** One thread at a time, and one writer for a table at a time among all processes: a folder is locked
/// until the writer is closed. A second writer fails with a message that says who holds the lock. Readers need no
/// lock. If a program that ignores the lock has added shards, or changed a single file, `close` fails and its work
/// stays.
public final class TableWriter implements AutoCloseable {
    /// Options for writing a table.
    ///
    /// @param shardRows   the number of rows after which a new shard begins; only for folders
    /// @param shardBytes  the largest size of a shard, unless a single row is larger; only for folders
    /// @param isReplacing whether an existing single file is replaced
    /// @param metadata    metadata for the manifest; only for folders
    /// @param disk        the disk that the files are written to
    public record Options(
            long shardRows, long shardBytes, boolean isReplacing, Map<String, String> metadata, Disk disk) {
        public static final Options DEFAULT = new Options(Long.MAX_VALUE, Long.MAX_VALUE, false, Map.of(), Disk.real());

        public Options {
            new RollingWriter.Limits(shardRows, shardBytes);
            metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
        }

        public Options withShardRows(long shardRows) {
            return new Options(shardRows, shardBytes, isReplacing, metadata, disk);
        }

        public Options withShardBytes(long shardBytes) {
            return new Options(shardRows, shardBytes, isReplacing, metadata, disk);
        }

        public Options withReplacing(boolean isReplacing) {
            return new Options(shardRows, shardBytes, isReplacing, metadata, disk);
        }

        public Options withMetadata(Map<String, String> metadata) {
            return new Options(shardRows, shardBytes, isReplacing, metadata, disk);
        }

        public Options withDisk(Disk disk) {
            return new Options(shardRows, shardBytes, isReplacing, metadata, disk);
        }
    }

    private final RowType rowType;
    private final long rowSize;
    private final TableOutput target;
    private final Buffer rowBuffer = new Buffer();
    private final RowAssembly assembly;
    private final RollingWriter<NewRowFile> writer;
    private long rowCount;
    private boolean hasNewRows;
    private boolean isFinished;
    private boolean isBroken;

    private TableWriter(TableOutput target) {
        this.rowType = target.rowType();
        this.rowSize = rowType.size();
        this.target = target;
        this.assembly = new RowAssembly(rowType.fields(), rowSize);
        this.writer = new RollingWriter<>(rowSize, target.limits(), target);
    }

    /// Creates a table.
    ///
    /// @throws FileAlreadyExistsException when a table exists and may not be replaced
    public static TableWriter create(Path path, RowType rowType, Options options) throws IOException {
        requireWritable(rowType);
        TableOutput target = TableOutput.create(path, rowType, options);
        try {
            TableWriter writer = new TableWriter(target);
            writer.writer.begin();
            return writer;
        } catch (Throwable e) {
            target.closeAfter(e);
            throw e;
        }
    }

    /// Opens an existing table to append rows.
    ///
    /// @throws dev.penstock.DatasetException when the path is not a table, or is damaged
    public static TableWriter extend(Path path, Options options) throws IOException {
        TablePaths found = TablePaths.find(options.disk(), path, false);
        if (found.member() != null) {
            throw new IllegalArgumentException(path + " is an array in an archive, and rows cannot be appended to it;"
                    + " write it to a table of its own first");
        }
        NewFile lock = found.folder() == null
                ? null
                : TableOutput.lock(options.disk(), found.folder().path());
        try {
            return extendLocked(path, options, lock);
        } catch (Throwable e) {
            TableOutput.closeAfter(e, lock);
            throw e;
        }
    }

    /// Another writer may have added shards before the folder was locked, so its files are listed afterwards.
    ///
    /// @param lock the lock of the folder, or null for a single file
    private static TableWriter extendLocked(Path path, Options options, NewFile lock) throws IOException {
        TablePaths files = TablePaths.find(options.disk(), path, false);
        // One descriptor for each file may exceed the system's limit, so files are mapped on demand.
        boolean isMany = files.files().size() > OpenFiles.MAPPED_MAX;
        ReaderOptions reading =
                ReaderOptions.DEFAULT.withDisk(options.disk()).withAccess(isMany ? Access.MMAP : Access.READ);
        TableWriter writer = null;
        try (TableRows old = TableRows.open(files, reading)) {
            requireWritable(old.rowType());
            writer = files.folder() == null
                    ? rewrite(path, old, options)
                    : new TableWriter(TableOutput.extend(files, old.rowType(), options, lock));
            writer.rowCount = old.count();
            return writer;
        } catch (UncheckedIOException e) {
            // Closing the old files failed, so the caller does not get the writer.
            if (writer != null) {
                writer.abort();
            }
            throw e.getCause();
        }
    }

    private static TableWriter rewrite(Path path, TableRows rows, Options options) throws IOException {
        OldRows old = new OldRows(options.disk(), path, rows);
        TableOutput target = TableOutput.rewrite(path, options, old);
        TableWriter writer = new TableWriter(target);
        try {
            writer.writer.begin();
            target.requireSameSize();
            old.copy(rows, writer.writer::append);
            return writer;
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
    }

    static void requireWritable(RowType rowType) {
        if (rowType.size() == 0) {
            throw new IllegalArgumentException("rows without bytes cannot be written");
        }
        TableHeader.requireReadable(rowType);
    }

    /// The type of a row.
    public RowType rowType() {
        return rowType;
    }

    /// The number of rows so far, including those that existed before.
    public long rowCount() {
        return rowCount;
    }

    /// Appends rows in their stored form, one after another.
    public void append(MemorySegment rows) throws IOException {
        long count = writer.requireWhole(rows);
        requireOpen();
        // Reset when all rows have been written.
        isBroken = true;
        writer.append(rows);
        hasNewRows |= count > 0;
        rowCount += count;
        isBroken = false;
    }

    /// Appends the rows of a batch, which has a little-endian column for each field of the table.
    public void append(Batch batch) throws IOException {
        requireOpen();
        MemorySegment rows = rowBuffer.reserve(Math.multiplyExact(batch.rowCount(), rowSize));
        assembly.assemble(batch, rows);
        append(rows.asSlice(0, batch.rowCount() * rowSize));
    }

    private void requireOpen() {
        if (isFinished || isBroken) {
            throw new ClosedException(
                    "the table accepts no more rows: the writer is closed, or an earlier write failed");
        }
    }

    /// Discards the new rows: `close` will leave the table as it was.
    public void abort() throws IOException {
        isFinished = true;
        release();
    }

    /// Publishes the table once everything is on stable storage.
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        isFinished = true;
        try {
            if (!isBroken && (hasNewRows || target.isNew())) {
                writer.finish();
                target.publish();
            }
        } finally {
            release();
        }
    }

    private void release() throws IOException {
        rowBuffer.close();
        assembly.close();
        try {
            writer.close();
        } finally {
            target.close();
        }
    }
}
