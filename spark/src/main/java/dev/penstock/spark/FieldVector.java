// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.Column;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.unsafe.types.UTF8String;

/// A field of a batch as Spark sees it: the elements in the memory of the batch, and around them an array for each
/// dimension.
final class FieldVector extends UnsupportedVector {
    private final Field field;
    private final ElementVector elements;
    /// The values of one row, as a column of which each row takes a part; null for single values.
    private final ColumnVector items;

    private final int itemLength;
    private MemorySegment offsets;
    private MemorySegment missing;
    private int rowCount;

    private FieldVector(Field field, ElementVector elements, ColumnVector items, int itemLength) {
        super(SparkTypes.type(field));
        this.field = field;
        this.elements = elements;
        this.items = items;
        this.itemLength = itemLength;
    }

    static FieldVector of(Field field) {
        ElementVector elements = new ElementVector(field);
        if (SparkTypes.isOneText(field) || !field.isVariable() && field.shape().isEmpty()) {
            return new FieldVector(field, elements, null, 1);
        }
        // A variable field is an array of items; a fixed one has an array less around its item.
        DataType inner = ((ArrayType) SparkTypes.type(field)).elementType();
        int outer = field.isVariable() ? 0 : 1;
        ColumnVector items = nested(field, inner, outer, elements);
        return new FieldVector(
                field,
                elements,
                items,
                outer == 0 ? 1 : Math.toIntExact(field.shape().getFirst()));
    }

    /// The column of which one row is an item of dimension `dimension` and further in.
    private static ColumnVector nested(Field field, DataType type, int dimension, ElementVector elements) {
        return dimension == field.shape().size()
                ? elements
                : new NestedVector(
                        type,
                        nested(field, ((ArrayType) type).elementType(), dimension + 1, elements),
                        Math.toIntExact(field.shape().get(dimension)));
    }

    /// The arrays of a dimension, all of one length.
    private static final class NestedVector extends UnsupportedVector {
        private final ColumnVector items;
        private final int length;

        NestedVector(DataType type, ColumnVector items, int length) {
            super(type);
            this.items = items;
            this.length = length;
        }

        @Override
        public ColumnarArray getArray(int row) {
            return new ColumnarArray(items, row * length, length);
        }

        @Override
        public ColumnVector getChild(int index) {
            return items;
        }
    }

    /// Shows the values of a column, until it is filled again.
    void show(Column column) {
        offsets = field.isVariable() ? column.offsets() : null;
        missing = column.hasMissing() ? column.missing() : null;
        elements.show(column.values(), SparkTypes.isOneText(field) ? offsets : null);
        rowCount = field.isVariable()
                ? (int) (offsets.byteSize() / U64.byteSize() - 1)
                : missing == null ? 0 : (int) missing.byteSize();
    }

    @Override
    public boolean hasNull() {
        return missing != null;
    }

    @Override
    public int numNulls() {
        int count = 0;
        for (int row = 0; missing != null && row < rowCount; row++) {
            count += missing.get(U8, row);
        }
        return count;
    }

    @Override
    public boolean isNullAt(int row) {
        return missing != null && missing.get(U8, row) != 0;
    }

    @Override
    public ColumnarArray getArray(int row) {
        if (!field.isVariable()) {
            return new ColumnarArray(items, Math.multiplyExact(row, itemLength), itemLength);
        }
        long itemSize = field.itemSize();
        long start = offsets.getAtIndex(U64, row) / itemSize;
        long length = offsets.getAtIndex(U64, row + 1) / itemSize - start;
        return new ColumnarArray(items, Math.toIntExact(start), Math.toIntExact(length));
    }

    @Override
    public ColumnVector getChild(int index) {
        return items == null ? elements.getChild(index) : items;
    }

    @Override
    public boolean getBoolean(int row) {
        return elements.getBoolean(row);
    }

    @Override
    public byte getByte(int row) {
        return elements.getByte(row);
    }

    @Override
    public short getShort(int row) {
        return elements.getShort(row);
    }

    @Override
    public int getInt(int row) {
        return elements.getInt(row);
    }

    @Override
    public long getLong(int row) {
        return elements.getLong(row);
    }

    @Override
    public float getFloat(int row) {
        return elements.getFloat(row);
    }

    @Override
    public double getDouble(int row) {
        return elements.getDouble(row);
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        return elements.getDecimal(row, precision, scale);
    }

    @Override
    public UTF8String getUTF8String(int row) {
        return elements.getUTF8String(row);
    }

    @Override
    public byte[] getBinary(int row) {
        return elements.getBinary(row);
    }
}
