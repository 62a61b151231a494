// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.Buffer;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/// Memory for rows of a [ShardSource] and their ids. A batch is created once and refilled for each read.
///
/// **Ownership.** The caller owns the batch. The memory grows to the largest batch and is kept until [#close].
///
/// **Threads.** One thread at a time.
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

    /// Creates an empty batch whose rows are converted to a type: f64 as in the original program, f32, bf16 or
    /// f16.
    ///
    /// @throws IllegalArgumentException when shards do not support the type
    public static ShardBatch create(ElementType type) {
        return new ShardBatch(type);
    }

    /// The type of [#values].
    public ElementType type() {
        return type;
    }

    /// The number of rows of the last read.
    public int rowCount() {
        return rowCount;
    }

    /// The number of values in a row.
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

    /// All values, row by row.
    public MemorySegment values() {
        return buffer.segment().asSlice(0, rowCount * width * type.size());
    }

    /// One value.
    public double value(int row, long column) {
        Objects.checkIndex(row, rowCount);
        Objects.checkIndex(column, width);
        return Elements.toDouble(type, buffer.segment(), (row * width + column) * type.size());
    }

    /// All values as arrays, for small batches.
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

    /// Reserves leased memory for rows and discards the old ones.
    Buffer.Block lease(long rowCount, long width) {
        clear();
        this.width = width;
        return buffer.lease(Math.multiplyExact(Math.multiplyExact(rowCount, width), type.size()));
    }

    /// Completes the batch with consecutive rows.
    void complete(long firstRowId, long rowCount) {
        reserveIds(rowCount);
        for (int i = 0; i < rowCount; i++) {
            rowIds[i] = firstRowId + i;
        }
        this.rowCount = (int) rowCount;
    }

    /// Completes the batch with these rows.
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
