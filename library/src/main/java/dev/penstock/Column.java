// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/// The values of one field in a [Batch]: contiguous, outside the heap, aligned to 64 bytes.
///
/// A fixed field is one array of `rowCount` items. A variable field is its values one after another and
/// `rowCount + 1` offsets in bytes, the first 0, so that row `r` is the bytes from offset `r` to offset `r + 1`.
///
/// **Missing values.** A record may lack a value, which is not the same as a value of 0 or of no bytes. Only
/// when a row of the batch lacks one does the column have a mask ([#hasMissing]), so formats without missing
/// values do nothing for it. In the values a missing row is zeros in a fixed field and no bytes in a variable
/// one.
public final class Column {
    private static final ValueLayout.OfLong OFFSET = ValueLayout.JAVA_LONG;

    private final Field field;
    private Buffer values = new Buffer();
    private Buffer offsets = new Buffer();
    /// A byte for each row, or null as long as no batch had missing values.
    private Buffer missing;

    private boolean hasMissing;
    private long rowCount;

    Column(Field field) {
        this.field = field;
    }

    /// What the values are.
    public Field field() {
        return field;
    }

    /// All values, exactly as many bytes as there are.
    public MemorySegment values() {
        return values.segment().asSlice(0, valueBytes());
    }

    /// The memory that [#values] is the beginning of: for loops that run with every batch, and know how far to go.
    public MemorySegment memory() {
        return values.segment();
    }

    /// The offsets of a variable field.
    ///
    /// @throws IllegalStateException when the field is fixed
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

    /// Whether some row lacks a value, so that there is a mask.
    public boolean hasMissing() {
        return hasMissing;
    }

    /// Whether a row lacks a value.
    public boolean isMissing(long rowIndex) {
        Objects.checkIndex(rowIndex, rowCount);
        return hasMissing && missing.segment().get(ValueLayout.JAVA_BYTE, rowIndex) != 0;
    }

    /// The mask: a byte for each row, 1 where the value is missing and 0 elsewhere.
    ///
    /// @throws IllegalStateException when no value is missing and there is no mask
    public MemorySegment missing() {
        if (!hasMissing) {
            throw new IllegalStateException("no value of field " + field.name() + " is missing: there is no mask");
        }
        return missing.segment().asSlice(0, rowCount);
    }

    /// The memory of the mask, while the rows are not yet counted.
    MemorySegment maskMemory() {
        return missing.segment();
    }

    /// For datasets and transforms: a mask for `rowCount` rows, all of them present, in which missing rows are
    /// to be set to 1. Without a call no row is missing.
    public MemorySegment reserveMissing(long rowCount) {
        if (missing == null) {
            missing = new Buffer();
        }
        MemorySegment mask = missing.reserve(rowCount);
        mask.asSlice(0, rowCount).fill((byte) 0);
        hasMissing = true;
        return mask;
    }

    /// For transforms: the same rows are missing as in another column of as many rows.
    public void copyMissing(Column other, long rowCount) {
        hasMissing = false;
        if (other.hasMissing) {
            MemorySegment.copy(other.missing.segment(), 0, reserveMissing(rowCount), 0, rowCount);
        }
    }

    /// For datasets: room for so many bytes of values, the old ones gone.
    public MemorySegment reserveValues(long byteCount) {
        return values.reserve(byteCount);
    }

    /// For datasets that write to addresses: as [#reserveValues], and the memory stays allocated until the lease
    /// is returned.
    public Buffer.Block leaseValues(long byteCount) {
        return values.lease(byteCount);
    }

    /// For datasets: room for the offsets of so many rows, the old ones gone.
    public MemorySegment reserveOffsets(long rowCount) {
        requireVariable();
        return offsets.reserve(Math.multiplyExact(rowCount + 1, OFFSET.byteSize()));
    }

    /// For datasets and transforms: the two columns trade memory and row counts, and nothing is copied. What a
    /// batch says of its own row count stays; [Batch#complete] puts that right.
    ///
    /// @throws IllegalArgumentException when their items differ in size, or one field is variable and one is not
    /// @throws IllegalStateException    when one of them is closed; then nothing has changed
    public void exchange(Column other) {
        if (field.itemSize() != other.field.itemSize() || field.isVariable() != other.field.isVariable()) {
            throw new IllegalArgumentException("columns of " + field + " and " + other.field + " cannot be exchanged");
        }
        // Memory that is closed must not get into a batch that is open.
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

    /// @throws IllegalStateException when the column was closed while it was filled
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

    /// Bytes of all values.
    public long valueBytes() {
        return field.isVariable() ? offset(rowCount) : Math.multiplyExact(rowCount, field.itemSize());
    }

    private long offset(long rowIndex) {
        return rowCount == 0 ? 0 : offsets.segment().getAtIndex(OFFSET, rowIndex);
    }

    private void requireVariable() {
        if (!field.isVariable()) {
            throw new IllegalStateException("field " + field.name() + " is fixed and has no offsets");
        }
    }
}
