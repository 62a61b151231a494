// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import com.google.flatbuffers.FlatBufferBuilder;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.file.Layouts;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Binary;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FixedSizeList;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Utf8;

/// Converts columns to Arrow's memory layout.
///
/// | field                               | Arrow type                                        |
/// |-------------------------------------|---------------------------------------------------|
/// | whole numbers, `bool`, f16 to f64   | the same                                          |
/// | bf16                                | float, which holds every value                    |
/// | complex                             | a fixed-size list of two floats                   |
/// | text                                | utf8, without padding                             |
/// | bytes                               | fixed-size binary, or binary where sizes differ   |
/// | a shape                             | a fixed-size list for each dimension              |
/// | variable numbers                    | list                                              |
final class ArrowOutputColumn {
    private static final String ITEM = "item";

    private ArrowOutputColumn() {}

    /// The buffers of a record batch, with the length and null count of each column and list.
    static final class Body {
        final List<byte[]> buffers = new ArrayList<>();
        final List<long[]> nodes = new ArrayList<>();
    }

    /// Writes the schema of a field.
    static int field(FlatBufferBuilder builder, dev.penstock.Field field) {
        boolean isList = field.isVariable() && !isVariableText(field);
        int depth = field.shape().size() + (isList ? 1 : 0);
        int offset = leaf(builder, depth == 0 ? field.name() : ITEM, field, depth == 0);
        for (int i = field.shape().size() - 1; i >= 0; i--) {
            boolean isOutermost = i == 0 && !isList;
            int type = FixedSizeList.createFixedSizeList(
                    builder, Math.toIntExact(field.shape().get(i)));
            offset = field(builder, isOutermost ? field.name() : ITEM, isOutermost, Type.FixedSizeList, type, offset);
        }
        if (isList) {
            org.apache.arrow.flatbuf.List.startList(builder);
            int type = org.apache.arrow.flatbuf.List.endList(builder);
            offset = field(builder, field.name(), true, Type.List, type, offset);
        }
        return offset;
    }

    private static boolean isVariableText(dev.penstock.Field field) {
        return field.isVariable() && field.type().isText() && field.shape().isEmpty();
    }

    private static int field(
            FlatBufferBuilder builder, String name, boolean isNullable, byte kind, int type, int child) {
        int text = builder.createString(name);
        int children = Field.createChildrenVector(builder, child < 0 ? new int[0] : new int[] {child});
        Field.startField(builder);
        Field.addName(builder, text);
        Field.addNullable(builder, isNullable);
        Field.addTypeType(builder, kind);
        Field.addType(builder, type);
        Field.addChildren(builder, children);
        return Field.endField(builder);
    }

    private static int leaf(FlatBufferBuilder builder, String name, dev.penstock.Field field, boolean isNullable) {
        ElementType type = field.type();
        if (type.isComplex()) {
            short precision = type == ElementType.C64 ? Precision.SINGLE : Precision.DOUBLE;
            int number = FloatingPoint.createFloatingPoint(builder, precision);
            int item = field(builder, ITEM, false, Type.FloatingPoint, number, -1);
            int list = FixedSizeList.createFixedSizeList(builder, 2);
            return field(builder, name, isNullable, Type.FixedSizeList, list, item);
        }
        return switch (type) {
            case BOOL -> {
                Bool.startBool(builder);
                yield field(builder, name, isNullable, Type.Bool, Bool.endBool(builder), -1);
            }
            case F16 -> real(builder, name, isNullable, Precision.HALF);
            case BF16, F32 -> real(builder, name, isNullable, Precision.SINGLE);
            case F64 -> real(builder, name, isNullable, Precision.DOUBLE);
            case UTF8, UTF32 -> {
                Utf8.startUtf8(builder);
                yield field(builder, name, isNullable, Type.Utf8, Utf8.endUtf8(builder), -1);
            }
            case BYTES -> bytes(builder, name, field, isNullable);
            default -> {
                boolean isSigned = type.ordinal() <= ElementType.I64.ordinal();
                int number = Int.createInt(builder, (int) type.size() * 8, isSigned);
                yield field(builder, name, isNullable, Type.Int, number, -1);
            }
        };
    }

    private static int real(FlatBufferBuilder builder, String name, boolean isNullable, short precision) {
        int type = FloatingPoint.createFloatingPoint(builder, precision);
        return field(builder, name, isNullable, Type.FloatingPoint, type, -1);
    }

    private static int bytes(FlatBufferBuilder builder, String name, dev.penstock.Field field, boolean isNullable) {
        if (isVariableText(field)) {
            Binary.startBinary(builder);
            return field(builder, name, isNullable, Type.Binary, Binary.endBinary(builder), -1);
        }
        int type = FixedSizeBinary.createFixedSizeBinary(builder, (int) field.elementSize());
        return field(builder, name, isNullable, Type.FixedSizeBinary, type, -1);
    }

    /// Adds the values of a column.
    static void add(Body body, Column column, long rowCount) {
        dev.penstock.Field field = column.field();
        boolean isList = field.isVariable() && !isVariableText(field);
        int depth = field.shape().size() + (isList ? 1 : 0);
        long count = rowCount;
        validity(body, column, rowCount);
        if (isList) {
            count = column.valueBytes() / field.itemSize();
            body.buffers.add(offsets(column, rowCount, field.itemSize()));
            body.nodes.add(new long[] {count, 0});
            body.buffers.add(new byte[0]);
        }
        for (int i = 0; i < field.shape().size(); i++) {
            count *= field.shape().get(i);
            body.nodes.add(new long[] {count, 0});
            body.buffers.add(new byte[0]);
        }
        if (field.type().isComplex()) {
            count *= 2;
            body.nodes.add(new long[] {count, 0});
            body.buffers.add(new byte[0]);
        }
        if (depth == 0 && isVariableText(field)) {
            body.buffers.add(offsets(column, rowCount, 1));
            body.buffers.add(column.values().toArray(Layouts.U8));
        } else {
            values(body, column, count);
        }
    }

    private static void validity(Body body, Column column, long rowCount) {
        long nullCount = 0;
        byte[] bits = new byte[0];
        if (column.hasMissing()) {
            bits = new byte[(int) Math.ceilDiv(rowCount, 8)];
            for (long row = 0; row < rowCount; row++) {
                boolean isThere = !column.isMissing(row);
                nullCount += isThere ? 0 : 1;
                bits[(int) (row / 8)] |= (byte) (isThere ? 1 << row % 8 : 0);
            }
        }
        body.nodes.add(new long[] {rowCount, nullCount});
        body.buffers.add(bits);
    }

    private static byte[] offsets(Column column, long rowCount, long unit) {
        ByteBuffer buffer = ByteBuffer.allocate(Math.toIntExact((rowCount + 1) * Integer.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        MemorySegment offsets = column.offsets();
        for (long row = 0; row <= rowCount; row++) {
            long offset = rowCount == 0 ? 0 : offsets.get(Layouts.U64, row * Long.BYTES) / unit;
            buffer.putInt(Math.toIntExact(offset));
        }
        return buffer.array();
    }

    private static void values(Body body, Column column, long count) {
        dev.penstock.Field field = column.field();
        MemorySegment values = column.values();
        switch (field.type()) {
            case BOOL -> {
                byte[] bits = new byte[(int) Math.ceilDiv(count, 8)];
                for (long i = 0; i < count; i++) {
                    bits[(int) (i / 8)] |= (byte) (values.get(Layouts.U8, i) != 0 ? 1 << i % 8 : 0);
                }
                body.buffers.add(bits);
            }
            case BF16 -> {
                ByteBuffer floats =
                        ByteBuffer.allocate((int) count * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
                for (long i = 0; i < count; i++) {
                    floats.putFloat((float) Elements.toDouble(ElementType.BF16, values, i * 2));
                }
                body.buffers.add(floats.array());
            }
            case UTF8, UTF32 -> texts(body, field, values, count);
            default -> body.buffers.add(values.toArray(Layouts.U8));
        }
    }

    private static void texts(Body body, dev.penstock.Field field, MemorySegment values, long count) {
        ByteBuffer offsets = ByteBuffer.allocate(Math.toIntExact((count + 1) * Integer.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (long i = 0; i < count; i++) {
            String text = Elements.toText(field.type(), values, i * field.elementSize(), field.elementSize());
            bytes.writeBytes(text.getBytes(StandardCharsets.UTF_8));
            offsets.putInt(bytes.size());
        }
        body.buffers.add(offsets.array());
        body.buffers.add(bytes.toByteArray());
    }
}
