// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Buffer;
import dev.penstock.ElementType;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;

/// Writes the value of a column as that of a field: elements, arrays in arrays, and text of any length.
///
/// **Threads.** Safe for any number of threads.
final class FieldEncoder {
    private final Field field;
    private final int ordinal;
    /// The type of an element in Spark, inside of all arrays.
    private final DataType elementType;

    private final ElementEncoder elements;
    private final ElementEncoder.TextGetter text;

    /// @param ordinal the position of the column in a row
    /// @throws IllegalArgumentException when the field cannot hold such values
    FieldEncoder(Field field, DataType type, int ordinal) {
        this.field = field;
        this.ordinal = ordinal;
        boolean isOneText = SparkTypes.isOneText(field);
        int dimensions = field.shape().size() + (field.isVariable() && !isOneText ? 1 : 0);
        DataType inner = type;
        for (int i = 0; i < dimensions; i++) {
            if (!(inner instanceof ArrayType array)) {
                throw new IllegalArgumentException("column " + field.name() + " has type " + type.simpleString()
                        + ", but " + FieldType.of(field) + " needs " + dimensions + " arrays in one another");
            }
            inner = array.elementType();
        }
        this.elementType = inner;
        this.text = isOneText ? ElementEncoder.TextGetter.of(field, inner) : null;
        if (isOneText && text == null) {
            throw new IllegalArgumentException("column " + field.name() + " has type " + type.simpleString()
                    + " and cannot be stored as " + field.type());
        }
        this.elements = isOneText ? null : ElementEncoder.of(field, inner);
    }

    Field field() {
        return field;
    }

    boolean isMissing(InternalRow row) {
        return row.isNullAt(ordinal);
    }

    /// Writes a fixed field.
    ///
    /// @param target zeros where the value is to be
    void put(InternalRow row, MemorySegment target, long offset) {
        if (field.shape().isEmpty()) {
            elements.put(row, ordinal, target, offset);
        } else {
            put(row.getArray(ordinal), 0, target, offset);
        }
    }

    private void put(ArrayData array, int dimension, MemorySegment target, long offset) {
        long length = field.shape().get(dimension);
        if (array.numElements() != length) {
            throw new IllegalArgumentException("an array of column " + field.name() + " has " + array.numElements()
                    + " elements, but the field has the shape " + field.shape()
                    + "; give the shape by the option types, or write kind store, which has ragged fields");
        }
        if (dimension == field.shape().size() - 1) {
            putElements(array, target, offset);
            return;
        }
        long size = field.elementSize();
        for (int i = dimension + 1; i < field.shape().size(); i++) {
            size *= field.shape().get(i);
        }
        for (int i = 0; i < length; i++) {
            requirePresent(array, i);
            put(array.getArray(i), dimension + 1, target, offset + i * size);
        }
    }

    private void requirePresent(ArrayData array, int index) {
        if (array.isNullAt(index)) {
            throw new IllegalArgumentException(
                    "an array of column " + field.name() + " has a null at " + index + ", which no field can hold");
        }
    }

    private void putElements(ArrayData array, MemorySegment target, long offset) {
        int count = array.numElements();
        if (!hasNull(array) && putAll(array, target, offset)) {
            return;
        }
        for (int i = 0; i < count; i++) {
            requirePresent(array, i);
            elements.put(array, i, target, offset + i * field.elementSize());
        }
    }

    private static boolean hasNull(ArrayData array) {
        for (int i = 0; i < array.numElements(); i++) {
            if (array.isNullAt(i)) {
                return true;
            }
        }
        return false;
    }

    /// Copies elements whose type is that of the field at once.
    private boolean putAll(ArrayData array, MemorySegment target, long offset) {
        int count = array.numElements();
        if (elementType instanceof FloatType && field.type() == ElementType.F32) {
            MemorySegment.copy(array.toFloatArray(), 0, target, ElementEncoder.FLOAT, offset, count);
        } else if (elementType instanceof DoubleType && field.type() == ElementType.F64) {
            MemorySegment.copy(array.toDoubleArray(), 0, target, ElementEncoder.DOUBLE, offset, count);
        } else if (elementType instanceof IntegerType && field.type() == ElementType.I32) {
            MemorySegment.copy(array.toIntArray(), 0, target, ElementEncoder.INT, offset, count);
        } else if (elementType instanceof LongType && field.type() == ElementType.I64) {
            MemorySegment.copy(array.toLongArray(), 0, target, ElementEncoder.LONG, offset, count);
        } else {
            return false;
        }
        return true;
    }

    /// Appends the value of a variable field to a buffer, whose first `used` bytes stay.
    ///
    /// @return the end of the value in the buffer
    long append(InternalRow row, Buffer buffer, long used) {
        if (text != null) {
            byte[] value = text.get(row, ordinal);
            MemorySegment target = grown(buffer, used, used + value.length);
            MemorySegment.copy(value, 0, target, ValueLayout.JAVA_BYTE, used, value.length);
            return used + value.length;
        }
        ArrayData array = row.getArray(ordinal);
        long end = used + array.numElements() * field.itemSize();
        MemorySegment target = grown(buffer, used, end);
        target.asSlice(used, end - used).fill((byte) 0);
        if (field.shape().isEmpty()) {
            putElements(array, target, used);
        } else {
            for (int i = 0; i < array.numElements(); i++) {
                requirePresent(array, i);
                put(array.getArray(i), 0, target, used + i * field.itemSize());
            }
        }
        return end;
    }

    private static MemorySegment grown(Buffer buffer, long used, long size) {
        MemorySegment old = buffer.reserve(used);
        if (size <= old.byteSize()) {
            return old;
        }
        byte[] kept = old.asSlice(0, used).toArray(ValueLayout.JAVA_BYTE);
        MemorySegment grown = buffer.reserve(size);
        MemorySegment.copy(kept, 0, grown, ValueLayout.JAVA_BYTE, 0, used > 0 ? kept.length : 0);
        return grown;
    }
}
