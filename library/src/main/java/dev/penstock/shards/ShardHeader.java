// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static dev.penstock.memory.Layouts.U32;
import static dev.penstock.memory.Layouts.U64;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Location;
import dev.penstock.Reason;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.memory.Layouts;
import dev.penstock.rows.RowLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The header of a shard.
///
/// @param rowCount number of rows
/// @param width    numbers in a row
/// @param type     of the numbers
/// @param reserved 0 in every file that follows the specification
public record ShardHeader(long rowCount, long width, ElementType type, long reserved) {
    /// @throws IllegalArgumentException when the rows do not fit in a file of 2^63 - 1 bytes
    public ShardHeader {
        ShardFormat.tag(type);
        if (rowCount < 0 || width < 0) {
            throw new IllegalArgumentException("a shard cannot have " + rowCount + " rows of width " + width);
        }
        try {
            Math.addExact(
                    ShardFormat.HEADER_SIZE, Math.multiplyExact(Math.multiplyExact(width, type.size()), rowCount));
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    rowCount + " rows of " + width + " " + type + " do not fit in a file of 2^63 - 1 bytes", e);
        }
    }

    /// A header as it is written.
    static ShardHeader of(long rowCount, long width, ElementType type) {
        return new ShardHeader(rowCount, width, type, 0);
    }

    /// Reads a header and makes the checks that the original makes, in its order.
    ///
    /// @param size bytes of the file
    /// @param head the first bytes of the file, [ShardFormat#HEADER_SIZE] of them unless the file has fewer
    /// @throws DatasetException when the header cannot be used or the file ends before its last row
    static ShardHeader parse(Location file, long size, MemorySegment head) {
        if (head.byteSize() < ShardFormat.HEADER_SIZE) {
            throw truncated(file, ShardFormat.HEADER_SIZE, size);
        }
        byte[] magic = ShardFormat.magic();
        if (head.asSlice(0, magic.length).mismatch(MemorySegment.ofArray(magic)) >= 0) {
            throw new DatasetException.Corrupt(file, 0, Reason.BAD_MAGIC, "the file is not a GAMSAE01 shard");
        }
        long tag = Layouts.u32(head, ShardFormat.DTYPE_OFFSET);
        ElementType type = ShardFormat.type(tag);
        if (type == null) {
            throw new DatasetException.Corrupt(
                    file,
                    ShardFormat.DTYPE_OFFSET,
                    Reason.BAD_DTYPE,
                    "dtype tag " + tag + " is not supported; known tags are 0 (f32), 1 (bf16), 2 (f16) and 3 (f64)");
        }
        long rowCount = head.get(U64, ShardFormat.ROW_COUNT_OFFSET);
        long width = head.get(U64, ShardFormat.WIDTH_OFFSET);
        ShardHeader header = of(file, rowCount, width, type, Layouts.u32(head, ShardFormat.RESERVED_OFFSET));
        if (size < header.size()) {
            throw truncated(file, header.size(), size);
        }
        return header;
    }

    private static ShardHeader of(Location file, long rowCount, long width, ElementType type, long reserved) {
        try {
            return new ShardHeader(rowCount, width, type, reserved);
        } catch (IllegalArgumentException e) {
            throw new DatasetException.Corrupt(
                    file,
                    ShardFormat.ROW_COUNT_OFFSET,
                    Reason.HEADER_OVERFLOW,
                    "the header announces " + Long.toUnsignedString(rowCount) + " rows of width "
                            + Long.toUnsignedString(width) + ", more bytes than fit in 63 bits",
                    e);
        }
    }

    private static DatasetException truncated(Location file, long expected, long actual) {
        return new DatasetException.Corrupt(
                file,
                actual,
                Reason.TRUNCATED,
                "the shard is truncated: its header needs " + expected + " bytes and the file has " + actual);
    }

    /// What the original accepts and the specification does not allow.
    List<Problem> deviations(Location file, long size, Severity severity) {
        List<Problem> found = new ArrayList<>();
        if (width == 0) {
            found.add(
                    new Problem(file, ShardFormat.WIDTH_OFFSET, severity, Reason.ZERO_WIDTH, "the rows have width 0"));
        }
        if (reserved != 0) {
            found.add(new Problem(
                    file,
                    ShardFormat.RESERVED_OFFSET,
                    severity,
                    Reason.NONZERO_PADDING,
                    "the reserved field is " + reserved + " and not 0"));
        }
        if (size > size()) {
            found.add(new Problem(
                    file,
                    size(),
                    severity,
                    Reason.TRAILING_BYTES,
                    "bytes follow the last row: the header announces " + size() + " bytes and the file has " + size));
        }
        return found;
    }

    /// The bytes of the header.
    byte[] write() {
        byte[] bytes = Arrays.copyOf(ShardFormat.magic(), (int) ShardFormat.HEADER_SIZE);
        MemorySegment segment = MemorySegment.ofArray(bytes);
        segment.set(U64, ShardFormat.ROW_COUNT_OFFSET, rowCount);
        segment.set(U64, ShardFormat.WIDTH_OFFSET, width);
        segment.set(U32, ShardFormat.DTYPE_OFFSET, ShardFormat.tag(type));
        segment.set(U32, ShardFormat.RESERVED_OFFSET, (int) reserved);
        return bytes;
    }

    /// Bytes of one row.
    public long rowSize() {
        return width * type.size();
    }

    /// Bytes of all rows.
    public long rowBytes() {
        return rowCount * rowSize();
    }

    /// Bytes of the header and all rows.
    public long size() {
        return ShardFormat.HEADER_SIZE + rowBytes();
    }

    /// Where the rows lie.
    RowLayout layout() {
        return new RowLayout.Contiguous(ShardFormat.HEADER_SIZE, rowSize(), rowCount);
    }
}
