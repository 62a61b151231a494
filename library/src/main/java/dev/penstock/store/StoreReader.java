// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Indices;
import dev.penstock.Leases;
import dev.penstock.Location;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.memory.Disk;
import dev.penstock.memory.FormatOptions;
import dev.penstock.memory.ReaderOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A committed state of a store, as a dataset. It stays as it is, whatever a writer does meanwhile.
///
/// A field with a declared dtype and shape is a fixed field; one with a dtype alone holds any number of
/// elements; any other is bytes. A value that a record lacks is missing, and a deleted record lacks all values.
/// Every value is checked against its checksum when it is read, unless the options say otherwise.
///
/// **Ownership.** Owns the open files; batches belong to the caller, and rows are copies. [#views] lends values
/// where they lie.
///
/// **Threads.** Any number, as [Dataset] says.
public final class StoreReader implements Dataset {
    private final Path path;
    private final Options options;
    private final StoreState state;
    private final List<Field> fields;
    private final StoreGather gather;
    private final Leases leases;

    /// How to read a store.
    ///
    /// @param reading    what all formats share
    /// @param isChecking whether `get` and `gather` compare values with their checksums; `verify` always does
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

    private StoreReader(Path path, Options options, StoreState state) {
        this.path = path;
        this.options = options;
        this.state = state;
        this.fields = state.meta().fields().stream().map(StoreField::column).toList();
        this.gather = new StoreGather(path, state, fields, options.threads());
        this.leases = new Leases(this::free);
    }

    /// Whether a folder is a store, by the names in it: damage is for [#open] to find.
    public static boolean isStore(Disk disk, Path path) throws IOException {
        boolean hasMeta =
                disk.exists(path.resolve(StoreFormat.META)) || disk.exists(path.resolve(StoreFormat.META_SWITCH));
        return hasMeta && disk.isDirectory(path.resolve(StoreFormat.CHUNK_FOLDER));
    }

    /// Opens the last committed state.
    ///
    /// @throws java.nio.file.NoSuchFileException when there is no store
    /// @throws DatasetException                  when its files are damaged
    public static StoreReader open(Path path) throws IOException {
        return open(path, Options.DEFAULT);
    }

    /// Opens the last committed state on a disk.
    public static StoreReader open(Path path, Disk disk) throws IOException {
        return open(path, Options.DEFAULT.withDisk(disk));
    }

    /// Opens the last committed state in a certain way.
    public static StoreReader open(Path path, Options options) throws IOException {
        return open(path, options, Long.MAX_VALUE);
    }

    static StoreReader open(Path path, Options options, long sequenceLimit) throws IOException {
        return new StoreReader(path, options, StoreState.load(path, options, sequenceLimit));
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
        return Location.of(path);
    }

    /// Records, deleted ones that left a tombstone included.
    @Override
    public long count() {
        return state.cells().length();
    }

    /// Fields as they were declared.
    public List<StoreField> storeFields() {
        return state.meta().fields();
    }

    /// The sequence of the commit whose state this is.
    public long sequence() {
        return state.sequence();
    }

    /// Records that were deleted and left a tombstone.
    public long deletedCount() {
        return state.cells().deletedCount();
    }

    @Override
    public boolean hasDeleted() {
        return deletedCount() > 0;
    }

    @Override
    public boolean isDeleted(long index) throws IOException {
        Objects.checkIndex(index, count());
        return using(() -> state.cells().get(0, index).isDeleted());
    }

    @Override
    public long bytes() {
        try {
            return using(() -> {
                long bytes = state.cells().tableBytes();
                for (Path file : options.disk().list(path.resolve(StoreFormat.CHUNK_FOLDER))) {
                    try (Disk.Readable readable = options.disk().open(file)) {
                        bytes += readable.size();
                    }
                }
                return bytes;
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<Field> fields() {
        return fields;
    }

    @Override
    public Row get(long index) throws IOException {
        return using(() -> {
            Objects.checkIndex(index, count());
            List<MemorySegment> values = new ArrayList<>();
            for (int field = 0; field < fields.size(); field++) {
                byte[] value = gather.value(field, index);
                values.add(
                        value == null
                                ? Row.MISSING
                                : MemorySegment.ofArray(value).asReadOnly());
            }
            return new Row(index, values);
        });
    }

    /// The values of one field of many records, where they lie in the mapped chunks: nothing is copied.
    ///
    /// Each value is checked against its checksum first, if the options say so.
    ///
    /// @throws IllegalArgumentException  when there is no such field, or its values are compressed
    /// @throws IndexOutOfBoundsException when there is no such record
    public StoreViews views(long[] indices, String field) throws IOException {
        acquire();
        try {
            return StoreViews.of(state, StoreField.position(storeFields(), field), indices, leases::release);
        } catch (Throwable e) {
            leases.release();
            throw e;
        }
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        batch.clear();
        using(() -> {
            gather.gather(indices, batch);
            return null;
        });
    }

    /// Begins to bring the tables into memory. Chunks follow when they are first used.
    @Override
    public void prepare() {
        acquire();
        try {
            state.cells().prepare();
        } finally {
            leases.release();
        }
    }

    @Override
    public String name(long index) {
        Objects.checkIndex(index, count());
        return null;
    }

    @Override
    public Verification verify(Progress progress) throws IOException {
        return using(() -> new StoreVerifier(path, options.disk(), state).verify(progress));
    }

    /// How the space of the store is used. Looks at every slot and reads no value.
    public StoreStats stats(Progress progress) throws IOException {
        return using(() -> StoreStats.of(path, options.disk(), state, progress));
    }

    /// Covers the stored checksums of all records, or of a sample of a large store, and how often records were
    /// changed: two states of one store that differ by more than appended records have different fingerprints.
    @Override
    public String fingerprint() throws IOException {
        return fingerprint(count());
    }

    @Override
    public String fingerprint(long recordCount) throws IOException {
        Indices.requireFirst(this, recordCount);
        return using(() -> StoreFingerprint.of(state, recordCount));
    }

    @Override
    public boolean isFingerprintExact() {
        return count() <= StoreFingerprint.SAMPLE_COUNT;
    }

    /// Stores have no metadata.
    @Override
    public Map<String, String> metadata() {
        return Map.of();
    }

    /// The compression of each field, how records are deleted, and the commit.
    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        for (StoreField field : state.meta().fields()) {
            facts.put("compress." + field.name(), field.compression().word());
        }
        facts.put("delete", state.meta().isSwapping() ? "swap" : "tombstone");
        facts.put("deleted", deletedCount());
        facts.put("commit", state.sequence());
        facts.put("published", state.meta().published());
        facts.put("chunks", state.meta().chunkCount());
        return facts;
    }

    /// Says when other programs see an older state.
    @Override
    public List<String> remarks() {
        if (state.meta().isPlain()) {
            return List.of("Another program wrote this store. Its values have no checksums, and it can only be read.");
        }
        if (state.isPublished()) {
            return List.of();
        }
        return List.of("Programs that know the published layout alone see commit "
                + state.meta().published() + " of this store and not commit " + state.sequence()
                + "; `store checkpoint` publishes it.");
    }

    /// Something done while the files are open.
    @FunctionalInterface
    private interface Use<T> {
        T run() throws IOException;
    }

    private <T> T using(Use<T> something) throws IOException {
        acquire();
        try {
            return something.run();
        } finally {
            leases.release();
        }
    }

    private void acquire() {
        if (!leases.acquire()) {
            throw new IllegalStateException("the store " + path + " is closed");
        }
    }

    /// Closes the files as soon as all calls under way have ended and all [StoreViews] are closed.
    @Override
    public void close() {
        leases.close();
    }

    private void free() {
        gather.close();
        state.close();
    }
}
