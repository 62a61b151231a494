// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static dev.penstock.memory.Layouts.U64;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.memory.Disk;
import dev.penstock.memory.FileBytes;
import dev.penstock.memory.FileGroup;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The open files of a table, and which row is where.
final class TableShards implements AutoCloseable {
    /// Entries of the table that says where to begin looking for a row: a page, so that it stays in the cache.
    private static final int GUESS_COUNT_MAX = 1024;

    private final FileGroup group;
    private final List<TableHeader> headers;
    private final RowType rowType;
    private final long rowSize;
    /// The first row of each shard, and behind them the number of all rows.
    private final long[] starts;
    /// Where row 0 of the table would be if a shard reached back to it; only where files are mapped.
    private final long[] origins;
    /// The shard that holds the first row of each of so many equal parts of the table.
    private final int[] guesses;

    private final int guessShift;

    private TableShards(FileGroup group, List<TableHeader> headers) throws IOException {
        this.group = group;
        this.headers = headers;
        this.rowType = headers.getFirst().rowType();
        this.rowSize = rowType.size();
        this.starts = new long[headers.size() + 1];
        this.origins = new long[headers.size()];
        for (int i = 0; i < headers.size(); i++) {
            FileBytes file = group.files().get(i);
            starts[i + 1] = starts[i] + headers.get(i).rowCount();
            if (starts[i + 1] < 0) {
                throw new DatasetException.Corrupt(
                        file.path(),
                        0,
                        Reason.SIZE_OVERFLOW,
                        "the number of rows of all shards does not fit in 63 bits");
            }
            if (file.isMapped()) {
                origins[i] =
                        file.view(0, file.size()).address() + headers.get(i).dataOffset() - starts[i] * rowSize;
            }
        }
        this.guessShift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(count() / GUESS_COUNT_MAX));
        this.guesses = new int[(int) (count() >>> guessShift) + 2];
        for (int i = 0; i < guesses.length; i++) {
            guesses[i] = search((long) i << guessShift, 0, headers.size() - 1);
        }
    }

    /// Opens all shards and reads their headers.
    ///
    /// @throws DatasetException when one is damaged, or of another type than the first
    static TableShards open(Disk disk, List<Path> files, FileBytes.Access access) throws IOException {
        FileGroup group = FileGroup.open(disk, files, access);
        try {
            return group.use(() -> new TableShards(group, headers(group)));
        } catch (Throwable e) {
            group.close();
            throw e;
        }
    }

    private static List<TableHeader> headers(FileGroup group) throws IOException {
        List<TableHeader> headers = new ArrayList<>();
        for (FileBytes file : group.files()) {
            TableHeader header = TableHeader.read(file);
            if (!headers.isEmpty()
                    && !header.rowType().equals(headers.getFirst().rowType())) {
                throw new DatasetException.Corrupt(
                        file.path(),
                        TableFormat.LENGTH_OFFSET,
                        Reason.SHARD_MISMATCH,
                        "its rows are " + Literal.shown(header.rowType().toString())
                                + " and those of the first shard "
                                + Literal.shown(headers.getFirst().rowType().toString()));
            }
            headers.add(header);
        }
        return List.copyOf(headers);
    }

    FileGroup group() {
        return group;
    }

    List<TableHeader> headers() {
        return headers;
    }

    RowType rowType() {
        return rowType;
    }

    long rowSize() {
        return rowSize;
    }

    /// Rows of all shards.
    long count() {
        return starts[starts.length - 1];
    }

    boolean isMapped() {
        return group.files().getFirst().isMapped();
    }

    /// The first row of a shard.
    long start(int shardIndex) {
        return starts[shardIndex];
    }

    /// The shard that holds a row.
    int shardOf(long rowIndex) {
        int guess = (int) (rowIndex >>> guessShift);
        return search(rowIndex, guesses[guess], guesses[guess + 1]);
    }

    /// The last of some shards that begins at a row or before. Shards without rows are passed over.
    private int search(long rowIndex, int first, int last) {
        int low = first;
        int high = last;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (starts[middle] <= rowIndex) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /// Where a row begins in the file of its shard.
    long offset(int shardIndex, long rowIndex) {
        return headers.get(shardIndex).dataOffset() + (rowIndex - starts[shardIndex]) * rowSize;
    }

    /// Checks row indices.
    ///
    /// @param indices private memory of the caller, so that nobody changes an index after it was checked
    /// @throws IndexOutOfBoundsException when there is no such row
    void check(MemorySegment indices) {
        long count = count();
        for (long at = 0; at < indices.byteSize(); at += U64.byteSize()) {
            long index = indices.get(U64, at);
            if (index < 0 || index >= count) {
                throw new IndexOutOfBoundsException("row " + index + " is not among the " + count + " rows");
            }
        }
    }

    /// Replaces checked row indices by the addresses of the rows in the mapped files.
    void locate(MemorySegment indices) {
        if (origins.length == 1) {
            long origin = origins[0];
            for (long at = 0; at < indices.byteSize(); at += U64.byteSize()) {
                indices.set(U64, at, origin + indices.get(U64, at) * rowSize);
            }
        } else {
            for (long at = 0; at < indices.byteSize(); at += U64.byteSize()) {
                long index = indices.get(U64, at);
                indices.set(U64, at, origins[shardOf(index)] + index * rowSize);
            }
        }
    }

    /// Reads consecutive rows that lie in one shard or several.
    void read(long rowIndex, long rowCount, MemorySegment target) throws IOException {
        long done = 0;
        while (done < rowCount) {
            long row = rowIndex + done;
            int shardIndex = shardOf(row);
            long here = Math.min(rowCount - done, starts[shardIndex + 1] - row);
            FileBytes file = group.files().get(shardIndex);
            file.read(offset(shardIndex, row), target.asSlice(done * rowSize, here * rowSize));
            done += here;
        }
    }

    @Override
    public void close() {
        group.close();
    }
}
