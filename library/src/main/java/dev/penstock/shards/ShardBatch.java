// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.Buffer;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/// Memory for rows of a [ShardSource] and their ids. Made once and filled again and again.
///
/// **Ownership.** The caller's. The memory grows to the largest batch and stays until [#close].
///
/// **Threads.** One at a time.
public final class ShardBatch implements AutoCloseable {
    private final ElementType type;
    private final Buffer buffer = new Buffer();
    private long[] rowIds = new long[0];
    private int rowCount;
    private long width;

    private ShardBatch(ElementType type) {
        ShardFormat.tag(type);
        this.type = type;
    }

    /// An empty batch whose rows are converted to a type: f64 as in the original, f32, or another one of shards.
    ///
    /// @throws IllegalArgumentException when shards cannot have the type
    public static ShardBatch create(ElementType type) {
        return new ShardBatch(type);
    }

    /// The type of [#values].
    public ElementType type() {
        return type;
    }

    /// How many rows the last read brought.
    public int rowCount() {
        return rowCount;
    }

    /// Numbers in a row.
    public long width() {
        return width;
    }

    /// The ids of the rows.
    public long[] rowIds() {
        return Arrays.copyOf(rowIds, rowCount);
    }

    /// The id of one row.
    public long rowId(int row) {
        return rowIds[Objects.checkIndex(row, rowCount)];
    }

    /// All numbers, row by row.
    public MemorySegment values() {
        return buffer.segment().asSlice(0, rowCount * width * type.size());
    }

    /// One number.
    public double value(int row, long column) {
        Objects.checkIndex(row, rowCount);
        Objects.checkIndex(column, width);
        return Elements.toDouble(type, buffer.segment(), (row * width + column) * type.size());
    }

    /// All numbers as arrays, for small batches.
    public double[][] toDoubles() {
        double[][] rows = new double[rowCount][Math.toIntExact(width)];
        for (int row = 0; row < rowCount; row++) {
            for (int column = 0; column < width; column++) {
                rows[row][column] = value(row, column);
            }
        }
        return rows;
    }

    void clear() {
        rowCount = 0;
    }

    /// Room for rows; the old ones are gone.
    MemorySegment reserve(long rowCount, long width) {
        clear();
        this.width = width;
        long byteCount = Math.multiplyExact(Math.multiplyExact(rowCount, width), type.size());
        return buffer.reserve(byteCount).asSlice(0, byteCount);
    }

    /// Says that consecutive rows are there.
    void complete(long firstRowId, long rowCount) {
        reserveIds(rowCount);
        for (int i = 0; i < rowCount; i++) {
            rowIds[i] = firstRowId + i;
        }
        this.rowCount = (int) rowCount;
    }

    /// Says that these rows are there.
    void complete(long[] ids) {
        reserveIds(ids.length);
        System.arraycopy(ids, 0, rowIds, 0, ids.length);
        this.rowCount = ids.length;
    }

    private void reserveIds(long count) {
        if (rowIds.length < count) {
            rowIds = new long[Math.toIntExact(count)];
        }
    }

    /// Frees the memory.
    @Override
    public void close() {
        rowCount = 0;
        buffer.close();
    }
}
