// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/// The values of one field in a [Batch]: contiguous, off-heap and aligned to 64 bytes.
///
/// A fixed field is an array of `rowCount` items. A variable field is the values one after another plus `rowCount
/// + 1` byte offsets that begin with 0: row `r` is the bytes from offset `r` to offset `r + 1`.
///
/// **Missing values.** A record may lack a value, which differs from a value of 0 or an empty value. The column
/// has a mask only when a row of the batch lacks a value ([#hasMissing]), so formats without missing values pay
/// nothing. The value of a missing row is zeros in a fixed field and empty in a variable field.
///
/// A column has a mask of missing values only when a value of the batch is missing (`Column.hasMissing`).
/// Formats without missing values allocate, copy and test nothing for it.
public final class Column {
    private static final ValueLayout.OfLong OFFSET = ValueLayout.JAVA_LONG;

    private final Field field;
    private Buffer values = new Buffer();
    private Buffer offsets = new Buffer();
    /// One byte for each row, or null until a batch has missing values.
    private Buffer missing;

    private boolean hasMissing;
    private long rowCount;

    Column(Field field) {
        this.field = field;
    }

    /// The field whose values this column holds.
    public Field field() {
        return field;
    }

    /// All values. The segment is exactly as long as the values.
    public MemorySegment values() {
        return values.segment().asSlice(0, valueBytes());
    }

    /// The memory that begins with [#values] and may be longer. Inner loops use it to avoid creating a slice for
    /// every batch.
    public MemorySegment memory() {
        return values.segment();
    }

    /// The offsets of a variable field.
    ///
    /// @throws IllegalStateException when the field is fixed and has no offsets
    public MemorySegment offsets() {
        requireVariable();
        return offsets.segment().asSlice(0, (rowCount + 1) * OFFSET.byteSize());
    }

    /// The bytes of one row.
    public MemorySegment value(long rowIndex) {
        Objects.checkIndex(rowIndex, rowCount);
        if (!field.isVariable()) {
            return values.segment().asSlice(rowIndex * field.itemSize(), field.itemSize());
        }
        long start = offset(rowIndex);
        return values.segment().asSlice(start, offset(rowIndex + 1) - start);
    }

    /// Whether any row lacks a value, which means that there is a mask.
    public boolean hasMissing() {
        return hasMissing;
    }

    /// Whether a row lacks a value.
    public boolean isMissing(long rowIndex) {
        Objects.checkIndex(rowIndex, rowCount);
        return hasMissing && missing.segment().get(ValueLayout.JAVA_BYTE, rowIndex) != 0;
    }

    /// The mask: one byte for each row, 1 where the value is missing and 0 elsewhere.
    ///
    /// @throws IllegalStateException when no value is missing, so that there is no mask
    public MemorySegment missing() {
        if (!hasMissing) {
            throw new IllegalStateException(
                    "no value of field " + field.name() + " is missing, so there is no mask; ask hasMissing() first");
        }
        return missing.segment().asSlice(0, rowCount);
    }

    /// The memory of the mask while the column is being filled, before its row count is known.
    public MemorySegment maskMemory() {
        return missing.segment();
    }

    /// For datasets and transforms: reserves a mask for `rowCount` rows and marks all of them as present. The
    /// caller sets missing rows to 1. If this method is not called, no row is missing.
    public MemorySegment reserveMissing(long rowCount) {
        if (missing == null) {
            missing = new Buffer();
        }
        MemorySegment mask = missing.reserve(rowCount);
        mask.asSlice(0, rowCount).fill((byte) 0);
        hasMissing = true;
        return mask;
    }

    /// For transforms: copies the mask of another column that has the same number of rows.
    public void copyMissing(Column other, long rowCount) {
        hasMissing = false;
        if (other.hasMissing) {
            MemorySegment.copy(other.missing.segment(), 0, reserveMissing(rowCount), 0, rowCount);
        }
    }

    /// For datasets: reserves `byteCount` bytes for values and discards the old values.
    public MemorySegment reserveValues(long byteCount) {
        return values.reserve(byteCount);
    }

    /// For datasets that write to raw addresses: like [#reserveValues], but the memory stays allocated until the
    /// lease is returned.
    public Buffer.Block leaseValues(long byteCount) {
        return values.lease(byteCount);
    }

    /// For datasets: reserves memory for the offsets of `rowCount` rows and discards the old offsets.
    public MemorySegment reserveOffsets(long rowCount) {
        requireVariable();
        return offsets.reserve(Math.multiplyExact(rowCount + 1, OFFSET.byteSize()));
    }

    /// For datasets and transforms: swaps memory and row counts of two columns without copying. The row counts of
    /// their batches stay as they are until [Batch#complete] is called.
    ///
    /// @throws IllegalArgumentException when the items differ in size, or one field is variable and the other
    ///                                  fixed
    /// @throws IllegalStateException    when one of the columns is closed; then nothing has changed
    public void exchange(Column other) {
        if (field.itemSize() != other.field.itemSize() || field.isVariable() != other.field.isVariable()) {
            throw new IllegalArgumentException("columns of " + field + " and " + other.field
                    + " cannot be exchanged: item size and kind must be the same");
        }
        // Closed memory must not get into an open batch.
        values.segment();
        other.values.segment();
        Buffer ownValues = values;
        Buffer ownOffsets = offsets;
        Buffer ownMissing = missing;
        boolean ownHasMissing = hasMissing;
        long ownRowCount = rowCount;
        missing = other.missing;
        hasMissing = other.hasMissing;
        values = other.values;
        offsets = other.offsets;
        rowCount = other.rowCount;
        other.values = ownValues;
        other.offsets = ownOffsets;
        other.missing = ownMissing;
        other.hasMissing = ownHasMissing;
        other.rowCount = ownRowCount;
    }

    /// @throws IllegalStateException when the column was closed while it was being filled
    void complete(long rowCount) {
        values.segment();
        this.rowCount = rowCount;
    }

    void clear() {
        rowCount = 0;
        hasMissing = false;
        if (field.isVariable()) {
            offsets.reserve(OFFSET.byteSize()).set(OFFSET, 0, 0L);
        }
    }

    void trim() {
        values.trim();
        offsets.trim();
        if (missing != null) {
            missing.trim();
        }
        clear();
    }

    long allocatedBytes() {
        return values.size() + offsets.size() + (missing == null ? 0 : missing.size());
    }

    void close() {
        rowCount = 0;
        values.close();
        offsets.close();
        hasMissing = false;
        if (missing != null) {
            missing.close();
        }
    }

    /// The number of bytes of all values.
    public long valueBytes() {
        return field.isVariable() ? offset(rowCount) : Math.multiplyExact(rowCount, field.itemSize());
    }

    private long offset(long rowIndex) {
        return rowCount == 0 ? 0 : offsets.segment().getAtIndex(OFFSET, rowIndex);
    }

    private void requireVariable() {
        if (!field.isVariable()) {
            throw new IllegalStateException(
                    "field " + field.name() + " is fixed and has no offsets; only variable fields have them");
        }
    }
}
