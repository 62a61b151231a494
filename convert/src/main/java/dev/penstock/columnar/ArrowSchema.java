// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.ElementType;
import dev.penstock.Reason;
import dev.penstock.columnar.ArrowType.Layout;
import dev.penstock.columnar.ColumnType.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FixedSizeList;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.Type;

/// The columns of an Arrow schema, and what is noted about them.
record ArrowSchema(List<ArrowType> columns, ColumnNotes notes) {
    private static final int DEPTH_MAX = 32;
    private static final int COLUMN_COUNT_MAX = 100_000;
    private static final int SIZE_MAX = 1 << 24;

    /// Reads a schema.
    ///
    /// @throws Damage when it is not valid, or has a type that records cannot have
    static ArrowSchema of(Schema schema) {
        Damage.require(
                schema.endianness() == Endianness.Little,
                Reason.UNSUPPORTED_TYPE,
                "its numbers are big-endian; write it on a little-endian machine");
        int[] left = {COLUMN_COUNT_MAX};
        List<ArrowType> columns = new ArrayList<>();
        for (int i = 0; i < count(schema.fieldsLength(), left); i++) {
            columns.add(type(schema.fields(i), 0, left));
        }
        String features = null;
        for (int i = 0; i < Math.min(schema.customMetadataLength(), COLUMN_COUNT_MAX); i++) {
            if ("huggingface".equals(schema.customMetadata(i).key())) {
                features = schema.customMetadata(i).value();
            }
        }
        return new ArrowSchema(columns, ColumnNotes.ofHuggingFace(features));
    }

    List<ColumnType> types() {
        return columns.stream().map(ArrowType::column).toList();
    }

    /// The shapes of lists by the Arrow schema that a Parquet file carries. A schema that is not valid is ignored:
    /// the types of the file are enough.
    static ColumnNotes ofParquet(String base64) {
        if (base64 == null) {
            return ColumnNotes.NONE;
        }
        try {
            ByteBuffer bytes =
                    ByteBuffer.wrap(Base64.getDecoder().decode(base64)).order(ByteOrder.LITTLE_ENDIAN);
            bytes.position(bytes.getInt(0) == -1 ? 2 * Integer.BYTES : Integer.BYTES);
            Message message = Message.getRootAsMessage(bytes.slice().order(ByteOrder.LITTLE_ENDIAN));
            if (message.headerType() != MessageHeader.Schema) {
                return ColumnNotes.NONE;
            }
            ArrowSchema schema = of((Schema) message.header(new Schema()));
            return schema.notes().or(ColumnNotes.ofShapes(schema.types()));
        } catch (Damage | IllegalArgumentException | IndexOutOfBoundsException | NullPointerException e) {
            return ColumnNotes.NONE;
        }
    }

    private static int count(int count, int[] left) {
        left[0] -= count;
        Damage.require(count >= 0 && left[0] >= 0, Reason.OUT_OF_RANGE, "its schema has too many columns");
        return count;
    }

    private static ArrowType type(Field field, int depth, int[] left) {
        Damage.require(field != null && depth <= DEPTH_MAX, Reason.OUT_OF_RANGE, "its columns are nested too deeply");
        String name = field.name() == null ? "" : field.name();
        List<ArrowType> children = new ArrayList<>();
        int childCount = count(field.childrenLength(), left);
        for (int i = 0; i < childCount; i++) {
            children.add(type(field.children(i), depth + 1, left));
        }
        ArrowType plain = plain(field, name, children);
        if (field.dictionary() == null) {
            return plain;
        }
        Int index = field.dictionary().indexType();
        ElementType number = index == null ? ElementType.I32 : whole(index, name);
        long id = field.dictionary().id();
        Damage.require(id >= 0, Reason.OUT_OF_RANGE, "a dictionary has the number " + id);
        return plain.withDictionary(id, number);
    }

    private static ArrowType plain(Field field, String name, List<ArrowType> children) {
        return switch (field.typeType()) {
            case Type.Null -> leaf(ColumnType.variable(name, Kind.TEXT), Layout.NOTHING, 0);
            case Type.Bool -> leaf(ColumnType.fixed(name, ElementType.BOOL), Layout.BITS, 1);
            case Type.Int -> fixed(name, whole((Int) field.type(new Int()), name));
            case Type.FloatingPoint ->
                fixed(name, real(((FloatingPoint) field.type(new FloatingPoint())).precision(), name));
            case Type.Date -> {
                boolean isDay = ((Date) field.type(new Date())).unit() == DateUnit.DAY;
                yield fixed(name, isDay ? ElementType.I32 : ElementType.I64);
            }
            case Type.Time -> {
                boolean isShort = ((Time) field.type(new Time())).bitWidth() == Integer.SIZE;
                yield fixed(name, isShort ? ElementType.I32 : ElementType.I64);
            }
            case Type.Timestamp, Type.Duration -> fixed(name, ElementType.I64);
            case Type.Decimal -> decimal((Decimal) field.type(new Decimal()), name);
            case Type.Utf8 -> leaf(ColumnType.variable(name, Kind.TEXT), Layout.OFFSETS, Integer.BYTES);
            case Type.LargeUtf8 -> leaf(ColumnType.variable(name, Kind.TEXT), Layout.OFFSETS, Long.BYTES);
            case Type.Binary -> leaf(ColumnType.variable(name, Kind.BYTES), Layout.OFFSETS, Integer.BYTES);
            case Type.LargeBinary -> leaf(ColumnType.variable(name, Kind.BYTES), Layout.OFFSETS, Long.BYTES);
            case Type.Utf8View -> leaf(ColumnType.variable(name, Kind.TEXT), Layout.VIEWS, 0);
            case Type.BinaryView -> leaf(ColumnType.variable(name, Kind.BYTES), Layout.VIEWS, 0);
            case Type.FixedSizeBinary -> {
                int width = ((FixedSizeBinary) field.type(new FixedSizeBinary())).byteWidth();
                requireSize(width, name);
                yield leaf(ColumnType.bytes(name, width), Layout.FIXED, width);
            }
            default -> nested(field, name, children);
        };
    }

    private static ArrowType nested(Field field, String name, List<ArrowType> children) {
        return switch (field.typeType()) {
            case Type.List -> list(name, Integer.BYTES, children);
            case Type.LargeList -> list(name, Long.BYTES, children);
            case Type.FixedSizeList -> {
                int length = ((FixedSizeList) field.type(new FixedSizeList())).listSize();
                requireSize(length, name);
                requireChildren(children, 1, name);
                ColumnType item = children.getFirst().column();
                ColumnType column = new ColumnType(name, Kind.FIXED_LIST, null, length, List.of(item));
                yield new ArrowType(column, Layout.FIXED_LIST, length, 0, ArrowType.NO_DICTIONARY, null, children);
            }
            case Type.Struct_ -> {
                List<ColumnType> members =
                        children.stream().map(ArrowType::column).toList();
                ColumnType column = new ColumnType(name, Kind.STRUCT, null, 0, members);
                yield new ArrowType(column, Layout.STRUCT, 0, 0, ArrowType.NO_DICTIONARY, null, children);
            }
            case Type.Map -> {
                requireChildren(children, 1, name);
                List<ArrowType> entries = children.getFirst().children();
                requireChildren(entries, 2, name);
                ColumnType column = ColumnType.nested(
                        name, Kind.MAP, entries.get(0).column(), entries.get(1).column());
                yield new ArrowType(column, Layout.LIST, Integer.BYTES, 0, ArrowType.NO_DICTIONARY, null, children);
            }
            default ->
                throw new Damage(
                        Reason.UNSUPPORTED_TYPE,
                        "the column " + name + " has the type " + typeName(field.typeType())
                                + ", which records cannot have; cast it, or leave it out");
        };
    }

    private static String typeName(byte type) {
        return type >= 0 && type < Type.names.length ? Type.name(type) : "number " + type;
    }

    private static void requireChildren(List<ArrowType> children, int count, String name) {
        Damage.require(children.size() == count, Reason.BAD_HEADER, "the column " + name + " has no type");
    }

    private static void requireSize(int size, String name) {
        Damage.require(
                size > 0 && size <= SIZE_MAX, Reason.WIDTH_MISMATCH, "values of column " + name + " have size " + size);
    }

    private static ArrowType list(String name, int offsetSize, List<ArrowType> children) {
        requireChildren(children, 1, name);
        ColumnType column =
                ColumnType.nested(name, Kind.LIST, children.getFirst().column());
        return new ArrowType(column, Layout.LIST, offsetSize, 0, ArrowType.NO_DICTIONARY, null, children);
    }

    private static ArrowType leaf(ColumnType column, Layout layout, int size) {
        return new ArrowType(column, layout, size, 0, ArrowType.NO_DICTIONARY, null, List.of());
    }

    private static ArrowType fixed(String name, ElementType type) {
        return leaf(ColumnType.fixed(name, type), Layout.FIXED, (int) type.size());
    }

    private static ArrowType decimal(Decimal type, String name) {
        int size = type.bitWidth() / 8;
        boolean isValid = (size == 4 || size == 8 || size == 16 || size == 32) && Math.abs(type.scale()) <= 1000;
        Damage.require(isValid, Reason.UNSUPPORTED_TYPE, "the column " + name + " has decimals of an unknown size");
        ColumnType column = ColumnType.fixed(name, ElementType.F64);
        return new ArrowType(column, Layout.DECIMAL, size, type.scale(), ArrowType.NO_DICTIONARY, null, List.of());
    }

    private static ElementType whole(Int type, String name) {
        boolean isSigned = type.isSigned();
        return switch (type.bitWidth()) {
            case 8 -> isSigned ? ElementType.I8 : ElementType.U8;
            case 16 -> isSigned ? ElementType.I16 : ElementType.U16;
            case 32 -> isSigned ? ElementType.I32 : ElementType.U32;
            case 64 -> isSigned ? ElementType.I64 : ElementType.U64;
            default ->
                throw new Damage(
                        Reason.UNSUPPORTED_TYPE, "the column " + name + " has numbers of " + type.bitWidth() + " bits");
        };
    }

    private static ElementType real(short precision, String name) {
        return switch (precision) {
            case Precision.HALF -> ElementType.F16;
            case Precision.SINGLE -> ElementType.F32;
            case Precision.DOUBLE -> ElementType.F64;
            default -> throw new Damage(Reason.UNSUPPORTED_TYPE, "the column " + name + " has unknown numbers");
        };
    }
}
