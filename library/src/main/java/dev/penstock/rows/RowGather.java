// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.ClosedException;
import dev.penstock.Column;
import dev.penstock.Indices;
import dev.penstock.Pool;
import dev.penstock.file.Faults;
import dev.penstock.file.OpenFiles;
import dev.penstock.file.Parallel;
import dev.penstock.file.Unscoped;
import dev.penstock.rows.kernel.RowCopy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Gathers many rows at once: in their stored form, or split into columns.
///
/// Indices are copied to private memory, checked there, and replaced by addresses in the same memory; only then is
/// anything written. Columns are filled a few hundred rows at a time. A row is fetched from memory by its first
/// field and is in the CPU cache for the others, so the rows are read once for any number of fields.
///
/// Rows without an address, because their file is not mapped or their values are scattered, are first read into a
/// buffer, neighbours together.
///
/// **Threads.** Safe for any number of threads. One gather uses the number of threads in the options.
///
/// Columns are filled a few hundred rows at a time, field by field, straight from the mapping. A row is fetched
/// from memory once, by its first field, and is in the cache for the others; no buffer in between.
public final class RowGather implements AutoCloseable {
    /// With two cache lines for each row a tile fits well in the second-level cache.
    static final int TILE_ROWS = 512;

    /// For fewer bytes a second thread costs more than it saves.
    static final long PARALLEL_BYTES_MIN = 1L << 20;

    static final int PARTS_PER_THREAD = 4;

    private final RowFiles files;
    private final Map<String, RowField> fields;
    /// Whether locating the rows has touched the last of them.
    private final boolean isTouched;
    private final RowPrefetch prefetch;
    private final UnmappedRows reads;
    private final Pool<Scratch> scratches = new Pool<>(Scratch::new, Scratch::free);

    /// @param fields the fields that batches may request
    public RowGather(RowFiles files, List<RowField> fields) {
        this.files = files;
        this.prefetch = new RowPrefetch(files);
        this.reads = new UnmappedRows(files);
        this.isTouched = files.files().files().size() == 1;
        this.fields =
                fields.stream().collect(Collectors.toMap(field -> field.field().name(), Function.identity()));
    }

    /// Scratch memory of a gather and the targets of its rows. It is reused, so that a gather creates no garbage.
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
    /// @throws IndexOutOfBoundsException when an index is out of range
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        // This repeats [OpenFiles#use] by hand, because it runs for every batch and should allocate no object.
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

    /// Copies rows in their stored form into a buffer, and returns their bytes, which belong to the buffer.
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

    /// Copies rows in their stored form.
    ///
    /// Memory that another thread could free, because it belongs to a shared or automatic arena, is filled through
    /// a small buffer. That is a few per cent slower than [#read(MemorySegment, Buffer)] or memory of a confined
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
            throw new IllegalArgumentException("the target must be writable and have at least " + byteCount + " bytes");
        }
        requireUsable(target);
        if (Unscoped.isSafe(target)) {
            scratch.targets.setRows(target.address(), files.rowSize(), isTouched);
            run(scratch, rowCount, Integer.MAX_VALUE);
        } else {
            readThroughBuffer(scratch, rowCount, target);
        }
    }

    /// A custom copy of rows.
    @FunctionalInterface
    public interface RowVisitor {
        /// Copies one row of a gather.
        ///
        /// @param row     the position of the row in the gather
        /// @param address the address of the stored row
        void copy(long row, long address);
    }

    /// Copies rows with code that converts them at the same time. Several threads may call it in parallel.
    ///
    /// @throws IllegalStateException when the rows have no addresses
    public void copyEach(MemorySegment indices, RowVisitor visitor) throws IOException {
        if (!files.isAddressable()) {
            throw new IllegalStateException("the rows have no addresses, because their files are not mapped");
        }
        files.files().use(() -> {
            Scratch scratch = scratches.borrow();
            try {
                long rowCount = requireIndices(indices, scratch);
                MemorySegment places = scratch.places.segment();
                prefetch.announce(places, rowCount);
                long partCount = partCount(rowCount);
                Parallel.run(partCount, files.options().threads(), part -> {
                    for (long row = rowCount * part / partCount; row < rowCount * (part + 1) / partCount; row++) {
                        visitor.copy(row, places.getAtIndex(U64, row));
                    }
                });
            } finally {
                scratches.giveBack(scratch);
            }
            return null;
        });
    }

    /// The bytes of a field of one row in little-endian order: a view if the stored bytes are those of the field,
    /// otherwise a copy. The caller holds the files open.
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

    /// Copies rows to a buffer and from there to the target, a tile at a time. The runtime checks the second copy:
    /// if another thread closes the arena of the target, it throws and writes nothing.
    private void readThroughBuffer(Scratch scratch, long rowCount, MemorySegment target) throws IOException {
        MemorySegment places = scratch.places.segment();
        if (files.isAddressable()) {
            prefetch.announce(places, rowCount);
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
            int tileRows = reads.tileRows();
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
                    reads.read(places.asSlice(row * U64.byteSize(), count * U64.byteSize()), tile);
                }
                MemorySegment.copy(tile, 0, target, row * rowSize, count * rowSize);
            }
        } finally {
            scratches.giveBack(scratch);
        }
    }

    private static void requireUsable(MemorySegment target) {
        if (!target.scope().isAlive()) {
            throw new ClosedException("the memory of the target is closed");
        }
        if (!target.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException("the memory of the target belongs to another thread");
        }
    }

    /// Copies and checks the indices, and if files are mapped turns them into addresses.
    ///
    /// @return the number of indices
    private long requireIndices(MemorySegment indices, Scratch scratch) throws IOException {
        long rowCount = Indices.count(indices);
        MemorySegment places = scratch.places.reserve(indices.byteSize());
        // The caller's memory may be confined to its thread, so this thread copies it.
        MemorySegment.copy(indices, 0, places, 0, indices.byteSize());
        files.requireChecked(places, rowCount, 1);
        long partCount = partCount(rowCount);
        boolean hasAll = partCount == 1 ? locate(places, 0, rowCount) : locateInParts(places, rowCount, partCount);
        if (!hasAll) {
            throw outOfRange(indices);
        }
        return rowCount;
    }

    /// Checks indices and, if rows have addresses, overwrites each index with the address of its row. One array is
    /// used for both, because a second one would cost as much memory traffic as the check itself. After this call
    /// no index is read from it.
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
                return new IndexOutOfBoundsException(
                        "row " + index + " is out of range: there are " + files.count() + " rows");
            }
        }
        return new IndexOutOfBoundsException("an index was changed by another thread during the gather");
    }

    /// The number of parts in which rows are copied; one if more threads would cost more than they save.
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
                throw new IllegalArgumentException(
                        "the batch was created with field " + column.field() + ", but the dataset has the fields "
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
        prefetch.announce(places, rowCount);
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

    /// Prefetches consecutive rows, if the files do not stay resident.
    public void prefetch(long firstRow, long rowCount) {
        files.files().use(() -> {
            prefetch.announce(firstRow, rowCount);
            return null;
        });
    }

    /// Reads rows into a buffer, neighbours in one read, and copies them from there.
    private void runReading(MemorySegment indices, long rowCount, Scratch scratch) throws IOException {
        long rowSize = files.rowSize();
        int tileRows = (int) Math.min(reads.tileRows(), rowCount);
        MemorySegment rows = scratch.tile.reserve(Math.multiplyExact(tileRows, rowSize));
        MemorySegment places = scratch.tilePlaces.reserve(tileRows * U64.byteSize());
        for (int i = 0; i < tileRows; i++) {
            places.setAtIndex(U64, i, rows.address() + i * rowSize);
        }
        for (long row = 0; row < rowCount; row += tileRows) {
            int tileCount = (int) Math.min(tileRows, rowCount - row);
            reads.read(indices.asSlice(row * U64.byteSize(), tileCount * U64.byteSize()), rows);
            for (int done = 0; done < tileCount; done += TILE_ROWS) {
                int copyCount = Math.min(TILE_ROWS, tileCount - done);
                scratch.targets.copy(places.address() + done * U64.byteSize(), row + done, copyCount);
            }
        }
    }

    /// Frees the scratch memory; memory in use is freed when it is returned.
    @Override
    public void close() {
        scratches.close();
    }
}
