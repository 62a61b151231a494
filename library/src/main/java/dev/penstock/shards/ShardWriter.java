// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.Buffer;
import dev.penstock.ClosedException;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.rows.NewRowFile;
import dev.penstock.rows.RollingWriter;
import dev.penstock.rows.kernel.FloatCast;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Map;

/// Writes a corpus row by row to a folder of shards.
///
/// Shards are named `shard_000000.shard` and so on. A shard is published when it is full and on disk, so that a
/// crash loses only the rows after the last full shard: [#resume] continues there, and [#nextRow] returns the next
/// row. [#close] publishes the last shard and the manifest `corpus.json`.
///
/// **Lifecycle.** After a failed append no more rows are accepted, and `close` publishes nothing. A caller that
/// gives up calls [#abort], which keeps the full shards.
///
/// **Threads.** One thread at a time, and one writer for a folder at a time among all processes.
public final class ShardWriter implements AutoCloseable {
    /// Options for writing shards.
    ///
    /// @param type        the type of the stored values; the original reader can only read f32
    /// @param shardRows   the number of rows after which a new shard begins
    /// @param shardBytes  the largest size of a shard, unless a single row is larger
    /// @param hasManifest whether to write `corpus.json` with checksums of all shards
    /// @param metadata    metadata for the manifest
    /// @param disk        the disk to write to
    public record Options(
            ElementType type,
            long shardRows,
            long shardBytes,
            boolean hasManifest,
            Map<String, String> metadata,
            Disk disk) {
        public static final Options DEFAULT =
                new Options(ElementType.F32, Long.MAX_VALUE, 1L << 30, true, Map.of(), Disk.real());

        public Options {
            ShardFormat.tag(type);
            metadata = Map.copyOf(metadata);
            new RollingWriter.Limits(shardRows, shardBytes);
        }

        public Options withType(ElementType type) {
            return new Options(type, shardRows, shardBytes, hasManifest, metadata, disk);
        }

        public Options withShardRows(long shardRows) {
            return new Options(type, shardRows, shardBytes, hasManifest, metadata, disk);
        }

        public Options withShardBytes(long shardBytes) {
            return new Options(type, shardRows, shardBytes, hasManifest, metadata, disk);
        }

        public Options withManifest(boolean hasManifest) {
            return new Options(type, shardRows, shardBytes, hasManifest, metadata, disk);
        }

        public Options withMetadata(Map<String, String> metadata) {
            return new Options(type, shardRows, shardBytes, hasManifest, metadata, disk);
        }

        public Options withDisk(Disk disk) {
            return new Options(type, shardRows, shardBytes, hasManifest, metadata, disk);
        }
    }

    /// The name of a file that is never published. Its temporary file is the lock of the folder.
    private static final String LOCK = "lock";

    /// The number of values that are converted at a time.
    private static final long CONVERTED_COUNT = 1L << 18;

    private final long width;
    private final Options options;
    private final NewFile lock;
    private final ShardSeries series;
    private final RollingWriter<NewRowFile> writer;
    private final Buffer converted = new Buffer();
    private long rowCount;
    private boolean isFinished;
    private boolean isBroken;

    private ShardWriter(Path folder, long width, Options options, NewFile lock) {
        this.width = width;
        this.options = options;
        this.lock = lock;
        this.series = new ShardSeries(folder, width, options);
        this.writer = new RollingWriter<>(
                width * options.type().size(),
                new RollingWriter.Limits(options.shardRows(), options.shardBytes()),
                series);
    }

    /// Creates a corpus in a folder without shards. The folder is created if it does not exist.
    ///
    /// @throws FileAlreadyExistsException when the folder has shards
    public static ShardWriter create(Path folder, long width, Options options) throws IOException {
        requireWidth(width, options);
        return open(folder, width, options, false);
    }

    /// Continues after the shards of a folder, or creates a corpus when there are none.
    ///
    /// @throws IllegalArgumentException when the shards have another width or type
    /// @throws DatasetException         when a shard is damaged
    public static ShardWriter resume(Path folder, long width, Options options) throws IOException {
        requireWidth(width, options);
        return open(folder, width, options, true);
    }

    private static void requireWidth(long width, Options options) {
        if (width < 1) {
            throw new IllegalArgumentException("the width must be at least 1, got " + width);
        }
        // Rejects a width whose row size overflows.
        ShardHeader.of(1, width, options.type());
    }

    private static ShardWriter open(Path folder, long width, Options options, boolean isResumed) throws IOException {
        Disk disk = options.disk();
        ShardSeries.requireFolder(disk, folder);
        if (!isResumed) {
            ShardSeries.requireNoShards(disk, folder);
        }
        if (!disk.isDirectory(folder)) {
            disk.createDirectory(folder);
        }
        Path parent = folder.toAbsolutePath().getParent();
        disk.forceDirectory(parent == null ? folder : parent);
        NewFile lock = NewFile.createAlone(disk, folder.resolve(LOCK), folder);
        ShardWriter writer = new ShardWriter(folder, width, options, lock);
        try {
            // Another writer may have published shards between the first check and the lock.
            if (isResumed) {
                writer.rowCount = writer.series.resume();
            } else {
                ShardSeries.requireNoShards(disk, folder);
            }
            return writer;
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
    }

    /// The id of the next row: the number of rows on disk plus those that were appended.
    public long nextRow() {
        return rowCount;
    }

    /// The number of values in a row.
    public long width() {
        return width;
    }

    /// The type of the stored values.
    public ElementType type() {
        return options.type();
    }

    /// The number of shards on disk.
    public int shardCount() {
        return series.count();
    }

    /// Appends whole rows of values of a type, and converts them.
    ///
    /// @throws IllegalArgumentException when the size is not a whole number of rows, or the type is not a
    ///                                  floating-point type
    public void append(MemorySegment rows, ElementType from) throws IOException {
        ShardFormat.tag(from);
        long rowBytes = Math.multiplyExact(width, from.size());
        if (rows.byteSize() % rowBytes != 0) {
            throw new IllegalArgumentException(
                    rows.byteSize() + " bytes are not a whole number of rows of " + width + " " + from);
        }
        requireOpen();
        long count = rows.byteSize() / rowBytes;
        isBroken = true;
        if (from == options.type()) {
            writer.append(rows);
        } else {
            appendConverted(rows, from, count);
        }
        rowCount = Math.addExact(rowCount, count);
        isBroken = false;
    }

    private void appendConverted(MemorySegment rows, ElementType from, long count) throws IOException {
        long rowsAtOnce = Math.max(1, CONVERTED_COUNT / width);
        for (long done = 0; done < count; done += rowsAtOnce) {
            long numbers = Math.min(rowsAtOnce, count - done) * width;
            long byteCount = numbers * options.type().size();
            MemorySegment target = converted.reserve(byteCount).asSlice(0, byteCount);
            MemorySegment source = rows.asSlice(done * width * from.size(), numbers * from.size());
            FloatCast.cast(from, source, options.type(), target, numbers);
            writer.append(target);
        }
    }

    /// Appends rows of doubles.
    ///
    /// @throws IllegalArgumentException when a row has another width
    public void append(double[][] rows) throws IOException {
        append(MemorySegment.ofArray(flat(rows, width)), ElementType.F64);
    }

    private static double[] flat(double[][] rows, long width) {
        double[] all = new double[Math.toIntExact(rows.length * width)];
        for (int row = 0; row < rows.length; row++) {
            if (rows[row].length != width) {
                throw new IllegalArgumentException(
                        "row " + row + " has " + rows[row].length + " values instead of " + width);
            }
            System.arraycopy(rows[row], 0, all, (int) (row * width), (int) width);
        }
        return all;
    }

    /// Encodes one f32 shard with these rows, for small shards.
    ///
    /// @throws IllegalArgumentException when there are no rows, or rows have different widths
    public static byte[] encode(double[][] rows) {
        if (rows.length == 0) {
            throw new IllegalArgumentException(
                    "there are no rows to take the width from; use encode(rows, width, type)");
        }
        return encode(rows, rows[0].length, ElementType.F32);
    }

    /// Encodes one shard with these rows, for small shards. There may be no rows.
    ///
    /// @throws IllegalArgumentException when a row has another width, or the width is not positive
    public static byte[] encode(double[][] rows, long width, ElementType type) {
        if (width < 1) {
            throw new IllegalArgumentException("the width must be at least 1, got " + width);
        }
        ShardHeader header = ShardHeader.of(rows.length, width, type);
        byte[] bytes = new byte[Math.toIntExact(header.size())];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        segment.copyFrom(MemorySegment.ofArray(header.write()));
        FloatCast.cast(
                ElementType.F64,
                MemorySegment.ofArray(flat(rows, width)),
                type,
                segment.asSlice(ShardFormat.HEADER_SIZE),
                rows.length * width);
        return bytes;
    }

    private void requireOpen() {
        if (isFinished || isBroken) {
            throw new ClosedException(
                    "the corpus accepts no more rows: the writer is closed, or an earlier write failed");
        }
    }

    /// Publishes the rows so far as a shard, even if it is not full, and returns [#nextRow]. A later crash does
    /// not lose them.
    public long commit() throws IOException {
        requireOpen();
        isBroken = true;
        writer.finish();
        isBroken = false;
        return rowCount;
    }

    /// Discards the rows after the last published shard.
    public void abort() throws IOException {
        isFinished = true;
        release();
    }

    /// Publishes the last shard and the manifest. An empty corpus gets one shard without rows.
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        isFinished = true;
        try {
            if (!isBroken) {
                if (series.count() == 0) {
                    writer.begin();
                }
                writer.finish();
                if (options.hasManifest()) {
                    series.publishManifest();
                }
            }
        } finally {
            release();
        }
    }

    private void release() throws IOException {
        converted.close();
        try {
            writer.close();
        } finally {
            lock.close();
        }
    }
}
