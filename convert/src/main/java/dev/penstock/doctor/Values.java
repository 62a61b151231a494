// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Values as bytes, without the padding of text in fixed fields.
final class Values {
    private Values() {}

    /// The size of a value in bytes.
    static long size(Column column, long row) {
        MemorySegment value = column.value(row);
        Field field = column.field();
        boolean isPadded =
                !field.isVariable() && field.type().isText() && field.shape().isEmpty();
        return isPadded ? unpadded(value) : value.byteSize();
    }

    /// Zeros at the end of a fixed text or of fixed bytes are padding.
    private static long unpadded(MemorySegment value) {
        long size = value.byteSize();
        while (size > 0 && value.get(ValueLayout.JAVA_BYTE, size - 1) == 0) {
            size--;
        }
        return size;
    }

    /// The bytes of a value; of text in UTF-8.
    static byte[] bytes(Column column, long row) {
        Field field = column.field();
        MemorySegment value = column.value(row);
        if (field.type() == ElementType.UTF32
                && !field.isVariable()
                && field.shape().isEmpty()) {
            return Elements.toText(field.type(), value, 0, value.byteSize()).getBytes(StandardCharsets.UTF_8);
        }
        byte[] bytes = value.toArray(ValueLayout.JAVA_BYTE);
        long size = size(column, row);
        return size == bytes.length ? bytes : Arrays.copyOf(bytes, (int) size);
    }
}
