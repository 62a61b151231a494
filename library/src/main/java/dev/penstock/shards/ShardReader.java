// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Indices;
import dev.penstock.Origin;
import dev.penstock.Progress;
import dev.penstock.RemoteRecords;
import dev.penstock.Row;
import dev.penstock.Shard;
import dev.penstock.StoredRows;
import dev.penstock.Verification;
import dev.penstock.file.Access;
import dev.penstock.file.DatasetFiles;
import dev.penstock.file.Disk;
import dev.penstock.file.FormatOptions;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.rows.RowField;
import dev.penstock.rows.RowGather;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// A reader for a corpus of activation shards. A record is a row, and its only field `value` has the type and
/// width of the shards. [#source] streams the rows in order.
///
/// Opening reads only the headers of all shards. Problems of all shards are reported together.
///
/// **Ownership.** Owns the mappings. Rows are views into them and are valid until the reader is closed.
///
/// **Threads.** Safe for any number of threads, as for every [Dataset][dev.penstock.Dataset].
public final class ShardReader implements StoredRows {
    /// Options for reading shards.
    ///
    /// @param reading        the options that all formats share
    /// @param isLenient      whether to accept shards that the original reader accepts but the specification does
    ///                       not allow: bytes after the last row, a reserved field that is not 0, rows of width 0
    /// @param readAheadBytes the number of bytes that a [ShardSource] reads ahead in the background; 0 for none
    /// @param nonFinite      how a [ShardSource] handles infinite values and NaN
    public record Options(ReaderOptions reading, boolean isLenient, long readAheadBytes, NonFinite nonFinite)
            implements FormatOptions<Options> {
        /// The default read-ahead, as published for the original program.
        public static final long READ_AHEAD_BYTES = 8L << 20;

        public static final Options DEFAULT =
                new Options(ReaderOptions.DEFAULT, false, READ_AHEAD_BYTES, NonFinite.PASS);

        public Options {
            Objects.requireNonNull(reading, "reading");
            Objects.requireNonNull(nonFinite, "nonFinite");
            if (readAheadBytes < 0) {
                throw new IllegalArgumentException("read-ahead must not be negative, got " + readAheadBytes);
            }
        }

        @Override
        public Options withReading(ReaderOptions reading) {
            return new Options(reading, isLenient, readAheadBytes, nonFinite);
        }

        public Options withLenient(boolean isLenient) {
            return new Options(reading, isLenient, readAheadBytes, nonFinite);
        }

        public Options withReadAheadBytes(long readAheadBytes) {
            return new Options(reading, isLenient, readAheadBytes, nonFinite);
        }

        public Options withNonFinite(NonFinite nonFinite) {
            return new Options(reading, isLenient, readAheadBytes, nonFinite);
        }
    }

    private final Location location;
    private final ShardPaths paths;
    private final Options options;
    private final ShardFiles shards;
    private final ShardListing listing;
    private final ShardFingerprint fingerprints;
    private final RowField field;
    private final RowGather gather;

    private ShardReader(Location location, ShardPaths paths, Options options, ShardFiles shards, ShardListing listing) {
        this.location = location;
        this.paths = paths;
        this.options = options;
        this.shards = shards;
        this.listing = listing;
        this.fingerprints = new ShardFingerprint(shards, listing.isExact() ? listing.manifest() : null);
        this.field = RowField.of(
                "value",
                shards.type(),
                shards.type().size(),
                1,
                0,
                RowField.dimensions(List.of(shards.width()), shards.type().size()));
        this.gather = new RowGather(shards.rows(), List.of(field));
    }

    /// Opens a folder of shards, a pattern such as `DIR/*.shard`, or one shard.
    ///
    /// @throws DatasetException when a shard cannot be used; it lists the problems of all shards
    public static ShardReader open(Path path) throws IOException {
        return open(path, Options.DEFAULT);
    }

    /// Opens a corpus with options.
    public static ShardReader open(Path path, Options options) throws IOException {
        return open(Location.of(path), options);
    }

    /// Opens a corpus of the disk or of another storage.
    ///
    /// @throws IllegalArgumentException when there is no storage for the scheme of the location
    public static ShardReader open(Location location, Options options) throws IOException {
        return open(location, ShardPaths.find(options.reading().storageOf(location), location), options);
    }

    /// Opens a list of shards, whose rows are numbered in the order of the list.
    ///
    /// @throws DatasetException when the list is empty or a shard cannot be used; it lists the problems of all
    ///                          shards
    public static ShardReader open(List<Location> locations, Options options) throws IOException {
        Location first = locations.isEmpty() ? Location.of(Path.of("")) : locations.getFirst();
        return open(first, ShardPaths.of(locations), options);
    }

    /// The files of the corpus in a folder, the manifest last.
    public static DatasetFiles files(Storage storage, Location folder) throws IOException {
        Set<Location> there = new HashSet<>(storage.list(folder));
        List<String> names = new ArrayList<>();
        ShardPaths.find(storage, folder).files().forEach(file -> names.add(file.name()));
        if (there.contains(folder.resolve(ShardFormat.STATS))) {
            names.add(ShardFormat.STATS);
        }
        return there.contains(folder.resolve(ShardFormat.MANIFEST))
                ? DatasetFiles.committed(names, ShardFormat.MANIFEST)
                : new DatasetFiles(names, false);
    }

    private static ShardReader open(Location location, ShardPaths paths, Options options) throws IOException {
        ShardFiles shards = ShardFiles.open(paths, options.reading(), options.isLenient());
        try {
            ShardListing listing =
                    ShardListing.of(options.reading().storageOf(location), paths, shards, options.isLenient());
            return new ShardReader(location, paths, options, shards, listing);
        } catch (Throwable e) {
            shards.close();
            throw e;
        }
    }

    /// Whether a folder of a storage has shards, or a location is a pattern that matches shards.
    public static boolean isCorpus(Storage storage, Location location) throws IOException {
        return storage.isFolder(location)
                ? ShardPaths.hasShards(storage, location)
                : !storage.exists(location)
                        && ShardPaths.matches(storage, location).stream().anyMatch(ShardPaths::isShard);
    }

    @Override
    public RemoteRecords remote() {
        return shards.rows().remote();
    }

    @Override
    public String format() {
        return "shards";
    }

    @Override
    public int version() {
        return 1;
    }

    @Override
    public Location location() {
        return location;
    }

    /// The folder that was opened, or null for a file, a list, a pattern or a remote folder.
    public Path folder() {
        return paths.folder() == null || !paths.folder().isLocal()
                ? null
                : paths.folder().path();
    }

    /// The disk that holds the files.
    public Disk disk() {
        return options.disk();
    }

    @Override
    public long count() {
        return shards.rows().count();
    }

    /// The number of values in a row.
    public long width() {
        return shards.width();
    }

    /// The type of the stored values.
    public ElementType type() {
        return shards.type();
    }

    /// The number of rows in a batch of [#source].
    public long batchRows() {
        return Math.clamp(count(), 1, ShardFormat.BATCH_ROWS_MAX);
    }

    /// The files in the order of their rows.
    public List<Location> files() {
        return paths.files();
    }

    /// The id of the first row of a shard. For `shardIndex` equal to the number of shards, the number of all rows.
    public long start(int shardIndex) {
        return shards.rows().start(shardIndex);
    }

    @Override
    public List<Shard> shards() {
        return Shard.list(files(), this::start);
    }

    /// The headers in the order of the files.
    public List<ShardHeader> headers() {
        return shards.headers();
    }

    @Override
    public long bytes() {
        return shards.group().bytes();
    }

    @Override
    public List<Field> fields() {
        return List.of(field.field());
    }

    @Override
    public String itemType() {
        return switch (type()) {
            case F64 -> "'<f8'";
            case F16 -> "'<f2'";
            case BF16 -> "'<V2'";
            default -> "'<f4'";
        };
    }

    @Override
    public List<Long> rowShape() {
        return List.of(width());
    }

    @Override
    public long rowSize() {
        return shards.rows().rowSize();
    }

    /// Empty, because shards are not NumPy files.
    @Override
    public List<Location> arrayFiles() {
        return List.of();
    }

    @Override
    public Row get(long rowIndex) throws IOException {
        return shards.group().use(() -> {
            Objects.checkIndex(rowIndex, count());
            return new Row(rowIndex, List.of(gather.value(field, rowIndex)));
        });
    }

    /// Rows have no names.
    @Override
    public String name(long rowIndex) {
        Objects.checkIndex(rowIndex, count());
        return null;
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        batch.clear();
        gather.gather(indices, batch);
    }

    @Override
    public void read(MemorySegment indices, MemorySegment target) throws IOException {
        gather.read(indices, target);
    }

    /// Streams the rows in order, from row 0 on. Sources are independent of each other and valid until the reader
    /// is closed.
    public ShardSource source() {
        boolean isMapped = options.access() == Access.MMAP && !shards.group().isRanged();
        return isMapped
                ? new MappedShardSource(this, shards, gather, options)
                : new RangeShardSource(this, shards, gather, options);
    }

    @Override
    public void prepare() {
        shards.group().prepare();
    }

    @Override
    public void prefetch(long firstIndex, long recordCount) {
        Objects.checkFromIndexSize(firstIndex, recordCount, count());
        gather.prefetch(firstIndex, recordCount);
    }

    @Override
    public Verification verify(Progress progress) throws IOException {
        return verify(progress, options.isLenient());
    }

    /// Verifies the corpus with another leniency than it was opened with.
    ///
    /// @param isLenient whether a deviation that only the original reader accepts is a warning instead of an error
    public Verification verify(Progress progress, boolean isLenient) throws IOException {
        return shards.group()
                .use(() -> new ShardVerifier(paths, shards, listing, isLenient, options.threads()).verify(progress));
    }

    /// Checks that the shards have not changed since they were opened.
    ///
    /// @throws DatasetException when the size or modification time of a shard has changed
    void requireUnchanged() throws IOException {
        List<Verification.Problem> changes = shards.group().use(shards::changes);
        if (!changes.isEmpty()) {
            throw DatasetException.Corrupt.of(changes);
        }
    }

    @Override
    public List<Origin> origins(long index) {
        return List.of(shards.rows().origin(this, index));
    }

    @Override
    public String fingerprint() throws IOException {
        return fingerprint(count());
    }

    @Override
    public String fingerprint(long rowCount) throws IOException {
        Indices.requireFirst(this, rowCount);
        // There is no corpus without rows.
        return rowCount == 0 ? null : shards.group().use(() -> fingerprints.of(rowCount));
    }

    /// Also accepts the fingerprint of samples, which copies without a manifest have.
    @Override
    public boolean hasFingerprint(String noted, long rowCount) throws IOException {
        return noted.equals(fingerprint(rowCount))
                || noted.equals(shards.group().use(() -> fingerprints.ofSamples(rowCount)));
    }

    @Override
    public boolean isFingerprintExact() {
        return fingerprints.isExact();
    }

    /// The metadata in the manifest.
    @Override
    public Map<String, String> metadata() {
        return listing.manifest() == null ? Map.of() : listing.manifest().metadata();
    }

    @Override
    public List<String> remarks() {
        return listing.remarks();
    }

    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("width", width());
        facts.put("dtype", type().toString());
        facts.put("shards", (long) shards.headers().size());
        facts.put("batchRows", batchRows());
        facts.put("manifest", listing.manifest() != null);
        return facts;
    }

    @Override
    public void close() {
        shards.close();
        gather.close();
    }
}
