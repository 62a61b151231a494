// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Io;
import dev.penstock.Origin;
import dev.penstock.Reason;
import dev.penstock.RemoteRecords;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.OpenFiles;
import dev.penstock.file.RangeList;
import dev.penstock.file.RangeReader;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.RecordRanges;
import dev.penstock.file.RemoteFiles;
import dev.penstock.rows.kernel.RowPlaces;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;

/// The open files of a dataset of fixed-width rows, and the positions of the rows. Rows are numbered across all
/// files.
///
/// **Ownership.** Owns the files.
///
/// **Threads.** Safe for any number of threads.
public final class RowFiles implements AutoCloseable {
    private final OpenFiles files;
    private final List<RowLayout> layouts;
    private final ReaderOptions options;
    private final long rowSize;
    private final boolean isAddressable;
    private final RowPlaces places;
    /// Checks a file before its first row is read; null when files are not checked.
    private final FirstCheck firstCheck;

    private RowFiles(OpenFiles files, List<RowLayout> layouts, ReaderOptions options, FirstCheck.FileCheck check)
            throws IOException {
        this.files = files;
        this.firstCheck = check == null ? null : new FirstCheck(layouts.size(), options.threads(), check);
        this.layouts = layouts;
        this.options = options;
        this.rowSize = layouts.getFirst().rowSize();
        this.isAddressable = files.isMapped() && layouts.stream().allMatch(RowLayout::isContiguous);
        long[] starts = new long[layouts.size() + 1];
        long[] addresses = new long[layouts.size()];
        for (int i = 0; i < layouts.size(); i++) {
            OpenFile file = files.files().get(i);
            starts[i + 1] = starts[i] + layouts.get(i).rowCount();
            if (starts[i + 1] < 0) {
                throw new DatasetException.Corrupt(
                        file.location(),
                        0,
                        Reason.SIZE_OVERFLOW,
                        "the number of rows of all shards does not fit in 63 bits");
            }
            if (isAddressable) {
                addresses[i] =
                        file.view(0, file.size()).address() + layouts.get(i).offset();
            }
        }
        this.places = new RowPlaces(starts, addresses, rowSize);
    }

    /// Opens all files and reads their headers, in the order of the rows.
    ///
    /// @param header reads the header of a file
    /// @throws DatasetException when a file is damaged, or its rows differ in size from those of the first
    public static RowFiles open(
            List<Location> locations, ReaderOptions options, Io.Function<OpenFile, RowLayout> header)
            throws IOException {
        return open(OpenFiles.open(locations, options), options, header);
    }

    /// Reads the headers of open files, in the order of the rows. If that fails, the files are closed.
    ///
    /// @param header reads the header of a file
    /// @throws DatasetException when a file is damaged, or its rows differ in size from those of the first
    public static RowFiles open(OpenFiles files, ReaderOptions options, Io.Function<OpenFile, RowLayout> header)
            throws IOException {
        return open(files, options, header, null);
    }

    /// Reads the headers of open files, in the order of the rows. If that fails, the files are closed.
    ///
    /// @param header reads the header of a file
    /// @param check checks a file before its first row is read, or null
    /// @throws DatasetException when a file is damaged, or its rows differ in size from those of the first
    public static RowFiles open(
            OpenFiles files, ReaderOptions options, Io.Function<OpenFile, RowLayout> header, FirstCheck.FileCheck check)
            throws IOException {
        try {
            return files.use(() -> new RowFiles(files, layouts(files, header), options, check));
        } catch (Throwable e) {
            files.close();
            throw e;
        }
    }

    private static List<RowLayout> layouts(OpenFiles files, Io.Function<OpenFile, RowLayout> header)
            throws IOException {
        List<RowLayout> layouts = new ArrayList<>();
        for (OpenFile file : files.files()) {
            RowLayout layout = header.apply(file);
            if (!layouts.isEmpty() && layout.rowSize() != layouts.getFirst().rowSize()) {
                throw new DatasetException.Corrupt(
                        file.location(),
                        0,
                        Reason.SHARD_MISMATCH,
                        "its rows have " + layout.rowSize() + " bytes, but those of the first shard have "
                                + layouts.getFirst().rowSize());
            }
            layouts.add(layout);
        }
        return List.copyOf(layouts);
    }

    /// The open files.
    public OpenFiles files() {
        return files;
    }

    /// The options for reading the files.
    public ReaderOptions options() {
        return options;
    }

    /// The size of a row in bytes.
    public long rowSize() {
        return rowSize;
    }

    /// The rows as objects of a remote storage, or null when they are local, or not contiguous.
    public RemoteRecords remote() {
        return layouts.stream().allMatch(RowLayout::isContiguous) ? RemoteFiles.of(files.files(), new Ranges()) : null;
    }

    /// Where rows are in their files.
    private final class Ranges implements RecordRanges {
        @Override
        public long count() {
            return RowFiles.this.count();
        }

        @Override
        public void forEach(long firstRecord, long recordCount, Visitor visitor) {
            long done = 0;
            while (done < recordCount) {
                long row = firstRecord + done;
                int fileIndex = fileOf(row);
                long here = Math.min(recordCount - done, start(fileIndex + 1) - row);
                long offset = layouts.get(fileIndex).offset() + (row - start(fileIndex)) * rowSize;
                visitor.at(files.files().get(fileIndex), offset, here * rowSize);
                done += here;
            }
        }
    }

    /// The number of rows in all files.
    public long count() {
        return places.count();
    }

    /// Whether every row is contiguous in memory, so that it can be copied from its address.
    public boolean isAddressable() {
        return isAddressable;
    }

    /// The first row of a file.
    public long start(int fileIndex) {
        return places.start(fileIndex);
    }

    /// The file that holds a row.
    public int fileOf(long rowIndex) {
        return places.runOf(rowIndex);
    }

    /// Where a record of a dataset over these files comes from.
    ///
    /// @throws IndexOutOfBoundsException when there is no such row
    public Origin origin(Dataset dataset, long rowIndex) {
        Objects.checkIndex(rowIndex, dataset.count());
        int file = fileOf(rowIndex);
        return new Origin(dataset, rowIndex, 1, files.files().get(file).location(), rowIndex - start(file), null);
    }

    /// The addresses of the rows. If the files are not addressable, it only tells the file of a row.
    RowPlaces places() {
        return places;
    }

    /// Checks the files of some rows that no row was read from yet. Rows that do not exist are ignored. All calls
    /// that read do this, except for [#address].
    ///
    /// @param firstRows 64-bit little-endian indices of the first row of each run, in memory that no other thread
    ///                  changes
    /// @param length    the number of rows of a run
    /// @throws DatasetException when a file is damaged
    void requireChecked(MemorySegment firstRows, long rangeCount, long length) throws IOException {
        if (firstCheck == null || firstCheck.isComplete() || length == 0) {
            return;
        }
        BitSet wanted = new BitSet();
        for (long i = 0; i < rangeCount; i++) {
            long first = firstRows.getAtIndex(U64, i);
            if (first >= 0 && first <= count() - length) {
                wanted.set(fileOf(first), fileOf(first + length - 1) + 1);
            }
        }
        firstCheck.require(wanted);
    }

    private void requireChecked(int fileIndex) throws IOException {
        if (firstCheck != null) {
            firstCheck.require(fileIndex);
        }
    }

    /// The address of a row of addressable files. The caller holds the files open, and they are not checked.
    public long address(long rowIndex) {
        return places.address(rowIndex);
    }

    /// Returns bytes of a row: a view if the row is addressable, otherwise a copy.
    public MemorySegment view(long rowIndex, long offsetInRow, long byteCount) throws IOException {
        int fileIndex = fileOf(rowIndex);
        requireChecked(fileIndex);
        long row = rowIndex - start(fileIndex);
        if (isAddressable) {
            long offset = layouts.get(fileIndex).offset() + row * rowSize + offsetInRow;
            return files.files().get(fileIndex).view(offset, byteCount);
        }
        MemorySegment copy = MemorySegment.ofArray(new byte[Math.toIntExact(byteCount)]);
        RangeList ranges = new RangeList();
        layouts.get(fileIndex).readPart(ranges.of(files.files().get(fileIndex)), row, offsetInRow, copy);
        ranges.read();
        return copy.asReadOnly();
    }

    /// Copies consecutive rows, which may lie in several files.
    public void read(long firstRow, long rowCount, MemorySegment target) throws IOException {
        if (files.isRanged()) {
            RangeList ranges = new RangeList();
            collect(firstRow, rowCount, target, ranges);
            ranges.read();
            return;
        }
        long done = 0;
        while (done < rowCount) {
            long row = firstRow + done;
            int fileIndex = fileOf(row);
            requireChecked(fileIndex);
            long here = Math.min(rowCount - done, start(fileIndex + 1) - row);
            MemorySegment part = target.asSlice(done * rowSize, here * rowSize);
            layouts.get(fileIndex).read(files.files().get(fileIndex), row - start(fileIndex), here, part);
            done += here;
        }
    }

    /// Copies bytes that begin `byteOffset` bytes after the start of a row and lie in the same file. The rows must
    /// be contiguous.
    public void readInFile(long rowIndex, long byteOffset, MemorySegment target) throws IOException {
        int fileIndex = fileOf(rowIndex);
        requireChecked(fileIndex);
        layouts.get(fileIndex).readPart(files.files().get(fileIndex), rowIndex - start(fileIndex), byteOffset, target);
    }

    /// Returns consecutive rows of one file: a view if rows are addressable, otherwise a copy.
    ///
    /// @throws IllegalArgumentException when the rows lie in several files
    public MemorySegment view(long firstRow, long rowCount) throws IOException {
        if (rowCount > 0 && fileOf(firstRow) != fileOf(firstRow + rowCount - 1)) {
            throw new IllegalArgumentException("rows " + firstRow + " to " + (firstRow + rowCount - 1)
                    + " lie in several files, so they cannot be viewed as one segment; copy them");
        }
        return rowCount == 0 ? MemorySegment.NULL : view(firstRow, 0, Math.multiplyExact(rowCount, rowSize));
    }

    /// Collects the ranges to read for copying consecutive rows.
    void collect(long firstRow, long rowCount, MemorySegment target, RangeList ranges) throws IOException {
        long done = 0;
        while (done < rowCount) {
            int fileIndex = fileOf(firstRow + done);
            requireChecked(fileIndex);
            RowLayout layout = layouts.get(fileIndex);
            long limit = Math.min(rowCount, start(fileIndex + 1) - firstRow);
            // Contiguous rows are one range.
            long step = layout.isContiguous() ? limit - done : 1;
            while (done < limit) {
                MemorySegment part = target.asSlice(done * rowSize, step * rowSize);
                RangeReader file = ranges.of(files.files().get(fileIndex));
                layout.readPart(file, firstRow + done - start(fileIndex), 0, part);
                done += step;
            }
        }
    }

    /// Copies bytes of the rows as if all rows were in one file without a header.
    public void readBytes(long offset, MemorySegment target) throws IOException {
        long done = 0;
        while (done < target.byteSize()) {
            long rowIndex = (offset + done) / rowSize;
            long inRow = (offset + done) % rowSize;
            long wholeRows = inRow == 0 ? (target.byteSize() - done) / rowSize : 0;
            long byteCount = wholeRows > 0 ? wholeRows * rowSize : Math.min(rowSize - inRow, target.byteSize() - done);
            MemorySegment part = target.asSlice(done, byteCount);
            if (wholeRows > 0) {
                read(rowIndex, wholeRows, part);
            } else {
                int fileIndex = fileOf(rowIndex);
                requireChecked(fileIndex);
                long row = rowIndex - start(fileIndex);
                layouts.get(fileIndex).readPart(files.files().get(fileIndex), row, inRow, part);
            }
            done += byteCount;
        }
    }

    @Override
    public void close() {
        files.close();
    }
}
