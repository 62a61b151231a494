// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.ElementType;
import dev.penstock.Reason;
import dev.penstock.columnar.ColumnType.Kind;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;

/// Reads the schema of a Parquet file, which is a list of elements in the order of a walk through the tree.
final class ParquetSchema {
    private static final int DEPTH_MAX = 32;
    private static final int ELEMENT_COUNT_MAX = 200_000;
    private static final int SIZE_MAX = 1 << 24;

    private final List<SchemaElement> elements;
    private final List<ParquetLeaf> leaves = new ArrayList<>();
    private int next;

    private ParquetSchema(List<SchemaElement> elements) {
        this.elements = elements;
    }

    /// The columns of a schema.
    static List<ParquetNode> columns(List<SchemaElement> elements) {
        int count = elements == null ? 0 : elements.size();
        Damage.require(count > 0 && count <= ELEMENT_COUNT_MAX, Reason.BAD_HEADER, "it has no schema");
        ParquetSchema schema = new ParquetSchema(elements);
        SchemaElement root = schema.take();
        List<ParquetNode> columns = new ArrayList<>();
        for (int i = 0; i < childCount(root); i++) {
            columns.add(schema.node(schema.take(), List.of(), 0, 0));
        }
        Damage.require(schema.next == count, Reason.BAD_HEADER, "its schema has more elements than columns");
        return columns;
    }

    private SchemaElement take() {
        Damage.require(next < elements.size(), Reason.BAD_HEADER, "its schema ends too early");
        SchemaElement element = elements.get(next++);
        Damage.require(element.getName() != null, Reason.BAD_HEADER, "a column has no name");
        return element;
    }

    private static int childCount(SchemaElement element) {
        return element.isSetNum_children() ? element.getNum_children() : 0;
    }

    private static boolean isRepeated(SchemaElement element) {
        return element.getRepetition_type() == FieldRepetitionType.REPEATED;
    }

    /// Reads a node and all below it. A repeated node that is not part of a list is a list itself.
    private ParquetNode node(SchemaElement element, List<String> above, int definition, int repetition) {
        if (!isRepeated(element)) {
            boolean isOptional = element.getRepetition_type() == FieldRepetitionType.OPTIONAL;
            return content(element, with(above, element), definition + (isOptional ? 1 : 0), repetition);
        }
        ParquetNode item = content(element, with(above, element), definition + 1, repetition + 1);
        ColumnType list = ColumnType.nested(element.getName(), Kind.LIST, item.type());
        return new ParquetNode(list, definition, definition + 1, repetition + 1, null, List.of(item));
    }

    private static List<String> with(List<String> above, SchemaElement element) {
        List<String> path = new ArrayList<>(above);
        path.add(element.getName());
        Damage.require(path.size() <= DEPTH_MAX, Reason.OUT_OF_RANGE, "its columns are nested too deeply");
        return path;
    }

    /// What a node is once it is known to be there.
    private ParquetNode content(SchemaElement element, List<String> path, int definition, int repetition) {
        if (element.isSetType() && childCount(element) == 0) {
            return leaf(element, path, definition, repetition);
        }
        int count = childCount(element);
        Damage.require(count > 0, Reason.BAD_HEADER, "the column " + String.join(".", path) + " has no type");
        boolean hasEntries = count == 1 && next < elements.size() && isRepeated(elements.get(next));
        if (hasEntries && (isMap(element) || isList(element))) {
            return entries(element, path, definition, repetition);
        }
        List<ParquetNode> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(node(take(), path, definition, repetition));
        }
        return struct(element.getName(), members, definition);
    }

    private static ParquetNode struct(String name, List<ParquetNode> members, int definition) {
        List<ColumnType> types = members.stream().map(ParquetNode::type).toList();
        ColumnType type = new ColumnType(name, Kind.STRUCT, null, 0, types);
        return new ParquetNode(type, definition, 0, 0, null, members);
    }

    private static boolean isList(SchemaElement element) {
        return element.isSetLogicalType()
                ? element.getLogicalType().isSetLIST()
                : element.getConverted_type() == ConvertedType.LIST;
    }

    private static boolean isMap(SchemaElement element) {
        return element.isSetLogicalType()
                ? element.getLogicalType().isSetMAP()
                : element.getConverted_type() == ConvertedType.MAP
                        || element.getConverted_type() == ConvertedType.MAP_KEY_VALUE;
    }

    /// A list or a map: its only child is repeated. Older writers have no element below that.
    private ParquetNode entries(SchemaElement element, List<String> path, int definition, int repetition) {
        SchemaElement repeated = take();
        List<String> inside = with(path, repeated);
        int count = childCount(repeated);
        boolean isElement = !isMap(element)
                && (count != 1
                        || repeated.getName().equals("array")
                        || repeated.getName().equals(element.getName() + "_tuple")
                        || isRepeated(elements.get(Math.min(next, elements.size() - 1))));
        List<ParquetNode> parts = new ArrayList<>();
        if (isElement) {
            parts.add(content(repeated, inside, definition + 1, repetition + 1));
        } else {
            for (int i = 0; i < count; i++) {
                parts.add(node(take(), inside, definition + 1, repetition + 1));
            }
        }
        boolean isPair = isMap(element) && parts.size() == 2;
        Damage.require(parts.size() == 1 || isPair, Reason.BAD_HEADER, "the map " + element.getName() + " is not one");
        ColumnType type = ColumnType.nested(
                element.getName(),
                isPair ? Kind.MAP : Kind.LIST,
                parts.stream().map(ParquetNode::type).toArray(ColumnType[]::new));
        return new ParquetNode(type, definition, definition + 1, repetition + 1, null, parts);
    }

    private ParquetNode leaf(SchemaElement element, List<String> path, int definition, int repetition) {
        Type type = element.getType();
        int size = ParquetLeaf.size(type, element.isSetType_length() ? element.getType_length() : 0);
        Damage.require(
                size != 0 && size >= -1 && size <= SIZE_MAX,
                Reason.WIDTH_MISMATCH,
                "values of column " + String.join(".", path) + " have " + size + " bytes");
        LeafConversion conversion = conversion(element, type, size);
        ParquetLeaf leaf = new ParquetLeaf(leaves.size(), path, type, size, definition, repetition, conversion);
        leaves.add(leaf);
        return new ParquetNode(conversion.type(), definition, 0, 0, leaf, List.of());
    }

    private static LeafConversion conversion(SchemaElement element, Type type, int size) {
        String name = element.getName();
        LogicalType logical = element.isSetLogicalType() ? element.getLogicalType() : null;
        ConvertedType old = logical == null ? element.getConverted_type() : null;
        if (logical != null && logical.isSetUNKNOWN()) {
            return new LeafConversion(LeafConversion.Kind.NOTHING, ColumnType.variable(name, Kind.TEXT), 0);
        }
        boolean isDecimal = logical != null ? logical.isSetDECIMAL() : old == ConvertedType.DECIMAL;
        if (isDecimal && type != Type.BOOLEAN && type != Type.INT96 && type != Type.FLOAT && type != Type.DOUBLE) {
            int scale = logical != null ? logical.getDECIMAL().getScale() : element.getScale();
            Damage.require(scale >= -1000 && scale <= 1000, Reason.OUT_OF_RANGE, "a decimal has the scale " + scale);
            return LeafConversion.decimal(name, scale);
        }
        return switch (type) {
            case BOOLEAN -> LeafConversion.same(ColumnType.fixed(name, ElementType.BOOL));
            case INT32, INT64 -> whole(name, type, logical, old);
            case INT96 -> new LeafConversion(LeafConversion.Kind.INT96, ColumnType.fixed(name, ElementType.I64), 0);
            case FLOAT -> LeafConversion.same(ColumnType.fixed(name, ElementType.F32));
            case DOUBLE -> LeafConversion.same(ColumnType.fixed(name, ElementType.F64));
            case BYTE_ARRAY -> {
                boolean isText = logical != null
                        ? logical.isSetSTRING() || logical.isSetENUM() || logical.isSetJSON()
                        : old == ConvertedType.UTF8 || old == ConvertedType.ENUM || old == ConvertedType.JSON;
                yield LeafConversion.same(ColumnType.variable(name, isText ? Kind.TEXT : Kind.BYTES));
            }
            case FIXED_LEN_BYTE_ARRAY -> {
                boolean isHalf = logical != null && logical.isSetFLOAT16() && size == 2;
                yield LeafConversion.same(
                        isHalf ? ColumnType.fixed(name, ElementType.F16) : ColumnType.bytes(name, size));
            }
        };
    }

    private static LeafConversion whole(String name, Type type, LogicalType logical, ConvertedType old) {
        int bits = type == Type.INT32 ? Integer.SIZE : Long.SIZE;
        boolean isSigned = true;
        if (logical != null && logical.isSetINTEGER()) {
            bits = logical.getINTEGER().getBitWidth();
            isSigned = logical.getINTEGER().isIsSigned();
        } else if (old != null && (old.name().startsWith("INT_") || old.name().startsWith("UINT_"))) {
            bits = Integer.parseInt(old.name().substring(old.name().indexOf('_') + 1));
            isSigned = old.name().startsWith("INT_");
        }
        ElementType element = switch (bits) {
            case 8 -> isSigned ? ElementType.I8 : ElementType.U8;
            case 16 -> isSigned ? ElementType.I16 : ElementType.U16;
            case 32 -> isSigned ? ElementType.I32 : ElementType.U32;
            default -> isSigned ? ElementType.I64 : ElementType.U64;
        };
        if (type == Type.INT32 && element.size() < Integer.BYTES) {
            return LeafConversion.narrow(name, element);
        }
        boolean isStored = element.size() == (type == Type.INT32 ? Integer.BYTES : Long.BYTES);
        ElementType plain = type == Type.INT32 ? ElementType.I32 : ElementType.I64;
        return LeafConversion.same(ColumnType.fixed(name, isStored ? element : plain));
    }
}
