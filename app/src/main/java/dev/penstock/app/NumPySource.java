// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Buffer;
import dev.penstock.Progress;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/// Copies the rows of another table unchanged.
record NumPySource(TableReader table) implements TableSource {
    private static final long CHUNK_BYTES = 8L << 20;

    static NumPySource open(Path path, RowType wanted) throws IOException {
        TableReader table = TableReader.open(path);
        if (wanted != null && !wanted.equals(table.rowType())) {
            table.close();
            throw new IllegalArgumentException(path + " has rows of " + table.rowType() + ", but --dtype is " + wanted
                    + "; types are not converted");
        }
        return new NumPySource(table);
    }

    @Override
    public RowType rowType() {
        return table.rowType();
    }

    @Override
    public void copyTo(TableWriter writer, Progress progress) throws IOException {
        long rowSize = table.rowType().size();
        long chunkRows = Math.max(1, CHUNK_BYTES / Math.max(1, rowSize));
        try (Buffer rows = new Buffer();
                Buffer indices = new Buffer()) {
            for (long first = 0; first < table.count(); first += chunkRows) {
                long count = Math.min(chunkRows, table.count() - first);
                MemorySegment wanted = indices.reserve(count * Long.BYTES).asSlice(0, count * Long.BYTES);
                for (long i = 0; i < count; i++) {
                    wanted.setAtIndex(ValueLayout.JAVA_LONG, i, first + i);
                }
                writer.append(table.read(wanted, rows));
                progress.at((first + count) * rowSize, table.count() * rowSize);
            }
        }
    }

    @Override
    public void close() {
        table.close();
    }
}
