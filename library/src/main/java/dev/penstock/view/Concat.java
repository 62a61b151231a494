// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Batch;
import dev.penstock.ClosedException;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Indices;
import dev.penstock.Origin;
import dev.penstock.Progress;
import dev.penstock.RemoteRecords;
import dev.penstock.Row;
import dev.penstock.Shard;
import dev.penstock.Verification;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/// Several datasets as one: the records of the first part, then those of the second, and so on. Records are copied
/// only when they are gathered into a batch.
///
/// All parts must have the same fields. A gather within one part is passed on to that part. A gather across
/// several parts gathers each part once and moves the rows to their places. Exceptions name the file and record of
/// the part.
///
/// A view of stores that are being written follows them with [#refresh].
///
/// Closing a view leaves its parts open, and an error of a part is passed on as it is. Parts are shared between
/// views; the error names the damaged file and record.
///
/// **Ownership.** The parts belong to the caller. Closing the view frees its own memory and leaves the parts open,
/// except for a view from [#owning]. If a part is closed, gathering its records fails.
///
/// **Threads.** Safe for any number of threads, as for every [Dataset].
public final class Concat implements Dataset {
    private final ViewParts parts;
    /// The view index of the first record of each part, followed by the total number of records. [#refresh]
    /// replaces the array.
    private volatile long[] starts;
    /// Reads share it, and [#refresh] has it alone, so that no read mixes the records of two states.
    private final ReadWriteLock states = new ReentrantReadWriteLock();

    private final Location location;
    private final boolean isOwner;
    /// The metadata of the whole, or null when it is that of the parts.
    private final Map<String, String> metadata;
    private final FieldPools<ConcatGather> gathers;
    private volatile boolean isClosed;

    private Concat(ViewParts parts, long[] starts, Location location, boolean isOwner, Map<String, String> metadata) {
        this.metadata = metadata;
        this.parts = parts;
        this.starts = starts;
        this.location = location;
        this.isOwner = isOwner;
        this.gathers = new FieldPools<>(this, fields -> new ConcatGather(parts.all(), fields), ConcatGather::close);
    }

    /// Creates a view of the records of these datasets, in this order.
    ///
    /// @throws IllegalArgumentException when the list is empty, or the datasets differ in their fields
    public static Concat of(List<? extends Dataset> datasets) {
        ViewParts parts = new ViewParts(List.copyOf(datasets));
        return of(parts, parts.all().getFirst().location(), false, null);
    }

    /// Creates a view that owns its datasets. Closing the view closes them, and so does an exception of this call.
    ///
    /// @param location the location of the view: the pattern or the first path that named the datasets
    /// @throws IllegalArgumentException when the list is empty, or the datasets differ in their fields
    public static Concat owning(Location location, List<? extends Dataset> datasets) {
        return owning(location, datasets, null);
    }

    /// Creates a view that owns its datasets and has metadata of its own.
    ///
    /// @param metadata the metadata, or null for the entries that are equal in all parts
    /// @throws IllegalArgumentException when the list is empty, or the datasets differ in their fields
    public static Concat owning(Location location, List<? extends Dataset> datasets, Map<String, String> metadata) {
        try {
            return of(new ViewParts(List.copyOf(datasets)), location, true, metadata);
        } catch (Throwable e) {
            datasets.forEach(Dataset::close);
            throw e;
        }
    }

    private static Concat of(ViewParts parts, Location location, boolean isOwner, Map<String, String> metadata) {
        return new Concat(parts, starts(parts), location, isOwner, metadata);
    }

    private static long[] starts(ViewParts parts) {
        Dataset first = parts.all().getFirst();
        long[] starts = new long[parts.all().size() + 1];
        for (int i = 0; i < parts.all().size(); i++) {
            Dataset part = parts.all().get(i);
            SameFields.require(first, part);
            starts[i + 1] = Math.addExact(starts[i], part.count());
        }
        return starts;
    }

    /// The datasets that make up the view, in order.
    public List<Dataset> parts() {
        return parts.all();
    }

    /// The dataset that holds the record at `index` of the view.
    public Dataset part(long index) {
        return parts.all().get(number(starts, index));
    }

    /// The index within its [#part] of the record at `index` of the view.
    public long partIndex(long index) {
        long[] now = starts;
        return index - now[number(now, index)];
    }

    private static int number(long[] starts, long index) {
        return ConcatGather.partOf(starts, Objects.checkIndex(index, starts[starts.length - 1]));
    }

    @Override
    public RemoteRecords remote() {
        List<RemoteRecords> records = new ArrayList<>();
        parts.all().forEach(part -> records.add(part.remote()));
        return records.stream().allMatch(Objects::isNull) ? null : new ConcatRecords(records, starts);
    }

    @Override
    public String format() {
        return "concat";
    }

    @Override
    public int version() {
        return 1;
    }

    /// The location of the first part, or the one given to [#owning].
    @Override
    public Location location() {
        return location;
    }

    @Override
    public long count() {
        long[] now = starts;
        return now[now.length - 1];
    }

    /// The total size of all parts in bytes.
    @Override
    public long bytes() {
        return parts.bytes();
    }

    @Override
    public List<Field> fields() {
        return parts.all().getFirst().fields();
    }

    @Override
    public List<Shard> shards() {
        long[] now = starts;
        List<Shard> shards = new ArrayList<>();
        for (int i = 0; i < parts.all().size(); i++) {
            for (Shard shard : parts.all().get(i).shards()) {
                shards.add(shard.behind(now[i]));
            }
        }
        return shards;
    }

    @Override
    public boolean isRefreshable() {
        return parts.all().stream().anyMatch(Dataset::isRefreshable);
    }

    /// Moves all parts on to their last commit. Records that were appended to a part come after its others, so the
    /// indices of the parts behind it change, as if the view were created again. The call waits for reads that are
    /// under way.
    ///
    /// @return whether a part had a newer state
    /// @throws IllegalArgumentException when the fields of the parts differ now
    @Override
    public boolean refresh() throws IOException {
        requireOpen();
        Lock alone = states.writeLock();
        alone.lock();
        try {
            boolean hasMoved = false;
            try {
                for (Dataset part : parts.all()) {
                    hasMoved |= part.refresh();
                }
            } finally {
                // Some parts may have moved on before another one failed.
                starts = starts(parts);
            }
            return hasMoved;
        } finally {
            alone.unlock();
        }
    }

    /// A read of one part.
    @FunctionalInterface
    private interface PartRead<T> {
        T from(Dataset part, long partIndex) throws IOException;
    }

    private <T> T read(long index, PartRead<T> read) throws IOException {
        requireOpen();
        Lock shared = states.readLock();
        shared.lock();
        try {
            return read.from(part(index), partIndex(index));
        } finally {
            shared.unlock();
        }
    }

    @Override
    public Row get(long index) throws IOException {
        return read(index, (part, at) -> new Row(index, part.get(at).values()));
    }

    @Override
    public long length(Field field, long index) throws IOException {
        return read(index, (part, at) -> part.length(field, at));
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        batch.clear();
        requireOpen();
        List<Field> wanted = batch.fields();
        ConcatGather gather = gathers.borrow(wanted);
        Lock shared = states.readLock();
        shared.lock();
        try {
            gather.gather(starts, indices, batch);
        } catch (Throwable e) {
            batch.clear();
            throw e;
        } finally {
            shared.unlock();
            gathers.giveBack(wanted, gather);
        }
    }

    @Override
    public void prepare() {
        requireOpen();
        parts.prepare();
    }

    @Override
    public void prefetch(long firstIndex, long recordCount) {
        requireOpen();
        Objects.checkFromIndexSize(firstIndex, recordCount, count());
        long done = 0;
        while (done < recordCount) {
            Dataset part = part(firstIndex + done);
            long inPart = partIndex(firstIndex + done);
            long here = Math.min(recordCount - done, part.count() - inPart);
            part.prefetch(inPart, here);
            done += here;
        }
    }

    /// Verifies all parts.
    @Override
    public Verification verify(Progress progress) throws IOException {
        requireOpen();
        return parts.verify(progress);
    }

    /// A fingerprint built from the fingerprints of the parts that have records, and their number.
    @Override
    public String fingerprint() throws IOException {
        return fingerprint(count());
    }

    /// Known when the last of these records ends a part, or when its part knows its own earlier fingerprint.
    @Override
    public String fingerprint(long recordCount) throws IOException {
        requireOpen();
        Indices.requireFirst(this, recordCount);
        Fingerprint digest = new Fingerprint("concat 1");
        long[] now = starts;
        for (int i = 0; now[i] < recordCount; i++) {
            long partCount = Math.min(recordCount, now[i + 1]) - now[i];
            // Empty parts are left out: without them the view holds the same records in the same order.
            if (partCount > 0) {
                String fingerprint = parts.all().get(i).fingerprint(partCount);
                if (fingerprint == null) {
                    return null;
                }
                digest.add(fingerprint).add(partCount);
            }
        }
        return digest.text();
    }

    @Override
    public boolean isFingerprintExact() {
        return parts.all().stream().allMatch(Dataset::isFingerprintExact);
    }

    @Override
    public boolean hasDeleted() {
        return parts.all().stream().anyMatch(Dataset::hasDeleted);
    }

    @Override
    public boolean isDeleted(long index) throws IOException {
        return read(index, Dataset::isDeleted);
    }

    /// The metadata that was given, or else the entries that are equal in all parts.
    @Override
    public Map<String, String> metadata() {
        if (metadata != null) {
            return metadata;
        }
        Map<String, String> common = new LinkedHashMap<>(parts.all().getFirst().metadata());
        for (Dataset part : parts.all()) {
            common.entrySet().retainAll(part.metadata().entrySet());
        }
        return common;
    }

    /// The number of parts.
    @Override
    public Map<String, Object> facts() {
        return Map.of("parts", (long) parts.all().size());
    }

    @Override
    public List<String> remarks() {
        return parts.remarks();
    }

    @Override
    public List<Origin> origins(long index) {
        requireOpen();
        return part(index).origins(partIndex(index));
    }

    @Override
    public Map<String, Object> recipe() throws IOException {
        return ViewRecipe.of("concat", parts.all());
    }

    @Override
    public String name(long index) {
        requireOpen();
        return part(index).name(partIndex(index));
    }

    /// Closes the view. The parts stay open, unless the view owns them.
    @Override
    public void close() {
        isClosed = true;
        gathers.close();
        if (isOwner) {
            parts.all().forEach(Dataset::close);
        }
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException("the concatenation of " + parts.all().size() + " parts beginning with "
                    + location() + " is closed");
        }
    }
}
