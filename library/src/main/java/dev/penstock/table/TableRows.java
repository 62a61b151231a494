// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.memory.Access;
import dev.penstock.memory.Disk;
import dev.penstock.memory.OpenFile;
import dev.penstock.memory.OpenFiles;
import dev.penstock.memory.RowPlaces;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The open files of a table, and where each row lies in them.
final class TableRows implements AutoCloseable {
    private final OpenFiles group;
    private final List<TableHeader> headers;
    private final RowType rowType;
    private final long rowSize;
    private final RowPlaces places;

    private TableRows(OpenFiles group, List<TableHeader> headers) throws IOException {
        this.group = group;
        this.headers = headers;
        this.rowType = headers.getFirst().rowType();
        this.rowSize = rowType.size();
        long[] starts = new long[headers.size() + 1];
        long[] addresses = new long[headers.size()];
        for (int i = 0; i < headers.size(); i++) {
            OpenFile file = group.files().get(i);
            starts[i + 1] = starts[i] + headers.get(i).rowCount();
            if (starts[i + 1] < 0) {
                throw new DatasetException.Corrupt(
                        file.path(),
                        0,
                        Reason.SIZE_OVERFLOW,
                        "the number of rows of all shards does not fit in 63 bits");
            }
            if (file.isMapped()) {
                addresses[i] =
                        file.view(0, file.size()).address() + headers.get(i).dataOffset();
            }
        }
        this.places = new RowPlaces(starts, addresses, rowSize);
    }

    /// Opens all shards and reads their headers.
    ///
    /// @throws DatasetException when one is damaged, or of another type than the first
    static TableRows open(Disk disk, List<Path> files, Access access) throws IOException {
        OpenFiles group = OpenFiles.open(disk, files, access);
        try {
            return group.use(() -> new TableRows(group, headers(group)));
        } catch (Throwable e) {
            group.close();
            throw e;
        }
    }

    private static List<TableHeader> headers(OpenFiles group) throws IOException {
        List<TableHeader> headers = new ArrayList<>();
        for (OpenFile file : group.files()) {
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

    OpenFiles group() {
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
        return places.count();
    }

    boolean isMapped() {
        return group.files().getFirst().isMapped();
    }

    /// The first row of a shard.
    long start(int shardIndex) {
        return places.start(shardIndex);
    }

    /// The shard that holds a row.
    int shardOf(long rowIndex) {
        return places.runOf(rowIndex);
    }

    /// Where the rows lie: in memory where the files are mapped, otherwise only their shards.
    RowPlaces places() {
        return places;
    }

    /// Where a row begins in the file of its shard.
    long offset(int shardIndex, long rowIndex) {
        return headers.get(shardIndex).dataOffset() + (rowIndex - places.start(shardIndex)) * rowSize;
    }

    /// Reads consecutive rows that lie in one shard or several.
    void read(long rowIndex, long rowCount, MemorySegment target) throws IOException {
        long done = 0;
        while (done < rowCount) {
            long row = rowIndex + done;
            int shardIndex = shardOf(row);
            long here = Math.min(rowCount - done, places.start(shardIndex + 1) - row);
            OpenFile file = group.files().get(shardIndex);
            file.read(offset(shardIndex, row), target.asSlice(done * rowSize, here * rowSize));
            done += here;
        }
    }

    @Override
    public void close() {
        group.close();
    }
}
