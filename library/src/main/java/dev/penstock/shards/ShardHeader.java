// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Reason;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.rows.RowLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The header of a shard.
///
/// @param rowCount the number of rows
/// @param width    the number of values in a row
/// @param type     the type of the values
/// @param reserved 0 in every file that follows the specification
public record ShardHeader(long rowCount, long width, ElementType type, long reserved) {
    /// @throws IllegalArgumentException when the rows do not fit in a file of 2^63 - 1 bytes
    public ShardHeader {
        ShardFormat.tag(type);
        if (rowCount < 0 || width < 0) {
            throw new IllegalArgumentException("invalid size of a shard: " + rowCount + " rows of width " + width);
        }
        try {
            Math.addExact(
                    ShardFormat.HEADER_SIZE, Math.multiplyExact(Math.multiplyExact(width, type.size()), rowCount));
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    rowCount + " rows of " + width + " " + type + " do not fit in a file of 2^63 - 1 bytes", e);
        }
    }

    /// Creates a header for writing.
    static ShardHeader of(long rowCount, long width, ElementType type) {
        return new ShardHeader(rowCount, width, type, 0);
    }

    /// Parses a header and makes the same checks as the original program, in its order.
    ///
    /// @param size the size of the file in bytes
    /// @param head the first [ShardFormat#HEADER_SIZE] bytes of the file, or fewer if the file is shorter
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
        if (width == 0 && rowCount > ShardFormat.EMPTY_ROWS_MAX) {
            throw new DatasetException.Corrupt(
                    file,
                    ShardFormat.WIDTH_OFFSET,
                    Reason.ZERO_WIDTH,
                    "the header announces " + rowCount + " rows of width 0; at most " + ShardFormat.EMPTY_ROWS_MAX
                            + " such rows are read, also by a lenient reader");
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
                "the shard is truncated: "
                        + (actual < ShardFormat.HEADER_SIZE ? "a header has " : "its header announces ")
                        + expected + " bytes, but the file has " + actual);
    }

    /// The deviations that the original reader accepts but the specification does not allow.
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
                    "the reserved field is " + reserved + " instead of 0"));
        }
        if (size > size()) {
            found.add(new Problem(
                    file,
                    size(),
                    severity,
                    Reason.TRAILING_BYTES,
                    "bytes follow the last row: the header announces " + size() + " bytes, but the file has " + size));
        }
        return found;
    }

    /// Encodes the header.
    byte[] write() {
        byte[] bytes = Arrays.copyOf(ShardFormat.magic(), (int) ShardFormat.HEADER_SIZE);
        MemorySegment segment = MemorySegment.ofArray(bytes);
        segment.set(U64, ShardFormat.ROW_COUNT_OFFSET, rowCount);
        segment.set(U64, ShardFormat.WIDTH_OFFSET, width);
        segment.set(U32, ShardFormat.DTYPE_OFFSET, ShardFormat.tag(type));
        segment.set(U32, ShardFormat.RESERVED_OFFSET, (int) reserved);
        return bytes;
    }

    /// The size of a row in bytes.
    public long rowSize() {
        return width * type.size();
    }

    /// The size of all rows in bytes.
    public long rowBytes() {
        return rowCount * rowSize();
    }

    /// The size of the header and all rows in bytes.
    public long size() {
        return ShardFormat.HEADER_SIZE + rowBytes();
    }

    /// The layout of the rows.
    RowLayout layout() {
        return new RowLayout.Contiguous(ShardFormat.HEADER_SIZE, rowSize(), rowCount);
    }
}
