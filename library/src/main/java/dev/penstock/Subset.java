// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Some records of another dataset, in an order of their own, as a dataset. No record is copied.
///
/// Record `i` is record `indices[i]` of the base; indices may repeat. What is said about files (path, bytes,
/// [#verify]) is that of the base.
///
/// **Ownership.** The base belongs to the caller. Closing the view ends the view only; when the base is closed,
/// the view is too.
///
/// **Threads.** Any number, as [Dataset] says.
public final class Subset implements Dataset {
    private final Dataset base;
    private final long[] indices;
    /// Memory for the indices in the base.
    private final Pool<Buffer> scratch = new Pool<>(Buffer::new, Buffer::close);

    private volatile boolean isClosed;

    private Subset(Dataset base, long[] indices) {
        this.base = base;
        this.indices = indices;
    }

    /// A view of the records at these indices.
    ///
    /// @throws IndexOutOfBoundsException when the base has no such record
    public static Subset of(Dataset base, long[] indices) {
        long[] own = indices.clone();
        for (int i = 0; i < own.length; i++) {
            if (own[i] < 0 || own[i] >= base.count()) {
                throw new IndexOutOfBoundsException("position " + i + " of the subset asks for record " + own[i] + ": "
                        + base.location() + " has " + base.count() + " records");
            }
        }
        return new Subset(base, own);
    }

    /// The index that a record of the view has in the base.
    public long baseIndex(long index) {
        return indices[(int) Objects.checkIndex(index, count())];
    }

    @Override
    public String format() {
        return base.format();
    }

    @Override
    public int version() {
        return base.version();
    }

    @Override
    public Location location() {
        return base.location();
    }

    @Override
    public long count() {
        return indices.length;
    }

    /// Those of the base.
    @Override
    public long bytes() {
        return base.bytes();
    }

    @Override
    public List<Field> fields() {
        return base.fields();
    }

    @Override
    public Row get(long index) throws IOException {
        requireOpen();
        return new Row(index, base.get(baseIndex(index)).values());
    }

    @Override
    public long length(Field field, long index) throws IOException {
        requireOpen();
        return base.length(field, baseIndex(index));
    }

    @Override
    public void gather(MemorySegment wanted, Batch batch) throws IOException {
        batch.clear();
        requireOpen();
        long rowCount = Indices.count(wanted);
        Buffer buffer = scratch.borrow();
        try {
            MemorySegment translated = buffer.reserve(wanted.byteSize());
            for (long row = 0; row < rowCount; row++) {
                translated.setAtIndex(Indices.INDEX, row, baseIndex(Indices.at(wanted, row)));
            }
            base.gather(translated.asSlice(0, wanted.byteSize()), batch);
        } finally {
            scratch.giveBack(buffer);
        }
    }

    @Override
    public void prepare() {
        requireOpen();
        base.prepare();
    }

    /// Checks all of the base.
    @Override
    public Verification verify(Progress progress) throws IOException {
        requireOpen();
        return base.verify(progress);
    }

    /// Made of that of the base and the indices.
    @Override
    public String fingerprint() throws IOException {
        requireOpen();
        return new Fingerprint("subset 1 of " + base.fingerprint()).add(indices).text();
    }

    @Override
    public boolean isFingerprintExact() {
        return base.isFingerprintExact();
    }

    @Override
    public boolean hasDeleted() {
        return base.hasDeleted();
    }

    @Override
    public boolean isDeleted(long index) throws IOException {
        requireOpen();
        return base.isDeleted(baseIndex(index));
    }

    @Override
    public Map<String, String> metadata() {
        return base.metadata();
    }

    /// Those of the base, and of how many records these are some.
    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>(base.facts());
        facts.put("subsetOf", base.count());
        return facts;
    }

    @Override
    public List<String> remarks() {
        return base.remarks();
    }

    @Override
    public String name(long index) {
        requireOpen();
        return base.name(baseIndex(index));
    }

    /// Ends the view; the base stays open.
    @Override
    public void close() {
        isClosed = true;
        scratch.close();
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the subset of " + base.location() + " is closed");
        }
    }
}
