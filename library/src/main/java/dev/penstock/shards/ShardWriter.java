// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.Buffer;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Location;
import dev.penstock.memory.ChecksummedJson;
import dev.penstock.memory.Crc32c;
import dev.penstock.memory.Disk;
import dev.penstock.memory.FloatCast;
import dev.penstock.memory.NewFile;
import dev.penstock.memory.OpenFile;
import dev.penstock.memory.RangeStore;
import dev.penstock.memory.ReaderOptions;
import dev.penstock.rows.NewRowFile;
import dev.penstock.rows.RollingWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Writes a corpus row by row into a folder of shards.
///
/// Shards are named `shard_000000.shard` and so on. A shard appears when it is full and on disk, so that a crash
/// loses only the rows behind the last full shard: [#resume] goes on there, and [#nextRow] says which row comes
/// next. [#close] publishes the last shard and the list `corpus.json`.
///
/// **Lifecycle.** After a failed append nothing more is taken, and `close` publishes nothing. A caller who gives
/// up calls [#abort], which keeps the full shards.
///
/// **Threads.** One at a time, and one writer for a folder at a time, among all processes.
public final class ShardWriter implements AutoCloseable {
    /// How to write shards.
    ///
    /// @param type        of the stored numbers; f32 is what the original reader reads
    /// @param shardRows   rows after which a new shard begins
    /// @param shardBytes  bytes that a shard does not exceed unless one row does
    /// @param hasManifest whether to write `corpus.json` with checksums of all shards
    /// @param metadata    notes for the manifest
    /// @param disk        where the files go
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

    private static final String SERIES = "shard_";
    private static final int DIGIT_COUNT = 6;
    private static final Pattern NUMBERED = Pattern.compile("(.*?)(\\d+)\\.shard");

    /// The name of a file that is never published: its temporary file is the lock of the folder.
    private static final String LOCK = "lock";

    /// Numbers that are converted at a time.
    private static final long CONVERTED_COUNT = 1L << 18;

    private final Path folder;
    private final long width;
    private final Options options;
    private final NewFile lock;
    private final RollingWriter<NewRowFile> writer;
    private final List<Path> files = new ArrayList<>();
    private final Map<String, NewRowFile.Published> published = new HashMap<>();
    private final Buffer converted = new Buffer();
    private long rowCount;
    private boolean isFinished;
    private boolean isBroken;

    private ShardWriter(Path folder, long width, Options options, NewFile lock) {
        this.folder = folder;
        this.width = width;
        this.options = options;
        this.lock = lock;
        this.writer = new RollingWriter<>(
                width * options.type().size(),
                new RollingWriter.Limits(options.shardRows(), options.shardBytes()),
                new ShardSequence());
    }

    /// Begins and publishes one shard after another.
    private final class ShardSequence implements RollingWriter.Files<NewRowFile> {
        @Override
        public NewRowFile begin() throws IOException {
            NewFile file = NewFile.create(options.disk(), nextFile(), false);
            return new NewRowFile(
                    file,
                    width * options.type().size(),
                    rows -> ShardHeader.of(rows, width, options.type()).write());
        }

        @Override
        public void end(NewRowFile file) throws IOException {
            NewRowFile.Published shard = file.publish();
            files.add(folder.resolve(shard.name()));
            published.put(shard.name(), shard);
        }
    }

    /// Begins a corpus in a folder that has no shards; the folder is made unless it is there.
    ///
    /// @throws FileAlreadyExistsException when the folder has shards
    public static ShardWriter create(Path folder, long width, Options options) throws IOException {
        requireWidth(width, options);
        return open(folder, width, options, false);
    }

    /// Goes on behind the shards of a folder, or begins a corpus when there are none.
    ///
    /// @throws IllegalArgumentException when the shards have another width or type
    /// @throws DatasetException         when a shard is damaged
    public static ShardWriter resume(Path folder, long width, Options options) throws IOException {
        requireWidth(width, options);
        return open(folder, width, options, true);
    }

    private static void requireWidth(long width, Options options) {
        if (width < 1) {
            throw new IllegalArgumentException("rows have at least one number, not " + width);
        }
        // Refuses a width whose rows have more bytes than can be counted.
        ShardHeader.of(1, width, options.type());
    }

    private static ShardWriter open(Path folder, long width, Options options, boolean isResumed) throws IOException {
        Disk disk = options.disk();
        requireFolder(disk, folder);
        if (!isResumed) {
            requireNoShards(disk, folder);
        }
        disk.createDirectory(folder);
        Path parent = folder.toAbsolutePath().getParent();
        disk.forceDirectory(parent == null ? folder : parent);
        NewFile lock = NewFile.createAlone(disk, folder.resolve(LOCK), folder);
        ShardWriter writer = new ShardWriter(folder, width, options, lock);
        try {
            // Another writer may have published shards between the first look and the lock.
            if (isResumed) {
                writer.countShards();
            } else {
                requireNoShards(disk, folder);
            }
            return writer;
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
    }

    private static void requireFolder(Disk disk, Path folder) throws IOException {
        if (disk.exists(folder) && !disk.isDirectory(folder)) {
            throw new FileAlreadyExistsException(folder.toString(), null, "it is a file; shards need a folder");
        }
    }

    private static void requireNoShards(Disk disk, Path folder) throws IOException {
        if (disk.exists(folder) && ShardPaths.hasShards(RangeStore.of(disk), Location.of(folder))) {
            throw new FileAlreadyExistsException(
                    folder.toString(), null, "it has shards: resume the corpus, or name another folder");
        }
    }

    private void countShards() throws IOException {
        ShardPaths found = ShardPaths.find(store(), Location.of(folder));
        if (found.files().isEmpty()) {
            return;
        }
        for (ShardHeader header : ShardFiles.headers(found, reading())) {
            if (header.width() != width || header.type() != options.type()) {
                throw new IllegalArgumentException(folder + " has rows of " + header.width() + " " + header.type()
                        + " and not of " + width + " " + options.type());
            }
            rowCount = Math.addExact(rowCount, header.rowCount());
        }
        found.files().forEach(file -> files.add(file.path()));
        ShardManifest manifest = options.hasManifest() ? ShardManifest.read(store(), Location.of(folder)) : null;
        if (manifest != null) {
            manifest.shards().forEach(shard -> published.put(shard.name(), shard));
        }
    }

    private RangeStore store() {
        return RangeStore.of(options.disk());
    }

    private ReaderOptions reading() {
        return ReaderOptions.DEFAULT.withDisk(options.disk());
    }

    /// The id of the next row: the number of rows that are on disk or were appended.
    public long nextRow() {
        return rowCount;
    }

    /// Numbers in a row.
    public long width() {
        return width;
    }

    /// The type of the stored numbers.
    public ElementType type() {
        return options.type();
    }

    /// Shards that are on disk.
    public int shardCount() {
        return files.size();
    }

    /// Adds whole rows whose numbers are of a type, and converts them.
    ///
    /// @throws IllegalArgumentException when the bytes are no whole number of rows, or the type is not of
    ///                                  floating-point numbers
    public void append(MemorySegment rows, ElementType from) throws IOException {
        ShardFormat.tag(from);
        long rowBytes = Math.multiplyExact(width, from.size());
        if (rows.byteSize() % rowBytes != 0) {
            throw new IllegalArgumentException(
                    rows.byteSize() + " bytes are no whole number of rows of " + width + " " + from);
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

    /// Adds rows of doubles.
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
                        "row " + row + " has " + rows[row].length + " numbers and not " + width);
            }
            System.arraycopy(rows[row], 0, all, (int) (row * width), (int) width);
        }
        return all;
    }

    /// The bytes of one f32 shard with these rows, for small ones.
    ///
    /// @throws IllegalArgumentException when there is no row, or rows have different widths
    public static byte[] encode(double[][] rows) {
        if (rows.length == 0) {
            throw new IllegalArgumentException("the width of no rows is not known; use encode(rows, width, type)");
        }
        return encode(rows, rows[0].length, ElementType.F32);
    }

    /// The bytes of one shard with these rows, for small ones. There may be no row.
    ///
    /// @throws IllegalArgumentException when a row has another width, or the width is not positive
    public static byte[] encode(double[][] rows, long width, ElementType type) {
        if (width < 1) {
            throw new IllegalArgumentException("rows have at least one number, not " + width);
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
            throw new IllegalStateException("the corpus takes no more rows: the writer is closed, or a write failed");
        }
    }

    /// The next name behind the last shard. Names are compared by their bytes, so a number that gets longer would
    /// come too early.
    private Path nextFile() throws IOException {
        if (files.isEmpty()) {
            return folder.resolve(name(SERIES, 0, DIGIT_COUNT));
        }
        String last = files.getLast().getFileName().toString();
        Matcher parts = NUMBERED.matcher(last);
        if (!parts.matches() || parts.group(2).length() > 18) {
            throw new IOException(folder + ": the last shard is called " + last
                    + ", which has no number that the next one could follow; rename it");
        }
        long number = Long.parseLong(parts.group(2)) + 1;
        Path next = folder.resolve(name(parts.group(1), number, parts.group(2).length()));
        if (String.valueOf(number).length() > parts.group(2).length()) {
            throw new IOException(folder + ": no number of " + parts.group(2).length() + " digits follows " + last
                    + ", and a longer one would come before it; rename the shards");
        }
        return next;
    }

    private static String name(String series, long number, int digits) {
        return series + String.format(Locale.ROOT, "%0" + digits + "d", number) + ShardFormat.EXTENSION;
    }

    /// Publishes the rows so far as a shard, even if it is not full, and returns [#nextRow]. A crash from now on
    /// loses none of them.
    public long commit() throws IOException {
        requireOpen();
        isBroken = true;
        writer.finish();
        isBroken = false;
        return rowCount;
    }

    /// Gives up the rows behind the last published shard.
    public void abort() throws IOException {
        isFinished = true;
        release();
    }

    /// Publishes the last shard and the manifest. A corpus without rows gets one shard without rows.
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        isFinished = true;
        try {
            if (!isBroken) {
                if (files.isEmpty()) {
                    writer.begin();
                }
                writer.finish();
                if (options.hasManifest()) {
                    publishManifest();
                }
            }
        } finally {
            release();
        }
    }

    private void publishManifest() throws IOException {
        List<NewRowFile.Published> shards = new ArrayList<>();
        for (Path file : files) {
            NewRowFile.Published known = published.get(file.getFileName().toString());
            shards.add(known == null ? describe(file) : known);
        }
        ShardManifest before = ShardManifest.read(store(), Location.of(folder));
        Map<String, String> metadata = new LinkedHashMap<>(before == null ? Map.of() : before.metadata());
        metadata.putAll(options.metadata());
        String fingerprint = ShardFingerprint.of(options.type(), width, shards);
        new ShardManifest(width, options.type().toString(), shards, fingerprint, metadata)
                .publish(options.disk(), folder);
    }

    /// A shard that was there before the manifest.
    private NewRowFile.Published describe(Path file) throws IOException {
        try (OpenFile open = OpenFile.open(file, reading())) {
            Crc32c crc = new Crc32c();
            open.forEachPiece(0, open.size(), crc::update);
            MemorySegment head = MemorySegment.ofArray(new byte[(int) ShardFormat.HEADER_SIZE]);
            open.read(0, head);
            long rows = ShardHeader.parse(open.location(), open.size(), head).rowCount();
            return new NewRowFile.Published(
                    Objects.requireNonNull(file.getFileName()).toString(),
                    rows,
                    open.size(),
                    ChecksummedJson.hex(crc.value()));
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
