// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteOrder;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.unsafe.types.UTF8String;

/// The elements of a field one after another, whatever its shape.
///
/// Texts are copied, because Spark may keep one until after the batch.
final class ElementVector extends UnsupportedVector {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final ElementType element;
    private final long stride;
    /// The offset of the value in an element: that of the imaginary part of a complex number.
    private final long inElement;

    private final ElementVector[] parts;
    private MemorySegment values;
    /// The start of each text of a variable field, or null when all have one width.
    private MemorySegment offsets;

    ElementVector(Field field) {
        this(
                elementType(field),
                field.type(),
                field.elementSize(),
                0,
                new ElementVector[field.type().isComplex() ? 2 : 0]);
        if (field.type().isComplex()) {
            boolean isDouble = field.type() == ElementType.C128;
            ElementType part = isDouble ? ElementType.F64 : ElementType.F32;
            DataType partType = isDouble ? DataTypes.DoubleType : DataTypes.FloatType;
            for (int i = 0; i < parts.length; i++) {
                parts[i] = new ElementVector(partType, part, stride, i * part.size(), new ElementVector[0]);
            }
        }
    }

    private ElementVector(DataType type, ElementType element, long stride, long inElement, ElementVector[] parts) {
        super(type);
        this.element = element;
        this.stride = stride;
        this.inElement = inElement;
        this.parts = parts;
    }

    private static DataType elementType(Field field) {
        return SparkTypes.type(new Field(field.name(), field.type(), field.elementSize(), java.util.List.of(), false));
    }

    void show(MemorySegment values, MemorySegment offsets) {
        this.values = values;
        this.offsets = offsets;
        for (ElementVector part : parts) {
            part.show(values, null);
        }
    }

    private long place(int index) {
        return index * stride + inElement;
    }

    @Override
    public ColumnVector getChild(int index) {
        return parts[index];
    }

    @Override
    public boolean getBoolean(int index) {
        return values.get(U8, place(index)) != 0;
    }

    @Override
    public byte getByte(int index) {
        return values.get(U8, place(index));
    }

    @Override
    public short getShort(int index) {
        return element == ElementType.U8
                ? (short) Byte.toUnsignedInt(values.get(U8, place(index)))
                : values.get(SHORT, place(index));
    }

    @Override
    public int getInt(int index) {
        return element == ElementType.U16
                ? Short.toUnsignedInt(values.get(SHORT, place(index)))
                : values.get(INT, place(index));
    }

    @Override
    public long getLong(int index) {
        return element == ElementType.U32
                ? Integer.toUnsignedLong(values.get(INT, place(index)))
                : values.get(LONG, place(index));
    }

    @Override
    public float getFloat(int index) {
        return switch (element) {
            case F16 -> Float.float16ToFloat(values.get(SHORT, place(index)));
            case BF16 -> Float.intBitsToFloat(values.get(SHORT, place(index)) << 16);
            default -> values.get(FLOAT, place(index));
        };
    }

    @Override
    public double getDouble(int index) {
        return values.get(DOUBLE, place(index));
    }

    @Override
    public Decimal getDecimal(int index, int precision, int scale) {
        long value = values.get(LONG, place(index));
        return value >= 0
                ? Decimal.createUnsafe(value, precision, scale)
                : Decimal.apply(new BigDecimal(new BigInteger(Long.toUnsignedString(value))), precision, scale);
    }

    private MemorySegment text(int index) {
        if (offsets != null) {
            long start = offsets.getAtIndex(U64, index);
            return values.asSlice(start, offsets.getAtIndex(U64, index + 1) - start);
        }
        return values.asSlice(place(index), stride);
    }

    @Override
    public byte[] getBinary(int index) {
        return text(index).toArray(U8);
    }

    @Override
    public UTF8String getUTF8String(int index) {
        MemorySegment text = text(index);
        if (element == ElementType.UTF32) {
            return UTF8String.fromString(Elements.toText(element, text, 0, text.byteSize()));
        }
        long size = text.byteSize();
        while (offsets == null && size > 0 && text.get(U8, size - 1) == 0) {
            size--;
        }
        return UTF8String.fromBytes(text.asSlice(0, size).toArray(U8));
    }

    @Override
    public byte[] getBytes(int index, int count) {
        return count == 0 ? new byte[0] : values.asSlice(place(index), count).toArray(U8);
    }

    @Override
    public short[] getShorts(int index, int count) {
        return element == ElementType.I16 ? slice(index, count).toArray(SHORT) : super.getShorts(index, count);
    }

    @Override
    public int[] getInts(int index, int count) {
        return element == ElementType.I32 ? slice(index, count).toArray(INT) : super.getInts(index, count);
    }

    @Override
    public long[] getLongs(int index, int count) {
        return element == ElementType.I64 ? slice(index, count).toArray(LONG) : super.getLongs(index, count);
    }

    @Override
    public float[] getFloats(int index, int count) {
        return element == ElementType.F32 && stride == Float.BYTES
                ? slice(index, count).toArray(FLOAT)
                : super.getFloats(index, count);
    }

    @Override
    public double[] getDoubles(int index, int count) {
        return element == ElementType.F64 && stride == Double.BYTES
                ? slice(index, count).toArray(DOUBLE)
                : super.getDoubles(index, count);
    }

    private MemorySegment slice(int index, int count) {
        return values.asSlice(place(index), count * stride);
    }
}
