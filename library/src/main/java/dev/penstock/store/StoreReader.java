// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Batch;
import dev.penstock.ClosedException;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Indices;
import dev.penstock.Io;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.file.DatasetFiles;
import dev.penstock.file.Disk;
import dev.penstock.file.FormatOptions;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// A reader for a committed state of a store. It does not change, whatever a writer does, until [#refresh]
/// switches to the last commit.
///
/// A field with a declared dtype and shape is fixed. A field with only a dtype has a variable number of elements.
/// Any other field is bytes. A record may lack values, and all values of a deleted record are missing. Every value
/// is checked against its checksum when it is read, unless the options turn that off.
///
/// A store is not a `Dataset`; its snapshot is. A dataset is a fixed sequence of records.
///
/// `refresh` moves a [StoreReader] on; each call works in the state it began with ([StoreView]). A loader and
/// its views keep one object, and no batch mixes two commits.
///
/// The fingerprint of a store counts all changes other than appends (`zr.edits`). A checkpoint stays valid when
/// records are appended, and is refused after any other change, also where values are only sampled.
///
/// **Ownership.** Owns the open files; batches belong to the caller, and rows are copies.
///
/// **Threads.** Safe for any number of threads, as for every [Dataset].
public final class StoreReader implements Dataset {
    private final Location location;
    private final Storage storage;
    private final Options options;
    private volatile StoreView view;

    /// Options for reading a store.
    ///
    /// @param reading    the options that all formats share
    /// @param isChecking whether `get` and `gather` check values against their checksums; `verify` always does
    public record Options(ReaderOptions reading, boolean isChecking) implements FormatOptions<Options> {
        public static final Options DEFAULT = new Options(ReaderOptions.DEFAULT, true);

        @Override
        public Options withReading(ReaderOptions reading) {
            return new Options(reading, isChecking);
        }

        public Options withChecking(boolean isChecking) {
            return new Options(reading, isChecking);
        }
    }

    private StoreReader(Location location, Options options, StoreState state) {
        this.location = location;
        this.storage = options.reading().storageOf(location);
        this.options = options;
        this.view = new StoreView(location, state, options.threads());
    }

    /// Whether a folder is a store, decided by the names in it. [#open] finds damage.
    public static boolean isStore(Disk disk, Path path) throws IOException {
        return isStore(Storage.of(disk), Location.of(path));
    }

    /// Whether a folder of any storage is a store, decided by the names in it.
    public static boolean isStore(Storage storage, Location folder) throws IOException {
        return storage.isFolder(folder.resolve(StoreFormat.CHUNK_FOLDER)) && StoreMetaFile.exists(storage, folder);
    }

    /// Opens the last committed state.
    ///
    /// @throws java.nio.file.NoSuchFileException when the store does not exist
    /// @throws dev.penstock.DatasetException     when its files are damaged
    public static StoreReader open(Path path) throws IOException {
        return open(path, Options.DEFAULT);
    }

    /// Opens the last committed state on a disk.
    public static StoreReader open(Path path, Disk disk) throws IOException {
        return open(path, Options.DEFAULT.withDisk(disk));
    }

    /// Opens the last committed state with options.
    public static StoreReader open(Path path, Options options) throws IOException {
        return open(path, options, Long.MAX_VALUE);
    }

    static StoreReader open(Path path, Options options, long sequenceLimit) throws IOException {
        return open(Location.of(path), options, sequenceLimit);
    }

    /// Opens the last committed state of a store on a disk or in a remote storage. A remote store must not change
    /// while it is open: it is a copy, and nothing writes to it in place.
    public static StoreReader open(Location location, Options options) throws IOException {
        return open(location, options, Long.MAX_VALUE);
    }

    /// The files of a store, without its snapshots: first the journal, then the values and tables that its commits
    /// need, and last `meta.json`. So a copy that is made in this order while a writer appends has all values of
    /// the journal that it copied first.
    ///
    /// @throws java.nio.file.NoSuchFileException when the store does not exist
    public static DatasetFiles files(Storage storage, Location store) throws IOException {
        StoreMetaFile found = StoreMetaFile.find(storage, store);
        if (found == null) {
            throw StoreMetaFile.absent(storage, store);
        }
        if (found.isSwitched()) {
            throw new IllegalArgumentException(
                    store + " cannot be copied: its writer was stopped while it published changes; open the store for"
                            + " writing once, or copy a named snapshot");
        }
        List<String> names = new ArrayList<>();
        if (!found.meta().isPlain() && !found.meta().isSnapshot()) {
            names.add(
                    StoreFormat.journalName(found.meta().checkpoint().journal().number()));
        }
        Set<Long> retired = new HashSet<>();
        found.meta().chunks().retired().forEach(one -> retired.add(one.chunk()));
        for (long id : StoreFormat.chunkIds(storage, store)) {
            if (!retired.contains(id)) {
                names.add(StoreFormat.chunkName(id));
            }
        }
        found.meta().fields().forEach(field -> names.add(StoreFormat.tableName(field.name())));
        return DatasetFiles.committed(names, StoreFormat.META);
    }

    private static StoreReader open(Location location, Options options, long sequenceLimit) throws IOException {
        return new StoreReader(location, options, StoreState.load(location, options, sequenceLimit));
    }

    /// Whether this is a store of a disk, and not a named snapshot of one.
    @Override
    public boolean isRefreshable() {
        return options.reading().isOnDisk(location) && !view.state().meta().isSnapshot();
    }

    /// Switches to the last commit of a writer in this or another process, without waiting for the writer. Running
    /// calls finish in the state they began with; later calls see the updates and deletions, and [#fields] returns
    /// the fields that the store has then.
    ///
    /// @return whether there was a later commit
    /// @throws java.nio.file.NoSuchFileException when the store does not exist any more
    @Override
    public synchronized boolean refresh() throws IOException {
        if (!options.reading().isOnDisk(location)) {
            return false;
        }
        StoreView before = acquire();
        try {
            StoreState next = before.state().refreshed(options);
            if (next == null) {
                return false;
            }
            view = new StoreView(location, next, options.threads());
            before.close();
            return next.sequence() != before.state().sequence();
        } finally {
            before.release();
        }
    }

    @Override
    public String format() {
        return "store";
    }

    @Override
    public int version() {
        return StoreFormat.VERSION;
    }

    @Override
    public Location location() {
        return location;
    }

    /// The number of records, including tombstones of deleted records.
    @Override
    public long count() {
        return view.cells().length();
    }

    /// The declared fields.
    public List<StoreField> storeFields() {
        return view.state().meta().fields();
    }

    /// The sequence of the commit of this state.
    public long sequence() {
        return view.state().sequence();
    }

    /// The number of deleted records that left a tombstone.
    public long deletedCount() {
        return view.cells().deletedCount();
    }

    @Override
    public boolean hasDeleted() {
        return deletedCount() > 0;
    }

    @Override
    public boolean isDeleted(long index) throws IOException {
        return using(now -> {
            Objects.checkIndex(index, now.cells().length());
            return now.cells().get(0, index).isDeleted();
        });
    }

    @Override
    public long bytes() {
        try {
            return using(now -> now.cells().tableBytes() + StoreFormat.chunkBytes(storage, location));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<Field> fields() {
        return view.fields();
    }

    @Override
    public Row get(long index) throws IOException {
        return using(now -> {
            Objects.checkIndex(index, now.cells().length());
            List<MemorySegment> values = new ArrayList<>();
            for (int field = 0; field < now.fields().size(); field++) {
                byte[] value = now.gather().value(field, index);
                values.add(
                        value == null
                                ? Row.MISSING
                                : MemorySegment.ofArray(value).asReadOnly());
            }
            return new Row(index, values);
        });
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        batch.clear();
        using(now -> {
            now.gather().gather(indices, batch);
            return null;
        });
    }

    /// Where the bytes of a value lie in a file, for programs that map the file.
    ///
    /// @param chunk  the file
    /// @param offset bytes from its start
    public record Place(Path chunk, long offset, long size) {}

    /// The place of a value whose field is stored uncompressed, in a local store; empty when the record has no
    /// value. The bytes stay as they are; a rebalance may delete the file, which a map of it survives.
    ///
    /// @param field the number of the field
    /// @throws IllegalArgumentException when the value is compressed
    public Optional<Place> place(int field, long index) throws IOException {
        return using(now -> {
            Objects.checkIndex(index, now.cells().length());
            StoreEntry entry = now.cells().get(field, index);
            if (entry.isMissing() || !entry.hasBytes()) {
                return entry.isMissing() ? Optional.empty() : Optional.of(new Place(null, 0, 0));
            }
            StoreField declared = now.state().meta().fields().get(field);
            if (declared.compression(entry.chunk()) != StoreCompression.RAW) {
                throw new IllegalArgumentException("record " + index + " of " + location + " has a compressed value in"
                        + " field " + declared.name() + ", which cannot be mapped; read it instead");
            }
            Path chunk = StoreFormat.chunk(location.path(), entry.chunk());
            return Optional.of(new Place(chunk, entry.offset(), entry.size()));
        });
    }

    /// Starts loading the tables into memory. Chunks follow when they are first used.
    @Override
    public void prepare() {
        StoreView now = acquire();
        try {
            now.cells().prepare();
        } finally {
            now.release();
        }
    }

    @Override
    public String name(long index) {
        Objects.checkIndex(index, count());
        return null;
    }

    @Override
    public Verification verify(Progress progress) throws IOException {
        return using(now -> new StoreVerifier(location, storage, now.state()).verify(progress));
    }

    /// Statistics of the space of the store. This reads every slot but no values.
    public StoreStats stats(Progress progress) throws IOException {
        return using(now -> StoreStats.of(location, storage, now.state(), progress));
    }

    /// Covers the stored checksums of all records, or of a sample of a large store, and the number of changes. Two
    /// states of one store that differ by more than appended records have different fingerprints.
    @Override
    public String fingerprint() throws IOException {
        return using(now -> StoreFingerprint.of(now.state(), now.cells().length()));
    }

    @Override
    public String fingerprint(long recordCount) throws IOException {
        Indices.requireFirst(this, recordCount);
        return using(now -> {
            // A refresh by another thread may have made the store shorter.
            Objects.checkFromIndexSize(0, recordCount, now.cells().length());
            return StoreFingerprint.of(now.state(), recordCount);
        });
    }

    @Override
    public boolean isFingerprintExact() {
        return count() <= StoreFingerprint.SAMPLE_COUNT;
    }

    /// Whether values have a checksum, which each read compares. Stores of other programs have none.
    public boolean hasChecksums() {
        return !view.state().meta().isPlain();
    }

    /// Stores have no metadata.
    @Override
    public Map<String, String> metadata() {
        return Map.of();
    }

    /// The compression of each field, the deletion mode, and the commit.
    @Override
    public Map<String, Object> facts() {
        StoreState state = view.state();
        Map<String, Object> facts = new LinkedHashMap<>();
        for (StoreField field : state.meta().fields()) {
            facts.put("compress." + field.name(), field.compression().word());
        }
        facts.put("delete", state.meta().isSwapping() ? "swap" : "tombstone");
        facts.put("deleted", state.cells().deletedCount());
        facts.put("commit", state.sequence());
        facts.put("published", state.meta().checkpoint().published().sequence());
        facts.put("chunks", state.meta().chunks().count());
        return facts;
    }

    /// Reports if other programs see an older state.
    @Override
    public List<String> remarks() {
        StoreState state = view.state();
        if (state.meta().isPlain()) {
            return List.of("Another program wrote this store. Its values have no checksums, and it can only be read.");
        }
        if (state.isPublished()) {
            return List.of();
        }
        return List.of("Programs that know only the published layout see commit "
                + state.meta().checkpoint().published().sequence() + " of this store instead of commit "
                + state.sequence()
                + "; `store checkpoint` publishes it.");
    }

    <T> T using(Io.Function<StoreView, T> work) throws IOException {
        StoreView now = acquire();
        try {
            return work.apply(now);
        } finally {
            now.release();
        }
    }

    private StoreView acquire() {
        while (true) {
            StoreView now = view;
            if (now.acquire()) {
                return now;
            }
            if (now == view) {
                throw new ClosedException("the store " + location + " is closed");
            }
        }
    }

    /// Closes the files when all running calls have ended.
    @Override
    public synchronized void close() {
        view.close();
    }
}
