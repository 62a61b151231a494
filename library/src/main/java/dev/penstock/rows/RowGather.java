// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import static dev.penstock.memory.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.Indices;
import dev.penstock.Pool;
import dev.penstock.memory.Faults;
import dev.penstock.memory.OpenFiles;
import dev.penstock.memory.Parallel;
import dev.penstock.memory.RangeList;
import dev.penstock.memory.Residency;
import dev.penstock.memory.RowCopy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Copies many rows at once: as they are stored, or taken apart into columns.
///
/// Indices are copied to private memory, checked there, and replaced by addresses in the same memory; only then is
/// anything written. Columns are filled a few hundred rows at a time, so that a row is fetched from memory by its
/// first field and is in the cache for all others: the rows are passed over once, whatever the number of fields.
///
/// Rows that have no address, because their file is not mapped or their values are spread over it, are read into
/// memory of our own first, neighbours together.
///
/// **Threads.** Any number; one gather uses as many as the options say.
public final class RowGather implements AutoCloseable {
    /// Two cache lines a row are well within the second-level cache.
    private static final int TILE_ROWS = 512;

    /// Below this a second thread costs more than it brings.
    private static final long PARALLEL_BYTES_MIN = 1L << 20;

    private static final int PARTS_PER_THREAD = 4;

    /// Rows that are read rather than mapped are read into memory of this size.
    private static final long READ_TILE_BYTES = 1L << 20;

    /// Rows from a store are read into memory of this size, so that enough requests are under way at once.
    private static final long RANGE_TILE_BYTES = 8L << 20;

    private static final int RANGE_TILE_ROWS = 16_384;

    /// Never started; asked whether memory is one thread's alone.
    private static final Thread ANOTHER_THREAD = new Thread(() -> {});

    private final RowFiles files;
    private final Map<String, RowField> fields;
    /// Whether finding the rows has touched the last of them.
    private final boolean isTouched;
    private final Pool<Scratch> scratches = new Pool<>(Scratch::new, Scratch::free);

    /// @param fields the fields that batches may want
    public RowGather(RowFiles files, List<RowField> fields) {
        this.files = files;
        this.isTouched = files.files().files().size() == 1;
        this.fields =
                fields.stream().collect(Collectors.toMap(field -> field.field().name(), Function.identity()));
    }

    /// What one gather needs beside its result: memory, and where its rows go. Used again, so that a gather makes
    /// no garbage.
    private static final class Scratch {
        final Buffer places = new Buffer();
        final Buffer tile = new Buffer();
        final Buffer tilePlaces = new Buffer();
        final RowTargets targets = new RowTargets();

        void free() {
            places.close();
            tile.close();
            tilePlaces.close();
        }
    }

    /// Fills the columns of a batch.
    ///
    /// @param indices 64-bit little-endian row indices
    /// @throws IndexOutOfBoundsException when there is no such row
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        // Written out, because it runs for every batch and should make no object.
        OpenFiles open = files.files();
        open.acquire();
        try {
            gatherHeld(indices, batch);
            Faults.settle();
        } catch (InternalError e) {
            throw open.translate(e);
        } finally {
            open.release();
        }
    }

    private void gatherHeld(MemorySegment indices, Batch batch) throws IOException {
        Scratch scratch = scratches.borrow();
        try {
            long rowCount = requireIndices(indices, scratch);
            want(batch, rowCount, scratch.targets);
            run(scratch, rowCount, TILE_ROWS);
            scratch.targets.swap(rowCount);
            batch.complete(rowCount);
        } finally {
            scratch.targets.clear();
            scratches.giveBack(scratch);
        }
    }

    /// Copies rows as they are stored into a buffer, and returns their bytes, which belong to the buffer.
    public MemorySegment read(MemorySegment indices, Buffer target) throws IOException {
        return files.files().use(() -> {
            Scratch scratch = scratches.borrow();
            try {
                long rowCount = requireIndices(indices, scratch);
                long byteCount = Math.multiplyExact(rowCount, files.rowSize());
                Buffer.Block block = target.lease(byteCount);
                try {
                    scratch.targets.setRows(block.segment().address(), files.rowSize(), isTouched);
                    run(scratch, rowCount, Integer.MAX_VALUE);
                } finally {
                    block.release();
                }
                return target.segment().asSlice(0, byteCount);
            } finally {
                scratches.giveBack(scratch);
            }
        });
    }

    /// Copies rows as they are stored.
    ///
    /// Memory that another thread could free meanwhile, which is that of a shared or automatic arena, is filled
    /// through a small buffer: a few per cent slower than [#read(MemorySegment, Buffer)] or memory of a confined
    /// arena.
    public void read(MemorySegment indices, MemorySegment target) throws IOException {
        files.files().use(() -> {
            Scratch scratch = scratches.borrow();
            try {
                readHeld(indices, target, scratch);
            } finally {
                Reference.reachabilityFence(target);
                scratches.giveBack(scratch);
            }
            return null;
        });
    }

    private void readHeld(MemorySegment indices, MemorySegment target, Scratch scratch) throws IOException {
        long rowCount = requireIndices(indices, scratch);
        long byteCount = Math.multiplyExact(rowCount, files.rowSize());
        if (target.byteSize() < byteCount || target.isReadOnly()) {
            throw new IllegalArgumentException("the target has to be writable and of " + byteCount + " bytes at least");
        }
        requireUsable(target);
        if (canBeWrittenByAddress(target)) {
            scratch.targets.setRows(target.address(), files.rowSize(), isTouched);
            run(scratch, rowCount, Integer.MAX_VALUE);
        } else {
            readThroughBuffer(scratch, rowCount, target);
        }
    }

    /// The bytes of a field of one row in little-endian order: a view where the bytes of the row are those of the
    /// field, otherwise a copy. The caller holds the files open.
    public MemorySegment value(RowField field, long rowIndex) throws IOException {
        if (field.isPlain()) {
            return files.view(rowIndex, field.offset(), field.blockSize());
        }
        MemorySegment copy =
                MemorySegment.ofArray(new byte[Math.toIntExact(field.field().itemSize())]);
        MemorySegment row = files.view(rowIndex, 0, files.rowSize());
        field.forEachBlock(
                (rowOffset, columnOffset) -> MemorySegment.copy(row, rowOffset, copy, columnOffset, field.blockSize()));
        ByteOrderSwap.swap(copy, field.swapSize());
        return copy.asReadOnly();
    }

    /// Copies rows to a buffer of our own and from there to the target, a tile at a time. The runtime checks the
    /// second copy: when another thread closes the arena of the target, it throws and writes nothing.
    private void readThroughBuffer(Scratch scratch, long rowCount, MemorySegment target) throws IOException {
        MemorySegment places = scratch.places.segment();
        if (files.isAddressable()) {
            announce(places, rowCount);
        }
        long partCount = partCount(rowCount);
        Parallel.run(
                partCount,
                files.options().threads(),
                part -> readThroughBuffer(
                        places, rowCount * part / partCount, rowCount * (part + 1) / partCount, target));
    }

    private void readThroughBuffer(MemorySegment places, long firstRow, long rowLimit, MemorySegment target)
            throws IOException {
        long rowSize = files.rowSize();
        Scratch scratch = scratches.borrow();
        try {
            int tileRows = tileRows();
            MemorySegment tile = scratch.tile.reserve(tileRows * rowSize);
            for (long row = firstRow; row < rowLimit; row += tileRows) {
                int count = (int) Math.min(tileRows, rowLimit - row);
                if (files.isAddressable()) {
                    RowCopy.copy(
                            places.address() + row * U64.byteSize(),
                            count,
                            0,
                            rowSize,
                            tile.address(),
                            rowSize,
                            isTouched);
                    Faults.settle();
                } else {
                    readRuns(places.asSlice(row * U64.byteSize(), count * U64.byteSize()), tile);
                }
                MemorySegment.copy(tile, 0, target, row * rowSize, count * rowSize);
            }
        } finally {
            scratches.giveBack(scratch);
        }
    }

    private int tileRows() {
        boolean isRanged = files.files().isRanged();
        long bytes = isRanged ? RANGE_TILE_BYTES : READ_TILE_BYTES;
        return Math.clamp(bytes / Math.max(1, files.rowSize()), 1, isRanged ? RANGE_TILE_ROWS : TILE_ROWS);
    }

    /// Whether no other thread can free the memory while rows are written to its addresses: it belongs to this
    /// thread alone, or is never freed. Memory of the heap has no address.
    private static boolean canBeWrittenByAddress(MemorySegment target) {
        return target.isNative()
                && (!target.isAccessibleBy(ANOTHER_THREAD)
                        || target.scope().equals(Arena.global().scope()));
    }

    private static void requireUsable(MemorySegment target) {
        if (!target.scope().isAlive()) {
            throw new IllegalStateException("the memory of the target is closed");
        }
        if (!target.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException("the memory of the target belongs to another thread");
        }
    }

    /// Copies the indices, checks them, and where files are mapped turns them into addresses.
    ///
    /// @return how many there are
    private long requireIndices(MemorySegment indices, Scratch scratch) throws IOException {
        long rowCount = Indices.count(indices);
        MemorySegment places = scratch.places.reserve(indices.byteSize());
        // The caller's memory may belong to his thread alone, so this thread copies it.
        MemorySegment.copy(indices, 0, places, 0, indices.byteSize());
        long partCount = partCount(rowCount);
        boolean hasAll = partCount == 1 ? locate(places, 0, rowCount) : locateInParts(places, rowCount, partCount);
        if (!hasAll) {
            throw outOfRange(indices);
        }
        return rowCount;
    }

    /// Checks indices and, where rows have addresses, overwrites each index by the address of its row. One array
    /// holds both in turn, because a second one would cost as much memory traffic as the check itself; after this
    /// call nothing reads an index from it.
    private boolean locate(MemorySegment places, long firstRow, long rowLimit) {
        return files.isAddressable()
                ? files.places().locate(places, firstRow, rowLimit)
                : files.places().hasAll(places, firstRow, rowLimit);
    }

    private boolean locateInParts(MemorySegment places, long rowCount, long partCount) throws IOException {
        AtomicBoolean hasAll = new AtomicBoolean(true);
        Parallel.run(partCount, files.options().threads(), part -> {
            if (!locate(places, rowCount * part / partCount, rowCount * (part + 1) / partCount)) {
                hasAll.set(false);
            }
        });
        return hasAll.get();
    }

    private IndexOutOfBoundsException outOfRange(MemorySegment indices) {
        for (long at = 0; at < indices.byteSize(); at += U64.byteSize()) {
            long index = indices.get(U64, at);
            if (index < 0 || index >= files.count()) {
                return new IndexOutOfBoundsException("row " + index + " is not among the " + files.count() + " rows");
            }
        }
        return new IndexOutOfBoundsException("an index changed while it was used");
    }

    /// In how many parts rows are copied: one where more threads would cost more than they bring.
    private long partCount(long rowCount) {
        int threads = files.options().threads();
        boolean isWorthIt = threads > 1 && rowCount * files.rowSize() >= PARALLEL_BYTES_MIN;
        return isWorthIt ? Math.min(rowCount, (long) threads * PARTS_PER_THREAD) : 1;
    }

    private void want(Batch batch, long rowCount, RowTargets targets) {
        targets.clear();
        for (int i = 0; i < batch.columns().size(); i++) {
            Column column = batch.column(i);
            RowField field = fields.get(column.field().name());
            if (field == null || !field.field().equals(column.field())) {
                throw new IllegalArgumentException("the batch wants " + column.field() + "; the dataset has the fields "
                        + fields.values().stream().map(RowField::field).toList());
            }
            long byteCount = Math.multiplyExact(rowCount, column.field().itemSize());
            targets.addColumn(field, column.leaseValues(byteCount), isTouched);
        }
    }

    private void run(Scratch scratch, long rowCount, int tileRows) throws IOException {
        MemorySegment places = scratch.places.segment();
        if (!files.isAddressable()) {
            runReading(places, rowCount, scratch);
            return;
        }
        announce(places, rowCount);
        long partCount = partCount(rowCount);
        long address = places.address();
        RowTargets targets = scratch.targets;
        if (partCount == 1) {
            copy(targets, address, 0, rowCount, tileRows);
        } else {
            Parallel.run(
                    partCount,
                    files.options().threads(),
                    part -> copy(
                            targets,
                            address,
                            rowCount * part / partCount,
                            rowCount * (part + 1) / partCount,
                            tileRows));
        }
    }

    private static void copy(RowTargets targets, long address, long firstRow, long rowLimit, int tileRows) {
        long row = firstRow;
        while (row < rowLimit) {
            int tileCount = (int) Math.min(tileRows, rowLimit - row);
            targets.copy(address + row * U64.byteSize(), row, tileCount);
            row += tileCount;
        }
        Faults.settle();
    }

    /// Tells the system which pages will be read, neighbours in one call, when not all of them are in memory.
    private void announce(MemorySegment places, long rowCount) {
        Residency residency = files.files().residency();
        if (!residency.isStreamed() || files.rowSize() == 0) {
            return;
        }
        if (residency.hasMost(rowCount, row -> places.getAtIndex(U64, row))) {
            return;
        }
        long start = 0;
        long limit = 0;
        for (long row = 0; row < rowCount; row++) {
            long place = places.getAtIndex(U64, row);
            if (place != limit) {
                residency.willNeedAt(start, limit - start);
                start = place;
            }
            limit = place + files.rowSize();
        }
        residency.willNeedAt(start, limit - start);
    }

    /// Tells the system that consecutive rows will be read soon, if the files do not stay resident.
    public void prefetch(long firstRow, long rowCount) {
        files.files().use(() -> {
            announce(firstRow, rowCount);
            return null;
        });
    }

    private void announce(long firstRow, long rowCount) {
        Residency residency = files.files().residency();
        if (!residency.isStreamed() || !files.isAddressable()) {
            return;
        }
        long row = firstRow;
        while (row < firstRow + rowCount) {
            int fileIndex = files.fileOf(row);
            long limit = Math.min(firstRow + rowCount, files.start(fileIndex + 1));
            residency.willNeedAt(files.places().address(row), (limit - row) * files.rowSize());
            row = limit;
        }
    }

    /// Reads rows into memory, neighbours in one go, and hands them on from there.
    private void runReading(MemorySegment indices, long rowCount, Scratch scratch) throws IOException {
        long rowSize = files.rowSize();
        int tileRows = (int) Math.min(tileRows(), rowCount);
        MemorySegment rows = scratch.tile.reserve(Math.multiplyExact(tileRows, rowSize));
        MemorySegment places = scratch.tilePlaces.reserve(tileRows * U64.byteSize());
        for (int i = 0; i < tileRows; i++) {
            places.setAtIndex(U64, i, rows.address() + i * rowSize);
        }
        for (long row = 0; row < rowCount; row += tileRows) {
            int tileCount = (int) Math.min(tileRows, rowCount - row);
            readRuns(indices.asSlice(row * U64.byteSize(), tileCount * U64.byteSize()), rows);
            for (int done = 0; done < tileCount; done += TILE_ROWS) {
                int copyCount = Math.min(TILE_ROWS, tileCount - done);
                scratch.targets.copy(places.address() + done * U64.byteSize(), row + done, copyCount);
            }
        }
    }

    private void readRuns(MemorySegment indices, MemorySegment rows) throws IOException {
        long rowSize = files.rowSize();
        long count = indices.byteSize() / U64.byteSize();
        RangeList ranges = files.files().isRanged() ? new RangeList() : null;
        for (long i = 0; i < count; ) {
            long first = indices.getAtIndex(U64, i);
            long runCount = 1;
            while (i + runCount < count && indices.getAtIndex(U64, i + runCount) == first + runCount) {
                runCount++;
            }
            MemorySegment target = rows.asSlice(i * rowSize, runCount * rowSize);
            if (ranges == null) {
                files.read(first, runCount, target);
            } else {
                files.collect(first, runCount, target, ranges);
            }
            i += runCount;
        }
        if (ranges != null) {
            ranges.read();
        }
    }

    /// Frees the scratch memory, that in use when it comes back.
    @Override
    public void close() {
        scratches.close();
    }
}
