// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    private final Selection selection;
    /// Memory for the indices in the base.
    private final Pool<Buffer> scratch = new Pool<>(Buffer::new, Buffer::close);

    private volatile boolean isClosed;

    private Subset(Dataset base, Selection selection) {
        this.base = base;
        this.selection = selection;
    }

    /// A view of the records at these indices.
    ///
    /// @throws IndexOutOfBoundsException when the base has no such record
    public static Subset of(Dataset base, long[] indices) {
        for (int i = 0; i < indices.length; i++) {
            if (indices[i] < 0 || indices[i] >= base.count()) {
                throw new IndexOutOfBoundsException("position " + i + " of the subset asks for record " + indices[i]
                        + ": " + base.location() + " has " + base.count() + " records");
            }
        }
        return new Subset(base, Selection.of(indices));
    }

    /// A view of the selected records.
    ///
    /// @throws IndexOutOfBoundsException when the base has no such record
    public static Subset of(Dataset base, Selection selection) {
        if (selection.least() < 0 || selection.greatest() >= base.count()) {
            throw new IndexOutOfBoundsException("the subset asks for the records " + selection.least() + " to "
                    + selection.greatest() + ": " + base.location() + " has " + base.count() + " records");
        }
        return new Subset(base, selection);
    }

    /// The records of the base that the view has.
    public Selection selection() {
        return selection;
    }

    /// The index that a record of the view has in the base.
    public long baseIndex(long index) {
        return selection.at(index);
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
        return selection.count();
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
    public List<Field> conditionFields() {
        return base.conditionFields();
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
        Indices.count(wanted);
        Buffer buffer = scratch.borrow();
        try {
            MemorySegment translated = buffer.reserve(wanted.byteSize());
            selection.translate(wanted, translated);
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
        Fingerprint fingerprint = new Fingerprint("subset 1 of " + base.fingerprint());
        selection.addTo(fingerprint);
        return fingerprint.text();
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
