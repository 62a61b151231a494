// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Indices;
import dev.penstock.Pool;
import dev.penstock.Reason;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.Parallel;
import dev.penstock.file.RangeReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Gathers the values of many records into a batch: first all places are looked up, then the sizes are added up,
/// then the values are copied, large batches by several threads. If the values lie in several chunks, they are
/// read chunk by chunk in the order of their offsets.
///
/// **Threads.** Safe for any number of threads.
final class StoreGather implements AutoCloseable {
    /// For fewer bytes a second thread costs more than it saves.
    private static final long PARALLEL_BYTES_MIN = 1L << 20;

    /// The number of parts of a gather for each thread, so that a part with large values does not delay the
    /// others.
    private static final int PARTS_PER_THREAD = 8;

    private final Location store;
    private final StoreCells cells;
    private final StoreValues values;
    private final List<StoreField> storeFields;
    private final List<Field> fields;
    private final int threads;
    private final Pool<Places> pool = new Pool<>(Places::new, places -> {});

    StoreGather(Location store, StoreState state, List<Field> fields, int threads) {
        this.store = store;
        this.cells = state.cells();
        this.values = state.values();
        this.storeFields = state.meta().fields();
        this.fields = fields;
        this.threads = threads;
    }

    /// The places of the values of a batch: two numbers for each row, in the form of [StoreEntry#of].
    private static final class Places {
        private long[] numbers = new long[0];
        private final ReadOrder order = new ReadOrder();

        void reserve(int rowCount) {
            order.begin(rowCount);
            if (numbers.length < 2 * rowCount) {
                numbers = new long[Math.multiplyExact(2, rowCount)];
            }
        }

        void set(int row, StoreEntry entry) {
            numbers[2 * row] = entry.chunkAndSize();
            numbers[2 * row + 1] = entry.offset();
            order.set(row, entry);
        }

        StoreEntry get(int row) {
            return StoreEntry.of(numbers[2 * row], numbers[2 * row + 1]);
        }
    }

    void gather(MemorySegment indices, Batch batch) throws IOException {
        int rowCount = Math.toIntExact(Indices.requireAll(indices, cells.length()));
        int[] positions = new int[batch.columns().size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = fields.indexOf(batch.column(i).field());
            if (positions[i] < 0) {
                throw new IllegalArgumentException("the batch wants "
                        + batch.column(i).field() + "; the store " + store + " has the fields " + fields);
            }
        }
        cells.prepare();
        Places places = pool.borrow();
        try {
            for (int i = 0; i < positions.length; i++) {
                gather(indices, rowCount, positions[i], batch.column(i), places);
            }
        } catch (Throwable e) {
            batch.clear();
            throw e;
        } finally {
            pool.giveBack(places);
        }
        batch.complete(rowCount);
    }

    private void gather(MemorySegment indices, int rowCount, int field, Column column, Places places)
            throws IOException {
        places.reserve(rowCount);
        cells.fetch(field, rowCount, row -> Indices.at(indices, row));
        int missingCount = 0;
        for (int row = 0; row < rowCount; row++) {
            StoreEntry entry = cells.get(field, Indices.at(indices, row));
            places.set(row, entry);
            missingCount += entry.isMissing() ? 1 : 0;
        }
        if (missingCount > 0) {
            MemorySegment missing = column.reserveMissing(rowCount);
            for (int row = 0; row < rowCount; row++) {
                missing.set(U8, row, (byte) (places.get(row).isMissing() ? 1 : 0));
            }
        }
        if (!values.isRanged() && (places.order.isMixed() || isStreamed(places, rowCount))) {
            places.order.sort();
        }
        FetchedValues fetched = values.isRanged() ? FetchedValues.read(values, rowCount, places::get) : null;
        boolean isVariable = column.field().isVariable();
        long itemSize = column.field().itemSize();
        MemorySegment offsets = isVariable ? column.reserveOffsets(rowCount) : null;
        long total = isVariable
                ? layOut(field, rowCount, places, fetched, offsets)
                : Math.multiplyExact((long) rowCount, itemSize);
        MemorySegment target = column.reserveValues(total);
        boolean isWorthIt = total >= PARALLEL_BYTES_MIN && threads > 1;
        long partCount = isWorthIt ? Math.min(rowCount, (long) threads * PARTS_PER_THREAD) : 1;
        Parallel.run(partCount, threads, part -> {
            int from = (int) (rowCount * part / partCount);
            int to = (int) (rowCount * (part + 1) / partCount);
            fill(field, places, fetched, from, to, offsets, itemSize, target);
        });
    }

    /// Whether the values are read from the disk, because their chunk is too large to stay resident.
    private boolean isStreamed(Places places, int rowCount) throws IOException {
        for (int row = 0; row < rowCount; row++) {
            StoreEntry entry = places.get(row);
            if (entry.hasBytes()) {
                try (Run run = new Run(null)) {
                    return run.chunk(entry).isStreamed();
                }
            }
        }
        return false;
    }

    /// Writes the offset of each row, and returns the end of the last one.
    private long layOut(int field, int rowCount, Places places, FetchedValues fetched, MemorySegment offsets)
            throws IOException {
        try (Run run = new Run(fetched)) {
            for (int at = 0; at < rowCount; at++) {
                int row = places.order.row(at);
                StoreEntry entry = places.get(row);
                long size = entry.hasBytes()
                        ? values.rawSize(storeFields.get(field), entry, run.source(row, entry), run.scratch)
                        : 0;
                offsets.setAtIndex(U64, row + 1, size);
            }
        }
        long end = 0;
        offsets.setAtIndex(U64, 0, end);
        for (int row = 1; row <= rowCount; row++) {
            end = Math.addExact(end, offsets.getAtIndex(U64, row));
            offsets.setAtIndex(U64, row, end);
        }
        return end;
    }

    private void fill(
            int field,
            Places places,
            FetchedValues fetched,
            int from,
            int to,
            MemorySegment offsets,
            long itemSize,
            MemorySegment target)
            throws IOException {
        StoreField storeField = storeFields.get(field);
        try (Run run = new Run(fetched)) {
            announce(places, from, to, run);
            for (int at = from; at < to; at++) {
                int row = places.order.row(at);
                StoreEntry entry = places.get(row);
                long start = offsets == null ? row * itemSize : offsets.getAtIndex(U64, row);
                long size = offsets == null ? itemSize : offsets.getAtIndex(U64, row + 1) - start;
                MemorySegment value = target.asSlice(start, size);
                if (!entry.hasBytes()) {
                    requireFitting(field, entry, entry.isMissing() ? size : 0, size);
                    value.fill((byte) 0);
                    continue;
                }
                RangeReader chunk = run.source(row, entry);
                long rawSize = offsets == null ? values.rawSize(storeField, entry, chunk, run.scratch) : size;
                requireFitting(field, entry, rawSize, size);
                values.fill(storeField, entry, chunk, value, run.scratch);
            }
        }
    }

    /// Prefetches the parts of chunks that are about to be read, if they are too large to stay resident.
    private static void announce(Places places, int from, int to, Run run) throws IOException {
        for (int at = from; at < to && run.fetched == null; at++) {
            StoreEntry entry = places.get(places.order.row(at));
            if (entry.hasBytes()) {
                OpenFile chunk = run.chunk(entry);
                if (!chunk.isStreamed()) {
                    return;
                }
                chunk.willNeed(entry.offset(), entry.size());
            }
        }
    }

    /// Checks that a value has the declared size of its field, or a whole number of its elements.
    private void requireFitting(int field, StoreEntry entry, long rawSize, long size) {
        Field column = fields.get(field);
        boolean fits = column.isVariable() ? rawSize % column.itemSize() == 0 : rawSize == size;
        if (!fits) {
            throw new DatasetException.Corrupt(
                    StoreFormat.chunk(store, entry.chunk()),
                    entry.offset(),
                    Reason.SHARD_MISMATCH,
                    "a value of field " + column.name() + " has " + rawSize + " bytes, which do not fit "
                            + storeFields.get(field).description());
        }
    }

    /// The bytes of one value; null when it is missing.
    byte[] value(int field, long index) throws IOException {
        StoreEntry entry = cells.get(field, index);
        byte[] value = values.value(storeFields.get(field), entry);
        if (value != null) {
            requireFitting(field, entry, value.length, fields.get(field).itemSize());
        }
        return value;
    }

    /// Reads rows one after another. A chunk is held until a row of another chunk comes.
    private final class Run implements AutoCloseable {
        private final StoreValues.Scratch scratch = values.borrowScratch();
        /// The bytes of all rows, or null when they are read from the chunks.
        private final FetchedValues fetched;

        private long id = -1;
        private OpenFile chunk;

        Run(FetchedValues fetched) {
            this.fetched = fetched;
        }

        RangeReader source(int row, StoreEntry entry) throws IOException {
            return fetched == null ? chunk(entry) : fetched.at(row);
        }

        OpenFile chunk(StoreEntry entry) throws IOException {
            boolean isHeld = chunk != null
                    && entry.chunk() == id
                    && entry.offset() >= StoreFormat.PREFIX_SIZE
                    && entry.offset() <= chunk.size() - entry.size();
            if (!isHeld) {
                release();
                chunk = values.acquireChunk(entry);
                id = entry.chunk();
                chunk.prepare();
            }
            return chunk;
        }

        private void release() {
            if (chunk != null) {
                chunk.release();
                chunk = null;
            }
        }

        @Override
        public void close() {
            release();
            values.giveBack(scratch);
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
