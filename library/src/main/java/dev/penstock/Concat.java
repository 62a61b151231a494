// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The records of several datasets one after the other, as a dataset. No record is copied but into batches.
///
/// All parts have the same fields. A gather that falls into one part is that part's; one that falls into several
/// gathers each part once and moves the rows to their places. An exception of a part names that part's file and
/// record.
///
/// **Ownership.** The parts belong to the caller. Closing the view ends the view only and frees its own memory;
/// when a part is closed, its records are refused.
///
/// **Threads.** Any number, as [Dataset] says.
public final class Concat implements Dataset {
    private final ViewParts parts;
    private final long[] starts;
    private final FieldPools<ConcatGather> gathers;
    private volatile boolean isClosed;

    private Concat(ViewParts parts, long[] starts) {
        this.parts = parts;
        this.starts = starts;
        this.gathers =
                new FieldPools<>(this, fields -> new ConcatGather(parts.all(), starts, fields), ConcatGather::close);
    }

    /// The records of these, one dataset after the other.
    ///
    /// @throws IllegalArgumentException when there is none, or they differ in their fields
    public static Concat of(List<? extends Dataset> datasets) {
        ViewParts parts = new ViewParts(List.copyOf(datasets));
        Dataset first = parts.all().getFirst();
        long[] starts = new long[parts.all().size() + 1];
        for (int i = 0; i < parts.all().size(); i++) {
            Dataset part = parts.all().get(i);
            if (!part.fields().equals(first.fields())) {
                throw new IllegalArgumentException("part " + i + ", " + part.location() + ", has the fields "
                        + part.fields() + " and the first, " + first.location() + ", has " + first.fields());
            }
            starts[i + 1] = Math.addExact(starts[i], part.count());
        }
        return new Concat(parts, starts);
    }

    /// The datasets, in their order.
    public List<Dataset> parts() {
        return parts.all();
    }

    /// The dataset that a record of the view is in.
    public Dataset part(long index) {
        return parts.all().get(number(index));
    }

    /// The index that a record of the view has in its [#part].
    public long partIndex(long index) {
        return index - starts[number(index)];
    }

    private int number(long index) {
        return ConcatGather.partOf(starts, Objects.checkIndex(index, count()));
    }

    @Override
    public String format() {
        return "concat";
    }

    @Override
    public int version() {
        return 1;
    }

    /// That of the first part.
    @Override
    public Location location() {
        return parts.all().getFirst().location();
    }

    @Override
    public long count() {
        return starts[starts.length - 1];
    }

    /// Those of all parts.
    @Override
    public long bytes() {
        return parts.bytes();
    }

    @Override
    public List<Field> fields() {
        return parts.all().getFirst().fields();
    }

    @Override
    public Row get(long index) throws IOException {
        requireOpen();
        return new Row(index, part(index).get(partIndex(index)).values());
    }

    @Override
    public long length(Field field, long index) throws IOException {
        requireOpen();
        return part(index).length(field, partIndex(index));
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        batch.clear();
        requireOpen();
        List<Field> wanted = batch.fields();
        ConcatGather gather = gathers.borrow(wanted);
        try {
            gather.gather(indices, batch);
        } catch (Throwable e) {
            batch.clear();
            throw e;
        } finally {
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

    /// Checks all parts.
    @Override
    public Verification verify(Progress progress) throws IOException {
        requireOpen();
        return parts.verify(progress);
    }

    /// Made of those of the parts that have records, and of how many.
    @Override
    public String fingerprint() throws IOException {
        return fingerprint(count());
    }

    /// Known where the last records are a whole part, or the first ones of a part that knows it.
    @Override
    public String fingerprint(long recordCount) throws IOException {
        requireOpen();
        Indices.requireFirst(this, recordCount);
        Fingerprint digest = new Fingerprint("concat 1");
        for (int i = 0; starts[i] < recordCount; i++) {
            long partCount = Math.min(recordCount, starts[i + 1]) - starts[i];
            // Without its empty parts a view holds the same records in the same order.
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
        requireOpen();
        return part(index).isDeleted(partIndex(index));
    }

    /// What all parts note alike.
    @Override
    public Map<String, String> metadata() {
        Map<String, String> common = new LinkedHashMap<>(parts.all().getFirst().metadata());
        for (Dataset part : parts.all()) {
            common.entrySet().retainAll(part.metadata().entrySet());
        }
        return common;
    }

    /// How many parts there are.
    @Override
    public Map<String, Object> facts() {
        return Map.of("parts", (long) parts.all().size());
    }

    @Override
    public List<String> remarks() {
        return parts.remarks();
    }

    @Override
    public String name(long index) {
        requireOpen();
        return part(index).name(partIndex(index));
    }

    /// Ends the view; the parts stay open.
    @Override
    public void close() {
        isClosed = true;
        gathers.close();
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException(
                    "the concat of " + parts.all().size() + " parts, the first " + location() + ", is closed");
        }
    }
}
