// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.rows.RowLayout;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The header of a NumPy file.
///
/// @param version    1, 2 or 3; 0 for a file without a header
/// @param dataOffset the offset of the first row
/// @param rowCount   the number of rows
/// @param isColumnOrder whether the array is in Fortran order and that makes a difference
/// @param isScalar   whether the array has no dimensions; it is read as one row
record TableHeader(
        int version, long dataOffset, RowType rowType, long rowCount, boolean isColumnOrder, boolean isScalar) {
    private static final Set<String> KEYS = Set.of("descr", "fortran_order", "shape");

    /// The size of all rows in bytes.
    long dataBytes() {
        return Math.multiplyExact(rowCount, rowType.size());
    }

    /// The layout of the rows in the file.
    RowLayout layout() {
        return isColumnOrder
                ? new ColumnOrderRows(dataOffset, rowType.item().itemSize(), rowType.shape(), rowCount)
                : new RowLayout.Contiguous(dataOffset, rowType.size(), rowCount);
    }

    /// Creates a header for a file without one.
    ///
    /// @throws DatasetException when the file ends inside a row
    static TableHeader raw(OpenFile file, RowType rowType) {
        long rowCount = file.size() / rowType.size();
        long rest = file.size() % rowType.size();
        if (rest != 0) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    file.size() - rest,
                    Reason.TRUNCATED,
                    "the file has " + file.size() + " bytes, which is not a multiple of the " + rowType.size()
                            + " bytes of a row of " + rowType + ": the file is truncated, or the type is wrong");
        }
        return new TableHeader(0, 0, rowType, rowCount, false, false);
    }

    /// The header of another shard of the same table, or null when its rows do not end at the end of the file.
    ///
    /// @param bytes the size of the file
    TableHeader withRows(long rows, long bytes) {
        TableHeader other = new TableHeader(version, dataOffset, rowType, rows, isColumnOrder, isScalar);
        return !isColumnOrder && dataOffset + other.dataBytes() == bytes ? other : null;
    }

    /// Whether the file has no header.
    boolean isRaw() {
        return version == 0;
    }

    /// Reads the header of a file and checks that the file is long enough for its rows.
    static TableHeader read(OpenFile file) throws IOException {
        int version = readVersion(file);
        int lengthSize = TableFormat.lengthSize(version);
        long textOffset = TableFormat.LENGTH_OFFSET + lengthSize;
        requireSize(file, textOffset, "the header");
        byte[] head = bytes(file, 0, textOffset);
        MemorySegment start = MemorySegment.ofArray(head);
        long textSize = lengthSize == U16.byteSize()
                ? Layouts.u16(start, TableFormat.LENGTH_OFFSET)
                : Layouts.u32(start, TableFormat.LENGTH_OFFSET);
        if (textSize > TableFormat.TEXT_SIZE_MAX) {
            throw bad(
                    file,
                    TableFormat.LENGTH_OFFSET,
                    "a header of " + textSize + " bytes is too large: the limit is " + TableFormat.TEXT_SIZE_MAX
                            + " bytes");
        }
        requireSize(file, textOffset + textSize, "the header");
        Charset charset = version == 3 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
        String text = new String(bytes(file, textOffset, textSize), charset);
        TableHeader header = parse(file.location(), version, textOffset, textOffset + textSize, text);
        header.requireData(file);
        return header;
    }

    private static int readVersion(OpenFile file) throws IOException {
        byte[] start = bytes(file, 0, Math.min(file.size(), TableFormat.LENGTH_OFFSET));
        byte[] magic = TableFormat.magic();
        if (start.length == 0) {
            throw new DatasetException.WrongFormat(file.location(), "not a NumPy array: the file is empty");
        }
        for (int i = 0; i < Math.min(start.length, magic.length); i++) {
            if (start[i] != magic[i]) {
                throw new DatasetException.WrongFormat(file.location(), "not a NumPy array: " + found(start));
            }
        }
        requireSize(file, TableFormat.LENGTH_OFFSET, "the magic number");
        int major = Byte.toUnsignedInt(start[TableFormat.VERSION_OFFSET]);
        int minor = Byte.toUnsignedInt(start[TableFormat.VERSION_OFFSET + 1]);
        if (major < 1 || major > TableFormat.VERSION_MAX || minor != 0) {
            throw new DatasetException.UnsupportedVersion(
                    file.location(),
                    TableFormat.VERSION_OFFSET,
                    Reason.UNSUPPORTED_VERSION,
                    "NumPy format version " + major + "." + minor
                            + " is not supported; supported are 1.0, 2.0 and 3.0");
        }
        return major;
    }

    private static String found(byte[] start) {
        if (start[0] == (byte) 0x80) {
            return "this looks like a Python pickle; reading a pickle runs code, so it is refused";
        }
        boolean isZip = start.length > 1 && start[0] == 'P' && start[1] == 'K';
        return isZip ? "this is a zip archive; take the .npy files out of an .npz" : "bad magic";
    }

    private static byte[] bytes(OpenFile file, long offset, long byteCount) throws IOException {
        byte[] bytes = new byte[Math.toIntExact(byteCount)];
        file.read(offset, MemorySegment.ofArray(bytes));
        return bytes;
    }

    private static void requireSize(OpenFile file, long size, String what) {
        if (file.size() < size) {
            throw new DatasetException.Corrupt(
                    file.location(), file.size(), Reason.TRUNCATED, "file too small: it ends inside " + what);
        }
    }

    static TableHeader parse(Location file, int version, long textOffset, long dataOffset, String text) {
        try {
            if (!(LiteralParser.parse(text) instanceof Literal.Dictionary(Map<String, Literal> values))
                    || !values.keySet().equals(KEYS)) {
                throw new BadLiteral(0, "it must be a dictionary with the keys descr, fortran_order and shape");
            }
            if (!(values.get("fortran_order") instanceof Literal.Flag(boolean isFortran))) {
                throw new BadLiteral(0, "fortran_order must be True or False");
            }
            DType item = DTypeParser.parse(values.get("descr"));
            List<Long> shape = DTypeParser.dimensions(values.get("shape"));
            if (shape.size() > TableFormat.DIMENSIONS_MAX) {
                throw new BadLiteral(0, "there are more than " + TableFormat.DIMENSIONS_MAX + " dimensions");
            }
            RowType rowType = new RowType(item, shape.isEmpty() ? shape : shape.subList(1, shape.size()));
            TableHeader header = new TableHeader(
                    version,
                    dataOffset,
                    rowType,
                    shape.isEmpty() ? 1 : shape.getFirst(),
                    isFortran && !isSameInBothOrders(item, shape),
                    shape.isEmpty());
            header.dataBytes();
            rowType.fields();
            return header;
        } catch (BadLiteral e) {
            throw new DatasetException.Corrupt(
                    file, textOffset + e.position(), Reason.BAD_HEADER, "bad header: " + e.getMessage(), e);
        } catch (DTypeParser.ObjectType e) {
            throw new DatasetException.UnsupportedVersion(file, textOffset, Reason.UNSUPPORTED_TYPE, e.getMessage());
        } catch (ArithmeticException e) {
            throw new DatasetException.Corrupt(
                    file, textOffset, Reason.SIZE_OVERFLOW, "the size of the array does not fit in 63 bits", e);
        } catch (IllegalArgumentException e) {
            throw new DatasetException.Corrupt(file, textOffset, Reason.BAD_HEADER, "bad header: " + e.getMessage(), e);
        }
    }

    /// Fortran order and C order are the same if at most one dimension is larger than 1, or the array is empty.
    private static boolean isSameInBothOrders(DType item, List<Long> shape) {
        return shape.stream().filter(length -> length != 1).count() <= 1 || shape.contains(0L) || item.itemSize() == 0;
    }

    private void requireData(OpenFile file) {
        long there = file.size() - dataOffset;
        if (there < dataBytes()) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    file.size(),
                    Reason.TRUNCATED,
                    "the header announces " + rowCount + " rows of " + rowType.size() + " bytes, but the file has only "
                            + there / Math.max(1, rowType.size()));
        }
    }

    private static DatasetException bad(OpenFile file, long offset, String what) {
        return new DatasetException.Corrupt(file.location(), offset, Reason.BAD_HEADER, "bad header: " + what);
    }

    /// Creates the header that NumPy writes for `rowCount` rows. Its size depends on the type only, because NumPy
    /// reserves space for the digits of any count.
    static byte[] write(RowType rowType, long rowCount) {
        String text = text(rowType, rowCount);
        int version = 1;
        Charset charset = StandardCharsets.ISO_8859_1;
        if (!charset.newEncoder().canEncode(text)) {
            version = 3;
            charset = StandardCharsets.UTF_8;
        }
        byte[] encoded = text.getBytes(charset);
        if (version == 1 && TableFormat.textSize(1, encoded.length) > TableFormat.TEXT_SIZE_MAX_1) {
            version = 2;
        }
        return assemble(version, encoded);
    }

    private static String text(RowType rowType, long rowCount) {
        String shape = Literal.tuple(concat(rowCount, rowType.shape()));
        return "{'descr': " + rowType.item().descr() + ", 'fortran_order': False, 'shape': " + shape + ", }"
                + " ".repeat(TableFormat.COUNT_DIGITS - Long.toString(rowCount).length());
    }

    /// Checks a row type before anything is written.
    ///
    /// @throws IllegalArgumentException when rows of this type could not be read back
    static void requireReadable(RowType rowType) {
        long size = write(rowType, 0).length;
        if (size > TableFormat.TEXT_SIZE_MAX) {
            throw new IllegalArgumentException("the row type is too long: its header would have " + size
                    + " bytes, the limit is " + TableFormat.TEXT_SIZE_MAX);
        }
        try {
            RowType again =
                    parse(Location.of(Path.of("")), 1, 0, 0, text(rowType, 0)).rowType();
            if (!again.equals(rowType)) {
                throw new IllegalArgumentException(
                        "such rows would be read back as " + Literal.shown(again.toString()));
            }
        } catch (DatasetException e) {
            throw new IllegalArgumentException("such rows could not be read back: " + e.what(), e);
        }
    }

    static byte[] assemble(int version, byte[] encoded) {
        int lengthSize = TableFormat.lengthSize(version);
        int textSize = TableFormat.textSize(version, encoded.length);
        int textOffset = TableFormat.LENGTH_OFFSET + lengthSize;
        byte[] header = new byte[textOffset + textSize];
        MemorySegment segment = MemorySegment.ofArray(header);
        segment.copyFrom(MemorySegment.ofArray(TableFormat.magic()));
        segment.set(ValueLayout.JAVA_BYTE, TableFormat.VERSION_OFFSET, (byte) version);
        if (lengthSize == U16.byteSize()) {
            segment.set(U16, TableFormat.LENGTH_OFFSET, (short) textSize);
        } else {
            segment.set(U32, TableFormat.LENGTH_OFFSET, textSize);
        }
        segment.asSlice(textOffset).fill((byte) ' ');
        segment.asSlice(textOffset).copyFrom(MemorySegment.ofArray(encoded));
        header[header.length - 1] = '\n';
        return header;
    }

    private static List<Long> concat(long first, List<Long> others) {
        List<Long> all = new ArrayList<>();
        all.add(first);
        all.addAll(others);
        return all;
    }
}
