// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.DatasetException;
import dev.penstock.Location;
import dev.penstock.memory.Access;
import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFile;
import dev.penstock.memory.OpenFiles;
import dev.penstock.memory.RangeStore;
import dev.penstock.memory.ReaderOptions;
import dev.penstock.rows.NewRowFile;
import dev.penstock.rows.RollingWriter;
import dev.penstock.rows.RowAssembly;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Writes a table row by row; how many rows there will be need not be known.
///
/// A path that ends in `.npy` becomes one file, which appears when [#close] has put everything on disk. Any other
/// becomes a folder of shards with a manifest. Each shard is on disk when the next one begins; the manifest
/// that lists them comes last, and until then readers see the table as it was before. To a folder new shards
/// are added and none is changed. A single file is written anew, its old rows first.
///
/// **Lifecycle.** Once an append has failed, or after [#abort], nothing more is taken and `close` leaves the old
/// table. A caller who gives up for a reason of his own calls `abort`: a `close` without it publishes what has
/// come.
///
/// **Threads.** One at a time, and one writer for a table at a time, among all processes: a folder is locked until
/// the writer is closed, and a second writer is refused with a message that says who has the lock. Readers need no
/// lock. If a program that knows no lock has added shards meanwhile, `close` fails and the other's shards stay.
public final class TableWriter implements AutoCloseable {
    /// How to write a table.
    ///
    /// @param shardRows   rows after which a new shard begins; only for folders
    /// @param shardBytes  bytes that a shard does not exceed unless one row does; only for folders
    /// @param isReplacing whether a single file that has the name already is replaced
    /// @param metadata    notes for the manifest; only for folders
    /// @param disk        where the files go
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

    /// How the shards of new folders are called.
    private static final String SERIES = "rows-";

    private static final int DIGIT_COUNT = 5;

    /// The name of a file that is never published: its temporary file is the lock of the folder, and leaves
    /// nothing behind.
    private static final String LOCK = "lock";

    private static final long COPY_BYTES = 4L << 20;

    private final RowType rowType;
    private final long rowSize;
    private final Options options;
    /// The folder, or null for a single file.
    private final Path folder;
    /// The list as it was found, or null where there was none of ours.
    private final TableManifest before;

    private final List<TableManifest.Shard> shards;
    private final Buffer rowBuffer = new Buffer();
    private final RowAssembly assembly;
    /// The file, or the last shard of the folder so far; null where there is none.
    private Path lastFile;
    private final RollingWriter<NewRowFile> writer;
    /// The lock of the folder, or null for a single file, whose own temporary file is the lock.
    private NewFile lock;

    private long rowCount;
    /// Bytes of the single file that is written anew, or -1.
    private long oldBytes = -1;

    private boolean hasNewRows;
    private boolean isFinished;
    private boolean isBroken;

    private TableWriter(
            RowType rowType,
            Options options,
            Path folder,
            TableManifest before,
            List<TableManifest.Shard> shards,
            Path lastFile) {
        this.rowType = rowType;
        this.rowSize = rowType.size();
        this.options = options;
        this.folder = folder;
        this.before = before;
        this.shards = new ArrayList<>(shards);
        this.lastFile = lastFile;
        this.assembly = new RowAssembly(rowType.fields(), rowSize);
        RollingWriter.Limits limits = folder == null
                ? RollingWriter.Limits.NONE
                : new RollingWriter.Limits(options.shardRows(), options.shardBytes());
        this.writer = new RollingWriter<>(rowSize, limits, new RollingWriter.Files<>() {
            @Override
            public NewRowFile begin() throws IOException {
                return beginShard();
            }

            @Override
            public void end(NewRowFile shard) throws IOException {
                endShard(shard);
            }
        });
    }

    /// Begins a table.
    ///
    /// @throws FileAlreadyExistsException when there is one and it may not be replaced
    public static TableWriter create(Path path, RowType rowType, Options options) throws IOException {
        requireWritable(rowType);
        if (isFile(path)) {
            TableWriter writer = new TableWriter(rowType, options, null, null, List.of(), path);
            writer.writer.begin();
            return writer;
        }
        requireNoTable(path, options.disk());
        String created = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        TableManifest empty =
                new TableManifest(rowType.item().descr(), rowType.shape(), List.of(), created, options.metadata());
        // Refuses what could not be read again before there is a folder.
        empty.write();
        options.disk().createDirectory(path);
        Path parent = path.toAbsolutePath().getParent();
        options.disk().forceDirectory(parent == null ? path : parent);
        NewFile lock = lock(options.disk(), path);
        try {
            // Another writer may have finished a table between the first check and the lock.
            requireNoTable(path, options.disk());
            empty.publish(options.disk(), path);
            // What a writer left that stopped before the end.
            RangeStore files = RangeStore.of(options.disk());
            for (Location shard : TablePaths.allSeries(files, Location.of(path)).getOrDefault(SERIES, List.of())) {
                options.disk().delete(shard.path());
            }
            TableWriter writer = new TableWriter(rowType, options, path, empty, List.of(), null);
            writer.writer.begin();
            writer.lock = lock;
            return writer;
        } catch (Throwable e) {
            closeAfter(e, lock);
            throw e;
        }
    }

    private static NewFile lock(Disk disk, Path folder) throws IOException {
        return NewFile.createAlone(disk, folder.resolve(LOCK), folder);
    }

    /// Lets go of the lock and keeps the first error.
    private static void closeAfter(Throwable error, NewFile lock) {
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            error.addSuppressed(e);
        }
    }

    /// Goes on with a table that is there.
    ///
    /// @throws dev.penstock.DatasetException when it is none, or damaged
    public static TableWriter extend(Path path, Options options) throws IOException {
        TablePaths found = TablePaths.find(options.disk(), path, false);
        if (found.member() != null) {
            throw new IllegalArgumentException(path + " is an array in an archive, to which no rows can be appended;"
                    + " copy it first: penstock table write --input " + path + " --output COPY.npy");
        }
        NewFile lock = found.folder() == null
                ? null
                : lock(options.disk(), found.folder().path());
        try {
            TableWriter writer = extendLocked(path, options);
            writer.lock = lock;
            return writer;
        } catch (Throwable e) {
            closeAfter(e, lock);
            throw e;
        }
    }

    /// Another writer may have added shards before the folder was locked, so its files are listed after that.
    private static TableWriter extendLocked(Path path, Options options) throws IOException {
        TablePaths files = TablePaths.find(options.disk(), path, false);
        // A descriptor for each of so many files may be more than the system allows; they are mapped on demand.
        boolean isMany = files.files().size() > OpenFiles.MAPPED_MAX;
        ReaderOptions reading =
                ReaderOptions.DEFAULT.withDisk(options.disk()).withAccess(isMany ? Access.MMAP : Access.READ);
        TableWriter writer = null;
        try (TableRows old = TableRows.open(files, reading)) {
            requireWritable(old.rowType());
            writer = files.folder() == null ? rewrite(path, old, options) : extend(files, old, options);
            writer.rowCount = old.count();
            return writer;
        } catch (UncheckedIOException e) {
            // The old files could not be closed, and nobody gets the writer.
            if (writer != null) {
                writer.abort();
            }
            throw e.getCause();
        }
    }

    private static TableWriter rewrite(Path path, TableRows old, Options options) throws IOException {
        TableWriter writer = new TableWriter(old.rowType(), options.withReplacing(true), null, null, List.of(), path);
        try {
            writer.oldBytes = old.group().bytes();
            writer.writer.begin();
            // Another writer may have replaced the file after it was opened and before this one was alone.
            writer.requireUnchanged();
            writer.copy(old);
            return writer;
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
    }

    private void copy(TableRows old) throws IOException {
        if (old.count() == 0) {
            return;
        }
        long rowsAtOnce = Math.max(1, COPY_BYTES / rowSize);
        MemorySegment rows = rowBuffer.reserve(Math.multiplyExact(rowsAtOnce, rowSize));
        for (long row = 0; row < old.count(); row += rowsAtOnce) {
            long count = Math.min(rowsAtOnce, old.count() - row);
            MemorySegment part = rows.asSlice(0, count * rowSize);
            old.rows().read(row, count, part);
            writer.append(part);
        }
    }

    /// A folder without a manifest of ours stays without, and gets one shard whatever its size: that is all that
    /// can appear in one step.
    private static TableWriter extend(TablePaths files, TableRows old, Options options) throws IOException {
        Path folder = files.folder().path();
        TableManifest manifest = TableManifest.read(options.disk(), folder);
        Path last = files.files().getLast().path();
        if (manifest != null && manifest.series().equals(files.series())) {
            return new TableWriter(old.rowType(), options, folder, manifest, manifest.shards(), last);
        }
        Options single = options.withShardRows(Long.MAX_VALUE).withShardBytes(Long.MAX_VALUE);
        return new TableWriter(old.rowType(), single, folder, null, List.of(), last);
    }

    private static void requireWritable(RowType rowType) {
        if (rowType.size() == 0) {
            throw new IllegalArgumentException("rows of no bytes cannot be written");
        }
        TableHeader.requireReadable(rowType);
    }

    private static boolean isFile(Path path) {
        return path.getFileName() != null && path.getFileName().toString().endsWith(".npy");
    }

    /// A folder whose writer stopped before the end is no table yet, and may be begun again.
    private static void requireNoTable(Path path, Disk disk) throws IOException {
        if (!disk.exists(path)) {
            return;
        }
        if (!disk.isDirectory(path)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        boolean isEmpty = disk.list(path).stream().allMatch(NewFile::isTemporary);
        if (!isEmpty && !isUnfinished(disk, path)) {
            throw new FileAlreadyExistsException(
                    path.toString(), null, "a folder is not replaced: remove it, or name another");
        }
    }

    /// Whether all a folder has is the manifest of a writer that stopped.
    private static boolean isUnfinished(Disk disk, Path folder) throws IOException {
        try {
            TableManifest manifest = TableManifest.read(disk, folder);
            return manifest != null && manifest.shards().isEmpty();
        } catch (DatasetException e) {
            // A manifest that cannot be read may list shards.
            return false;
        }
    }

    /// What a row is.
    public RowType rowType() {
        return rowType;
    }

    /// Rows of the table so far, those that were there before included.
    public long rowCount() {
        return rowCount;
    }

    /// Adds rows as they are stored, one after another.
    public void append(MemorySegment rows) throws IOException {
        long count = writer.requireWhole(rows);
        requireOpen();
        // Until all rows are there.
        isBroken = true;
        writer.append(rows);
        hasNewRows |= count > 0;
        rowCount += count;
        isBroken = false;
    }

    /// Adds the rows of a batch, which has a column for each field of the table and is little-endian.
    public void append(Batch batch) throws IOException {
        requireOpen();
        MemorySegment rows = rowBuffer.reserve(Math.multiplyExact(batch.rowCount(), rowSize));
        assembly.assemble(batch, rows);
        append(rows.asSlice(0, batch.rowCount() * rowSize));
    }

    private void requireOpen() {
        if (isFinished || isBroken) {
            throw new IllegalStateException("the table takes no more rows: it is closed, or a write failed");
        }
    }

    private NewRowFile beginShard() throws IOException {
        if (folder != null) {
            lastFile = freeFile();
        }
        if (oldBytes >= 0) {
            return rowFile(NewFile.createAlone(options.disk(), lastFile, lastFile));
        }
        return rowFile(NewFile.create(options.disk(), lastFile, folder == null && options.isReplacing()));
    }

    /// The next name in the folder that nobody has: a shard that is not listed may be another program's.
    private Path freeFile() throws IOException {
        Path file =
                lastFile == null ? folder.resolve(TablePaths.name(SERIES, 0, DIGIT_COUNT)) : TablePaths.next(lastFile);
        while (options.disk().exists(file)) {
            file = TablePaths.next(file);
        }
        return file;
    }

    private NewRowFile rowFile(NewFile file) {
        return new NewRowFile(file, rowSize, rows -> TableHeader.write(rowType, rows));
    }

    private void endShard(NewRowFile shard) throws IOException {
        // Its name may be that of a shard another writer has listed meanwhile.
        requireUnchanged();
        NewRowFile.Published published;
        try {
            published = shard.publish();
        } catch (FileAlreadyExistsException e) {
            throw folder == null ? e : changed(folder);
        }
        if (before != null) {
            shards.add(new TableManifest.Shard(published.name(), published.rows(), published.bytes(), published.crc()));
        }
    }

    /// Gives the new rows up: `close` will leave the table as it was.
    public void abort() throws IOException {
        isFinished = true;
        release();
    }

    /// Completes the table, once everything is on stable storage.
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        isFinished = true;
        try {
            boolean isNew = folder == null || (before != null && before.shards().isEmpty());
            if (!isBroken && (hasNewRows || isNew)) {
                writer.finish();
                publishManifest();
            }
        } finally {
            release();
        }
    }

    private void publishManifest() throws IOException {
        if (before == null) {
            return;
        }
        requireUnchanged();
        before.withShards(shards).withMetadata(options.metadata()).publish(options.disk(), folder);
    }

    private void requireUnchanged() throws IOException {
        if (before != null && !before.equals(TableManifest.read(options.disk(), folder))) {
            throw changed(folder);
        }
        if (oldBytes >= 0) {
            try (Disk.Readable old = options.disk().open(lastFile)) {
                if (old.size() != oldBytes) {
                    throw changed(lastFile);
                }
            }
        }
    }

    private static IOException changed(Path path) {
        return new IOException(path + " was changed by another program meanwhile; nothing was added");
    }

    private void release() throws IOException {
        rowBuffer.close();
        assembly.close();
        try {
            writer.close();
        } finally {
            if (lock != null) {
                lock.close();
            }
        }
    }
}
