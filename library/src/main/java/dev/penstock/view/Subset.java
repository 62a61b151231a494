// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.ClosedException;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Indices;
import dev.penstock.Origin;
import dev.penstock.Pool;
import dev.penstock.Progress;
import dev.penstock.RemoteRecords;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A selection of the records of another dataset, in any order. No record is copied.
///
/// Record `i` is record `indices[i]` of the base; indices may repeat. Location, size and [#verify] are those of
/// the base.
///
/// Views ([Subset], [Concat], [Zip]) are datasets over datasets and know no format. [Concat] gathers each part
/// once and moves the rows to their places; [Zip] exchanges the memory of columns (`Column.exchange`) and
/// copies nothing. Everything that works on a dataset works on a view, and a record is copied as few times as
/// the view allows.
///
/// **Ownership.** The base belongs to the caller. Closing the view leaves the base open. Closing the base makes
/// the view unusable.
///
/// **Threads.** Safe for any number of threads, as for every [Dataset].
public final class Subset implements Dataset {
    private final Dataset base;
    private final Selection selection;
    /// The condition that selected the records, or null when it is not known.
    private final String condition;
    /// Scratch memory for base indices.
    private final Pool<Buffer> scratch = new Pool<>(Buffer::new, Buffer::close);

    private volatile boolean isClosed;

    private Subset(Dataset base, Selection selection, String condition) {
        this.base = base;
        this.selection = selection;
        this.condition = condition;
    }

    /// Creates a view of the records at these indices.
    ///
    /// @throws IndexOutOfBoundsException when an index is out of range
    public static Subset of(Dataset base, long[] indices) {
        for (int i = 0; i < indices.length; i++) {
            if (indices[i] < 0 || indices[i] >= base.count()) {
                throw new IndexOutOfBoundsException(
                        "index " + indices[i] + " at position " + i + " of the subset is out of range" + ": "
                                + base.location() + " has " + base.count() + " records");
            }
        }
        return new Subset(base, Selection.of(indices), null);
    }

    /// Creates a view of the selected records.
    ///
    /// @throws IndexOutOfBoundsException when an index is out of range
    public static Subset of(Dataset base, Selection selection) {
        if (selection.least() < 0 || selection.greatest() >= base.count()) {
            throw new IndexOutOfBoundsException("the subset is out of range: it has the indices " + selection.least()
                    + " to " + selection.greatest() + ", but " + base.location() + " has " + base.count() + " records");
        }
        return new Subset(base, selection, null);
    }

    /// The same records, with the condition that they match and that no other record of the base matches. A
    /// checkpoint then has the condition, so that the view can be made again.
    public Subset withCondition(String condition) {
        return new Subset(base, selection, condition);
    }

    /// The selected records.
    public Selection selection() {
        return selection;
    }

    /// The base index of a record of the view.
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

    /// The size of the base in bytes.
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
    public RemoteRecords remote() {
        RemoteRecords records = base.remote();
        return records == null ? null : new SubsetRecords(records, selection);
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

    /// Verifies the whole base.
    @Override
    public Verification verify(Progress progress) throws IOException {
        requireOpen();
        return base.verify(progress);
    }

    /// A fingerprint built from the base's fingerprint and the selected indices.
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

    /// The base's facts, plus the number of records in the base.
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
    public List<Origin> origins(long index) {
        requireOpen();
        return base.origins(baseIndex(index));
    }

    @Override
    public Map<String, Object> recipe() throws IOException {
        Map<String, Object> recipe = ViewRecipe.of("subset", List.of(base));
        recipe.put("records", count());
        if (condition == null) {
            ViewRecipe.addRanges(recipe, selection);
        } else {
            recipe.put("where", condition);
        }
        return recipe;
    }

    @Override
    public String name(long index) {
        requireOpen();
        return base.name(baseIndex(index));
    }

    /// Closes the view. The base stays open.
    @Override
    public void close() {
        isClosed = true;
        scratch.close();
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException("the subset of " + base.location() + " is closed");
        }
    }
}
