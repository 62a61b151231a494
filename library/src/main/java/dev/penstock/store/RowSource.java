// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Column;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Rows to be placed.
///
/// **Threads.** Read by any number of threads.
interface RowSource {
    long rowCount();

    /// The size of all values in bytes.
    long byteCount();

    /// Sets the values of a row, in the order of the fields; null if a value is missing.
    void read(int row, MemorySegment[] cells);

    /// Rows of a batch.
    ///
    /// @param sources the column of each field; null if the batch has none
    static RowSource of(Column[] sources, long rowCount) {
        return new RowSource() {
            @Override
            public long rowCount() {
                return rowCount;
            }

            @Override
            public long byteCount() {
                long bytes = 0;
                for (Column column : sources) {
                    bytes += column == null ? 0 : column.values().byteSize();
                }
                return bytes;
            }

            @Override
            public void read(int row, MemorySegment[] cells) {
                RowValues.read(sources, row, cells);
            }
        };
    }

    /// Rows one by one.
    static RowSource of(List<MemorySegment[]> rows) {
        return new RowSource() {
            @Override
            public long rowCount() {
                return rows.size();
            }

            @Override
            public long byteCount() {
                long bytes = 0;
                for (MemorySegment[] row : rows) {
                    for (MemorySegment value : row) {
                        bytes += value == null ? 0 : value.byteSize();
                    }
                }
                return bytes;
            }

            @Override
            public void read(int row, MemorySegment[] cells) {
                System.arraycopy(rows.get(row), 0, cells, 0, cells.length);
            }
        };
    }
}
