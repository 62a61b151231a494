// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Batch;
import dev.penstock.ClosedException;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Origin;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.view.ViewRecipe;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The common part of the two dataset views of a pack of runs. Location, size and verification are those of the
/// pack.
///
/// **Ownership.** The pack belongs to the caller. Closing the view leaves it open.
///
/// **Threads.** Safe for any number of threads, as for every [Dataset].
abstract class RunView implements Dataset {
    final RunPack runs;
    /// The indices of the records of the pack that are runs.
    final long[] live;

    private final List<Field> fields;
    private volatile boolean isClosed;

    RunView(RunPack runs, List<Field> fields) {
        this.runs = runs;
        this.fields = fields;
        this.live = runs.liveIndices();
    }

    /// Fills the columns of a batch. The indices have been checked.
    abstract void fill(long[] indices, Batch batch) throws IOException;

    /// The word that distinguishes this view from the pack and from the other view.
    abstract String word();

    @Override
    public final String format() {
        return runs.pack().format();
    }

    @Override
    public final int version() {
        return runs.pack().version();
    }

    @Override
    public final Location location() {
        return runs.pack().location();
    }

    @Override
    public final long bytes() {
        return runs.pack().bytes();
    }

    @Override
    public final List<Field> fields() {
        return fields;
    }

    /// Returns a copy of one record.
    @Override
    public final Row get(long recordIndex) throws IOException {
        try (Batch batch = Batch.create(fields)) {
            gather(new long[] {recordIndex}, batch);
            List<MemorySegment> values = new ArrayList<>();
            batch.columns()
                    .forEach(column ->
                            values.add(MemorySegment.ofArray(column.value(0).toArray(Layouts.U8))
                                    .asReadOnly()));
            return new Row(recordIndex, values);
        }
    }

    @Override
    public final void gather(MemorySegment indices, Batch batch) throws IOException {
        batch.clear();
        requireOpen();
        if (indices.byteSize() % Long.BYTES != 0) {
            throw new IllegalArgumentException(
                    indices.byteSize() + " bytes of indices: the size must be a multiple of 8 bytes");
        }
        long[] wanted = new long[Math.toIntExact(indices.byteSize() / Long.BYTES)];
        for (int row = 0; row < wanted.length; row++) {
            wanted[row] = Objects.checkIndex(indices.get(Layouts.U64, (long) row * Long.BYTES), count());
        }
        for (Field field : batch.fields()) {
            if (!conditionFields().contains(field)) {
                throw new IllegalArgumentException(
                        "there is no field " + field + " in the " + word() + " of " + location());
            }
        }
        try {
            fill(wanted, batch);
        } catch (Throwable e) {
            batch.clear();
            throw e;
        }
        batch.complete(wanted.length);
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException("the view of " + location() + " is closed");
        }
    }

    @Override
    public final void prepare() {
        runs.pack().prepare();
    }

    /// Verifies the whole pack.
    @Override
    public final Verification verify(Progress progress) throws IOException {
        return runs.pack().verify(progress);
    }

    @Override
    public final String fingerprint() throws IOException {
        return word() + "-" + runs.pack().fingerprint();
    }

    /// The position in [#live] of the run that a record belongs to.
    abstract int runOf(long index);

    @Override
    public final List<Origin> origins(long index) {
        Objects.checkIndex(index, count());
        return runs.pack().origins(live[runOf(index)]);
    }

    @Override
    public final Map<String, Object> recipe() throws IOException {
        Map<String, Object> recipe = ViewRecipe.of("as", List.of(runs.pack()));
        recipe.put("name", word());
        return recipe;
    }

    @Override
    public final Map<String, String> metadata() {
        return runs.pack().metadata();
    }

    @Override
    public final Map<String, Object> facts() {
        return runs.pack().facts();
    }

    @Override
    public final void close() {
        isClosed = true;
    }
}
