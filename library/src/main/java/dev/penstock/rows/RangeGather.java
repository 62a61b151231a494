// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.Indices;
import dev.penstock.Pool;
import dev.penstock.file.Faults;
import dev.penstock.file.OpenFiles;
import dev.penstock.file.Parallel;
import dev.penstock.file.RangeList;
import dev.penstock.file.Residency;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Gathers ranges of consecutive rows. A range is contiguous and takes one copy, whatever its number of rows.
///
/// A range across two files, or in files that are not mapped, is first read into a buffer.
///
/// **Threads.** Safe for any number of threads. One gather uses the number of threads in the options.
public final class RangeGather implements AutoCloseable {
    private static final long TILE_BYTES = 1L << 20;
    private static final int TILE_RANGES = 512;

    private final RowFiles files;
    private final Map<String, RowField> fields;
    /// The fields of ranges that were requested before.
    private final Map<Field, RowField> rangeFields = new ConcurrentHashMap<>();

    private final Pool<Scratch> scratches = new Pool<>(Scratch::new, Scratch::free);

    /// @param fields the fields that batches may request, with the length of a range as their first dimension
    public RangeGather(RowFiles files, List<RowField> fields) {
        this.files = files;
        this.fields =
                fields.stream().collect(Collectors.toMap(field -> field.field().name(), Function.identity()));
    }

    private static final class Scratch {
        final Buffer firstRows = new Buffer();
        final Buffer places = new Buffer();
        final Buffer tile = new Buffer();
        final RowTargets targets = new RowTargets();

        void free() {
            firstRows.close();
            places.close();
            tile.close();
        }
    }

    /// Fills the columns of a batch with ranges of a given length.
    ///
    /// @param firstRows 64-bit little-endian indices of the first row of each range
    /// @return false when the batch has other fields; then nothing has changed
    /// @throws IndexOutOfBoundsException when a range goes beyond the last row
    public boolean gather(MemorySegment firstRows, long length, Batch batch) throws IOException {
        for (Column column : batch.columns()) {
            if (!isRangeField(column.field(), length)) {
                return false;
            }
        }
        OpenFiles open = files.files();
        open.acquire();
        Scratch scratch = scratches.borrow();
        try {
            MemorySegment checked = requireRanges(firstRows, length, scratch);
            long rangeCount = Indices.count(checked);
            scratch.targets.clear();
            for (int i = 0; i < batch.columns().size(); i++) {
                Column column = batch.column(i);
                long byteCount = Math.multiplyExact(rangeCount, column.field().itemSize());
                RowField field = rangeFields.computeIfAbsent(column.field(), wanted -> rangeField(wanted, length));
                scratch.targets.addColumn(field, column.leaseValues(byteCount), false);
            }
            copy(checked, length, scratch.targets);
            Faults.settle();
            scratch.targets.swap(rangeCount);
            batch.complete(rangeCount);
            return true;
        } catch (InternalError e) {
            throw open.translate(e);
        } finally {
            scratch.targets.clear();
            scratches.giveBack(scratch);
            open.release();
        }
    }

    /// Copies ranges in their stored form, one after another.
    ///
    /// @throws IndexOutOfBoundsException when a range goes beyond the last row
    public void read(MemorySegment firstRows, long length, MemorySegment target) throws IOException {
        files.files().use(() -> {
            Scratch scratch = scratches.borrow();
            try {
                MemorySegment checked = requireRanges(firstRows, length, scratch);
                long rangeSize = Math.multiplyExact(length, files.rowSize());
                long byteCount = Math.multiplyExact(Indices.count(checked), rangeSize);
                if (target.byteSize() < byteCount || target.isReadOnly()) {
                    throw new IllegalArgumentException(
                            "the target must be writable and have at least " + byteCount + " bytes");
                }
                RangeList reads = files.files().isRanged() ? new RangeList() : null;
                for (long i = 0; i < Indices.count(checked); i++) {
                    read(Indices.at(checked, i), length, target.asSlice(i * rangeSize, rangeSize), reads);
                }
                if (reads != null) {
                    reads.read();
                }
            } finally {
                scratches.giveBack(scratch);
            }
            return null;
        });
    }

    /// Reads a range, or collects the bytes to read.
    private void read(long firstRow, long length, MemorySegment target, RangeList reads) throws IOException {
        if (reads == null) {
            files.read(firstRow, length, target);
        } else {
            files.collect(firstRow, length, target, reads);
        }
    }

    /// Copies the indices to private memory and checks them there, so that another thread cannot change a checked
    /// index.
    private MemorySegment requireRanges(MemorySegment firstRows, long length, Scratch scratch) throws IOException {
        long rangeCount = Indices.count(firstRows);
        MemorySegment checked = scratch.firstRows.reserve(firstRows.byteSize()).asSlice(0, firstRows.byteSize());
        MemorySegment.copy(firstRows, 0, checked, 0, firstRows.byteSize());
        long last = files.count() - length;
        for (long i = 0; i < rangeCount; i++) {
            long first = checked.getAtIndex(U64, i);
            if (first < 0 || first > last) {
                throw new IndexOutOfBoundsException("rows " + first + " to " + (first + length - 1)
                        + " are out of range: there are " + files.count() + " rows");
            }
        }
        files.requireChecked(checked, rangeCount, length);
        return checked;
    }

    private boolean isRangeField(Field wanted, long length) {
        RowField field = fields.get(wanted.name());
        return field != null && field.field().inRanges(length).equals(wanted);
    }

    /// The position of the values of a field in a range. A field that is the whole row is one block.
    private RowField rangeField(Field wanted, long length) {
        RowField field = fields.get(wanted.name());
        if (field.outer().isEmpty() && field.blockSize() == files.rowSize()) {
            return new RowField(wanted, 0, wanted.itemSize(), List.of(), field.swapSize());
        }
        List<RowField.Dimension> outer = new ArrayList<>();
        outer.add(new RowField.Dimension(length, files.rowSize()));
        outer.addAll(field.outer());
        return new RowField(wanted, field.offset(), field.blockSize(), List.copyOf(outer), field.swapSize());
    }

    private void copy(MemorySegment firstRows, long length, RowTargets targets) throws IOException {
        long rangeCount = Indices.count(firstRows);
        int threads = files.options().threads();
        boolean isWorthIt =
                threads > 1 && Math.multiplyExact(rangeCount, length) * files.rowSize() >= RowGather.PARALLEL_BYTES_MIN;
        if (!isWorthIt) {
            copy(firstRows, length, 0, rangeCount, targets);
            return;
        }
        long partCount = Math.min(rangeCount, (long) threads * RowGather.PARTS_PER_THREAD);
        Parallel.run(
                partCount,
                threads,
                part -> copy(
                        firstRows,
                        length,
                        rangeCount * part / partCount,
                        rangeCount * (part + 1) / partCount,
                        targets));
    }

    private void copy(MemorySegment firstRows, long length, long firstRange, long rangeLimit, RowTargets targets)
            throws IOException {
        long rangeSize = length * files.rowSize();
        int tileRanges = Math.clamp(TILE_BYTES / Math.max(1, rangeSize), 1, TILE_RANGES);
        Scratch scratch = scratches.borrow();
        try {
            MemorySegment places = scratch.places.reserve(tileRanges * U64.byteSize());
            for (long range = firstRange; range < rangeLimit; range += tileRanges) {
                int count = (int) Math.min(tileRanges, rangeLimit - range);
                locate(firstRows, range, count, length, places, scratch.tile);
                targets.copy(places.address(), range, count);
                Faults.settle();
            }
        } finally {
            scratches.giveBack(scratch);
        }
    }

    /// Writes the address of each range: in its file, or in the tile that it is read into.
    private void locate(
            MemorySegment firstRows, long firstRange, int count, long length, MemorySegment places, Buffer buffer)
            throws IOException {
        long rangeSize = length * files.rowSize();
        Residency residency = files.files().residency();
        MemorySegment tile = null;
        RangeList reads = files.files().isRanged() ? new RangeList() : null;
        for (int i = 0; i < count; i++) {
            long first = firstRows.getAtIndex(U64, firstRange + i);
            if (files.isAddressable() && files.start(files.fileOf(first) + 1) - first >= length) {
                long address = files.places().address(first);
                if (residency.isStreamed()) {
                    residency.willNeedAt(address, rangeSize);
                }
                places.setAtIndex(U64, i, address);
                continue;
            }
            if (tile == null) {
                tile = buffer.reserve(Math.multiplyExact(count, rangeSize));
            }
            read(first, length, tile.asSlice(i * rangeSize, rangeSize), reads);
            places.setAtIndex(U64, i, tile.address() + i * rangeSize);
        }
        if (reads != null) {
            reads.read();
        }
    }

    /// Frees the scratch memory; memory in use is freed when it is returned.
    @Override
    public void close() {
        scratches.close();
    }
}
