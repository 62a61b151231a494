// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static dev.penstock.memory.Layouts.U16;
import static dev.penstock.memory.Layouts.U32;
import static dev.penstock.memory.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.Pool;
import dev.penstock.memory.Faults;
import dev.penstock.memory.Parallel;
import dev.penstock.memory.Residency;
import dev.penstock.memory.RowCopy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Copies many rows of a table at once: as they are stored, or taken apart into columns.
///
/// Indices are copied to private memory, checked there, and turned into addresses; only then is anything
/// written. Columns are filled a few hundred rows at a time, so that a row is fetched from memory by its first
/// field and is in the cache for all others: the rows are passed over once, whatever the number of fields.
final class TableGather implements AutoCloseable {
    /// Two cache lines a row are well within the second-level cache.
    private static final int TILE_ROWS = 512;

    /// Below this a second thread costs more than it brings.
    private static final long PARALLEL_BYTES_MIN = 1L << 20;

    private static final int PARTS_PER_THREAD = 4;

    /// Rows that are read rather than mapped are read into memory of this size.
    private static final long READ_TILE_BYTES = 1L << 20;

    /// Never started; asked whether memory is one thread's alone.
    private static final Thread ANOTHER_THREAD = new Thread(() -> {});

    private final TableRows shards;
    private final Map<String, RowField> fields;
    /// Whether finding the rows has touched the last of them.
    private final boolean isTouched;
    private final Pool<Scratch> scratches = new Pool<>(Scratch::new, Scratch::free);

    TableGather(TableRows shards, List<RowField> fields) {
        this.shards = shards;
        this.isTouched = shards.headers().size() == 1;
        this.fields =
                fields.stream().collect(Collectors.toMap(field -> field.field().name(), Function.identity()));
    }

    /// What one gather needs beside its result: memory, and where its rows go. Used again, so that a gather makes
    /// no garbage.
    private static final class Scratch {
        final Buffer places = new Buffer();
        final Buffer tile = new Buffer();
        final Buffer tilePlaces = new Buffer();
        final TableTargets targets = new TableTargets();

        void free() {
            places.close();
            tile.close();
            tilePlaces.close();
        }
    }

    /// Fills the columns of a batch.
    void gather(MemorySegment indices, Batch batch, int threads) throws IOException {
        Scratch scratch = scratches.borrow();
        try {
            long rowCount = requireIndices(indices, scratch, threads);
            want(batch, rowCount, scratch.targets);
            run(scratch, rowCount, threads, TILE_ROWS);
            scratch.targets.swap(rowCount);
            batch.complete(rowCount);
        } finally {
            scratch.targets.clear();
            scratches.giveBack(scratch);
        }
    }

    /// Copies rows as they are stored into memory that stays allocated meanwhile.
    MemorySegment read(MemorySegment indices, Buffer target, int threads) throws IOException {
        Scratch scratch = scratches.borrow();
        try {
            long rowCount = requireIndices(indices, scratch, threads);
            long byteCount = Math.multiplyExact(rowCount, shards.rowSize());
            Buffer.Block block = target.lease(byteCount);
            try {
                scratch.targets.setRows(block.segment().address(), shards.rowSize(), isTouched);
                run(scratch, rowCount, threads, Integer.MAX_VALUE);
            } finally {
                block.release();
            }
            return target.segment().asSlice(0, byteCount);
        } finally {
            scratches.giveBack(scratch);
        }
    }

    /// Copies rows as they are stored.
    void read(MemorySegment indices, MemorySegment target, int threads) throws IOException {
        Scratch scratch = scratches.borrow();
        try {
            long rowCount = requireIndices(indices, scratch, threads);
            long rowSize = shards.rowSize();
            long byteCount = Math.multiplyExact(rowCount, rowSize);
            if (target.byteSize() < byteCount || target.isReadOnly()) {
                throw new IllegalArgumentException(
                        "the target has to be writable and of " + byteCount + " bytes at least");
            }
            requireUsable(target);
            if (canBeWrittenByAddress(target)) {
                scratch.targets.setRows(target.address(), rowSize, isTouched);
                run(scratch, rowCount, threads, Integer.MAX_VALUE);
            } else {
                readThroughBuffer(scratch, rowCount, target, threads);
            }
        } finally {
            Reference.reachabilityFence(target);
            scratches.giveBack(scratch);
        }
    }

    /// Copies rows to a buffer of our own and from there to the target, a tile at a time. The runtime checks the
    /// second copy: when another thread closes the arena of the target, it throws and writes nothing.
    private void readThroughBuffer(Scratch scratch, long rowCount, MemorySegment target, int threads)
            throws IOException {
        MemorySegment places = scratch.places.segment();
        if (shards.isMapped()) {
            announce(places, rowCount);
        }
        long partCount = partCount(rowCount, threads);
        Parallel.run(
                partCount,
                threads,
                part -> readThroughBuffer(
                        places, rowCount * part / partCount, rowCount * (part + 1) / partCount, target));
    }

    private void readThroughBuffer(MemorySegment places, long firstRow, long rowLimit, MemorySegment target)
            throws IOException {
        long rowSize = shards.rowSize();
        Scratch scratch = scratches.borrow();
        try {
            int tileRows = tileRows();
            MemorySegment tile = scratch.tile.reserve(tileRows * rowSize);
            for (long row = firstRow; row < rowLimit; row += tileRows) {
                int count = (int) Math.min(tileRows, rowLimit - row);
                if (shards.isMapped()) {
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
        return Math.clamp(READ_TILE_BYTES / Math.max(1, shards.rowSize()), 1, TILE_ROWS);
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
    private long requireIndices(MemorySegment indices, Scratch scratch, int threads) throws IOException {
        long byteCount = indices.byteSize();
        if (byteCount % U64.byteSize() != 0) {
            throw new IllegalArgumentException(byteCount + " bytes are no whole number of 8-byte indices");
        }
        MemorySegment places = scratch.places.reserve(byteCount);
        // The caller's memory may be his thread's alone, so only he copies it.
        MemorySegment.copy(indices, 0, places, 0, byteCount);
        long rowCount = byteCount / U64.byteSize();
        long partCount = partCount(rowCount, threads);
        boolean hasAll =
                partCount == 1 ? locate(places, 0, rowCount) : locateInParts(places, rowCount, partCount, threads);
        if (!hasAll) {
            throw outOfRange(indices);
        }
        return rowCount;
    }

    private boolean locate(MemorySegment places, long firstRow, long rowLimit) {
        return shards.isMapped()
                ? shards.places().locate(places, firstRow, rowLimit)
                : shards.places().hasAll(places, firstRow, rowLimit);
    }

    private boolean locateInParts(MemorySegment places, long rowCount, long partCount, int threads) throws IOException {
        AtomicBoolean hasAll = new AtomicBoolean(true);
        Parallel.run(partCount, threads, part -> {
            if (!locate(places, rowCount * part / partCount, rowCount * (part + 1) / partCount)) {
                hasAll.set(false);
            }
        });
        return hasAll.get();
    }

    private IndexOutOfBoundsException outOfRange(MemorySegment indices) {
        for (long at = 0; at < indices.byteSize(); at += U64.byteSize()) {
            long index = indices.get(U64, at);
            if (index < 0 || index >= shards.count()) {
                return new IndexOutOfBoundsException("row " + index + " is not among the " + shards.count() + " rows");
            }
        }
        return new IndexOutOfBoundsException("an index changed while it was used");
    }

    /// In how many parts rows are copied: one where more threads would cost more than they bring.
    private long partCount(long rowCount, int threads) {
        boolean isWorthIt = threads > 1 && rowCount * shards.rowSize() >= PARALLEL_BYTES_MIN;
        return isWorthIt ? Math.min(rowCount, (long) threads * PARTS_PER_THREAD) : 1;
    }

    private void want(Batch batch, long rowCount, TableTargets targets) {
        targets.clear();
        for (int i = 0; i < batch.columns().size(); i++) {
            Column column = batch.column(i);
            RowField field = fields.get(column.field().name());
            if (field == null || !field.field().equals(column.field())) {
                throw new IllegalArgumentException("the batch wants " + column.field() + "; the table has the fields "
                        + fields.values().stream().map(RowField::field).toList());
            }
            long byteCount = Math.multiplyExact(rowCount, column.field().itemSize());
            targets.addColumn(field, column.leaseValues(byteCount), isTouched);
        }
    }

    private void run(Scratch scratch, long rowCount, int threads, int tileRows) throws IOException {
        MemorySegment places = scratch.places.segment();
        if (!shards.isMapped()) {
            runReading(places, rowCount, scratch);
            return;
        }
        announce(places, rowCount);
        long partCount = partCount(rowCount, threads);
        long address = places.address();
        TableTargets targets = scratch.targets;
        if (partCount == 1) {
            copy(targets, address, 0, rowCount, tileRows);
        } else {
            Parallel.run(
                    partCount,
                    threads,
                    part -> copy(
                            targets,
                            address,
                            rowCount * part / partCount,
                            rowCount * (part + 1) / partCount,
                            tileRows));
        }
    }

    private static void copy(TableTargets targets, long address, long firstRow, long rowLimit, int tileRows) {
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
        Residency residency = shards.group().residency();
        if (!residency.isStreamed() || shards.rowSize() == 0) {
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
            limit = place + shards.rowSize();
        }
        residency.willNeedAt(start, limit - start);
    }

    /// Tells the system that consecutive rows will be read, when not all of the table is in memory.
    void announce(long firstRow, long rowCount) {
        Residency residency = shards.group().residency();
        if (!shards.isMapped() || !residency.isStreamed()) {
            return;
        }
        long row = firstRow;
        while (row < firstRow + rowCount) {
            int shardIndex = shards.shardOf(row);
            long limit = Math.min(firstRow + rowCount, shards.start(shardIndex + 1));
            residency.willNeedAt(shards.places().address(row), (limit - row) * shards.rowSize());
            row = limit;
        }
    }

    /// Reads rows into memory, neighbours in one go, and hands them on from there.
    private void runReading(MemorySegment indices, long rowCount, Scratch scratch) throws IOException {
        long rowSize = shards.rowSize();
        int tileRows = tileRows();
        MemorySegment rows = scratch.tile.reserve(Math.multiplyExact(tileRows, rowSize));
        MemorySegment places = scratch.tilePlaces.reserve(tileRows * U64.byteSize());
        for (int i = 0; i < tileRows; i++) {
            places.setAtIndex(U64, i, rows.address() + i * rowSize);
        }
        for (long row = 0; row < rowCount; row += tileRows) {
            int tileCount = (int) Math.min(tileRows, rowCount - row);
            readRuns(indices.asSlice(row * U64.byteSize(), tileCount * U64.byteSize()), rows);
            scratch.targets.copy(places.address(), row, tileCount);
        }
    }

    private void readRuns(MemorySegment indices, MemorySegment rows) throws IOException {
        long rowSize = shards.rowSize();
        long count = indices.byteSize() / U64.byteSize();
        for (long i = 0; i < count; ) {
            long first = indices.getAtIndex(U64, i);
            long runCount = 1;
            while (i + runCount < count && indices.getAtIndex(U64, i + runCount) == first + runCount) {
                runCount++;
            }
            shards.read(first, runCount, rows.asSlice(i * rowSize, runCount * rowSize));
            i += runCount;
        }
    }

    /// Turns around the bytes of each word.
    static void swap(MemorySegment segment, long wordSize) {
        for (long at = 0; at < segment.byteSize(); at += wordSize) {
            if (wordSize == 2) {
                segment.set(U16, at, Short.reverseBytes(segment.get(U16, at)));
            } else if (wordSize == 4) {
                segment.set(U32, at, Integer.reverseBytes(segment.get(U32, at)));
            } else if (wordSize == 8) {
                segment.set(U64, at, Long.reverseBytes(segment.get(U64, at)));
            } else {
                swapBytes(segment.asSlice(at, wordSize));
            }
        }
    }

    /// For the floats of twelve and sixteen bytes that some machines have.
    private static void swapBytes(MemorySegment word) {
        byte[] bytes = word.toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < bytes.length; i++) {
            word.set(ValueLayout.JAVA_BYTE, i, bytes[bytes.length - 1 - i]);
        }
    }

    /// Frees the scratch memory, that in use when it comes back.
    @Override
    public void close() {
        scratches.close();
    }
}
