// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Reason;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// An array in memory, from the bytes of an `.npy` file.
///
/// @param field    the name, the type, and the whole shape of the array
/// @param elements the elements in C order, little-endian
public record NumpyArray(Field field, byte[] elements) {
    /// Parses the content of a file.
    ///
    /// @param name the name of the field, and of the content in messages
    /// @throws DatasetException when the content is damaged, or is an array of records or of Python objects, or in
    ///                          Fortran order
    public static NumpyArray parse(String name, byte[] content) {
        Location location = Location.of(Path.of(""));
        TableHeader header = header(location, content);
        RowType type = header.rowType();
        if (header.isColumnOrder() || !(type.item() instanceof DType.Scalar)) {
            throw new DatasetException.UnsupportedVersion(
                    location,
                    0,
                    Reason.UNSUPPORTED_TYPE,
                    header.isColumnOrder()
                            ? "the array is in Fortran order; save it in C order"
                            : "the array has records; save each field as an array");
        }
        Field row = type.recordFields().getFirst();
        List<Long> shape = new ArrayList<>(row.shape());
        if (!header.isScalar()) {
            shape.addFirst(header.rowCount());
        }
        long size = header.dataBytes();
        if (content.length - header.dataOffset() < size) {
            throw new DatasetException.Corrupt(
                    location,
                    content.length,
                    Reason.TRUNCATED,
                    "the array has " + size + " bytes, but the content ends after "
                            + Math.max(0, content.length - header.dataOffset()));
        }
        int start = (int) header.dataOffset();
        byte[] elements = Arrays.copyOfRange(content, start, (int) (start + size));
        if (!type.equals(type.littleEndian())) {
            swap(
                    elements,
                    Math.toIntExact(
                            row.type().isComplex()
                                    ? row.elementSize() / 2
                                    : row.type().size()));
        }
        return new NumpyArray(new Field(name, row.type(), row.elementSize(), shape, false), elements);
    }

    /// The content of a file with an array.
    ///
    /// @param shape    the whole shape of the array
    /// @param elements the elements in C order, little-endian
    public static byte[] content(Field field, List<Long> shape, byte[] elements) {
        String text = "{'descr': " + DType.Scalar.of(field).descr() + ", 'fortran_order': False, 'shape': "
                + Literal.tuple(shape) + ", }";
        byte[] header = TableHeader.assemble(1, text.getBytes(StandardCharsets.ISO_8859_1));
        byte[] content = Arrays.copyOf(header, header.length + elements.length);
        System.arraycopy(elements, 0, content, header.length, elements.length);
        return content;
    }

    private static TableHeader header(Location location, byte[] content) {
        byte[] magic = TableFormat.magic();
        int version = content.length > TableFormat.VERSION_OFFSET ? content[TableFormat.VERSION_OFFSET] : 0;
        if (content.length < magic.length
                || !Arrays.equals(content, 0, magic.length, magic, 0, magic.length)
                || version < 1
                || version > TableFormat.VERSION_MAX) {
            throw new DatasetException.WrongFormat(location, "not a NumPy array");
        }
        MemorySegment bytes = MemorySegment.ofArray(content);
        int lengthSize = TableFormat.lengthSize(version);
        long textOffset = TableFormat.LENGTH_OFFSET + lengthSize;
        long textSize = content.length < textOffset
                ? Long.MAX_VALUE
                : lengthSize == Short.BYTES
                        ? Layouts.u16(bytes, TableFormat.LENGTH_OFFSET)
                        : Layouts.u32(bytes, TableFormat.LENGTH_OFFSET);
        if (textSize > Math.min(content.length - textOffset, TableFormat.TEXT_SIZE_MAX)) {
            throw new DatasetException.Corrupt(
                    location, content.length, Reason.TRUNCATED, "the array ends inside its header");
        }
        Charset charset = version == 3 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
        String text = new String(content, (int) textOffset, (int) textSize, charset);
        return TableHeader.parse(location, version, textOffset, textOffset + textSize, text);
    }

    /// Reverses the bytes of each number.
    private static void swap(byte[] elements, int size) {
        for (int start = 0; start + size <= elements.length; start += size) {
            for (int i = 0; i < size / 2; i++) {
                byte kept = elements[start + i];
                elements[start + i] = elements[start + size - 1 - i];
                elements[start + size - 1 - i] = kept;
            }
        }
    }
}
