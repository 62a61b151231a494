// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Location;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.memory.Disk;
import dev.penstock.memory.Layouts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/// A committed state of a store, as a dataset. It stays as it is, whatever a writer does meanwhile.
///
/// A field with a declared dtype and shape is a fixed field; one with a dtype alone holds any number of
/// elements; any other is bytes. A value that a record lacks is missing, and a deleted record lacks all values.
/// Every value is checked against its checksum when it is read.
///
/// **Ownership.** Owns the open files; batches belong to the caller, and rows are copies.
///
/// **Threads.** Any number, as [Dataset] says.
public final class StoreReader implements Dataset {
    private static final int FINGERPRINT_SAMPLES = 256;

    private final Path path;
    private final Disk disk;
    private final StoreState state;
    private final List<Field> fields;
    private final ReadWriteLock use = new ReentrantReadWriteLock();
    private boolean isClosed;

    private StoreReader(Path path, Disk disk, StoreState state) {
        this.path = path;
        this.disk = disk;
        this.state = state;
        this.fields = state.meta().fields().stream().map(StoreField::column).toList();
    }

    /// Opens the last committed state.
    ///
    /// @throws java.nio.file.NoSuchFileException when there is no store
    /// @throws DatasetException                  when its files are damaged
    public static StoreReader open(Path path) throws IOException {
        return open(path, Disk.real());
    }

    /// Opens the last committed state on a disk.
    public static StoreReader open(Path path, Disk disk) throws IOException {
        return open(path, disk, Long.MAX_VALUE);
    }

    static StoreReader open(Path path, Disk disk, long sequenceLimit) throws IOException {
        return new StoreReader(path, disk, StoreState.load(disk, path, sequenceLimit));
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

    /// Whether a record was deleted and left a tombstone.
    ///
    /// @throws IndexOutOfBoundsException when there is no such record
    public boolean isDeleted(long index) throws IOException {
        Objects.checkIndex(index, count());
        return using(() -> state.cells().get(0, index).isDeleted());
    }

    @Override
    public long bytes() {
        try {
            return using(() -> {
                long bytes = 0;
                for (Path file : files()) {
                    try (Disk.Readable readable = disk.open(file)) {
                        bytes += readable.size();
                    }
                }
                return bytes;
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        for (StoreField field : state.meta().fields()) {
            files.add(StoreFormat.table(path, field.name()));
        }
        files.addAll(disk.list(path.resolve(StoreFormat.CHUNK_FOLDER)));
        return files;
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
                byte[] value = value(field, index);
                values.add(
                        value == null
                                ? Row.MISSING
                                : MemorySegment.ofArray(value).asReadOnly());
            }
            return new Row(index, values);
        });
    }

    private byte[] value(int field, long index) throws IOException {
        StoreEntry entry = state.cells().get(field, index);
        byte[] value = state.values().value(state.meta().fields().get(field), entry);
        Field column = fields.get(field);
        boolean fits = value == null
                || (column.isVariable() ? value.length % column.itemSize() == 0 : value.length == column.itemSize());
        if (!fits) {
            throw new DatasetException.Corrupt(
                    StoreFormat.chunk(path, entry.chunk()),
                    entry.offset(),
                    Reason.SHARD_MISMATCH,
                    "the value of field " + column.name() + " of record " + index + " has " + value.length
                            + " bytes, which do not fit " + column);
        }
        return value;
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        batch.clear();
        using(() -> {
            long rowCount = indices.byteSize() / Layouts.U64.byteSize();
            if (rowCount * Layouts.U64.byteSize() != indices.byteSize()) {
                throw new IllegalArgumentException(indices.byteSize() + " bytes are no whole number of indices");
            }
            for (long row = 0; row < rowCount; row++) {
                Objects.checkIndex(index(indices, row), count());
            }
            try {
                for (Column column : batch.columns()) {
                    gather(indices, Math.toIntExact(rowCount), column);
                }
            } catch (Throwable e) {
                batch.clear();
                throw e;
            }
            batch.complete(rowCount);
            return null;
        });
    }

    private static long index(MemorySegment indices, long row) {
        return indices.get(Layouts.U64, row * Layouts.U64.byteSize());
    }

    private void gather(MemorySegment indices, int rowCount, Column column) throws IOException {
        int field = fields.indexOf(column.field());
        if (field < 0) {
            throw new IllegalArgumentException(
                    "the batch wants " + column.field() + "; the store " + path + " has the fields " + fields);
        }
        byte[][] values = new byte[rowCount][];
        boolean isVariable = column.field().isVariable();
        long total = 0;
        boolean isMissing = false;
        for (int row = 0; row < rowCount; row++) {
            values[row] = value(field, index(indices, row));
            isMissing |= values[row] == null;
            total += values[row] == null ? 0 : values[row].length;
        }
        long size =
                isVariable ? total : Math.multiplyExact(rowCount, column.field().itemSize());
        MemorySegment target = column.reserveValues(size);
        MemorySegment offsets = isVariable ? column.reserveOffsets(rowCount) : null;
        MemorySegment missing = isMissing ? column.reserveMissing(rowCount) : null;
        long end = 0;
        for (int row = 0; row < rowCount; row++) {
            if (isVariable) {
                offsets.setAtIndex(Layouts.U64, row, end);
            }
            byte[] value = values[row];
            if (value != null) {
                MemorySegment.copy(value, 0, target, Layouts.U8, end, value.length);
                end += value.length;
            } else {
                missing.set(Layouts.U8, row, (byte) 1);
                if (!isVariable) {
                    target.asSlice(end, column.field().itemSize()).fill((byte) 0);
                    end += column.field().itemSize();
                }
            }
        }
        if (isVariable) {
            offsets.setAtIndex(Layouts.U64, rowCount, end);
        }
    }

    /// Opening has read the journal already; values are read when they are asked for.
    @Override
    public void prepare() {
        requireOpen();
    }

    @Override
    public Verification verify(Progress progress) throws IOException {
        return using(() -> new StoreVerifier(path, disk, state).verify(progress));
    }

    /// Names the store and the commit, and covers a sample of the values. A copy of a store that was changed by
    /// other commits since is told apart by its sampled values; [#fullFingerprint] reads all of them.
    @Override
    public String fingerprint() throws IOException {
        return using(() -> {
            Fingerprint fingerprint = new Fingerprint("store 1 " + state.meta().uuid());
            fingerprint.add(state.sequence(), count());
            long step = Math.max(1, count() / FINGERPRINT_SAMPLES);
            for (long index = 0; index < count(); index += step) {
                addSample(fingerprint, index);
            }
            if (count() > 0) {
                addSample(fingerprint, count() - 1);
            }
            return fingerprint.text();
        });
    }

    private void addSample(Fingerprint fingerprint, long index) throws IOException {
        for (int field = 0; field < fields.size(); field++) {
            StoreEntry entry = state.cells().get(field, index);
            int crc = entry.hasBytes() ? state.values().stored(entry).crc() : 0;
            fingerprint.add(index, entry.chunk(), entry.offset(), entry.size(), crc);
        }
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
        facts.put("commit", state.sequence());
        facts.put("published", state.meta().published());
        facts.put("chunks", state.meta().chunkCount());
        return facts;
    }

    /// Something done while the files are open.
    @FunctionalInterface
    private interface Use<T> {
        T run() throws IOException;
    }

    private <T> T using(Use<T> something) throws IOException {
        use.readLock().lock();
        try {
            requireOpen();
            return something.run();
        } finally {
            use.readLock().unlock();
        }
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the store " + path + " is closed");
        }
    }

    @Override
    public void close() {
        use.writeLock().lock();
        try {
            if (!isClosed) {
                isClosed = true;
                state.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            use.writeLock().unlock();
        }
    }
}
