// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/// What a write makes of the columns, as all its tasks know it.
///
/// @param folder      the absolute path of the dataset
/// @param job         hexadecimal digits that no other write has
/// @param schema      the columns of the rows
/// @param columns     the columns that become fields, in the order of the fields
/// @param nameOrdinal the position of the column with the names, or -1
record WritePlan(
        String folder, String job, WriteOptions options, StructType schema, List<Column> columns, int nameOrdinal)
        implements Serializable {
    /// A column that becomes a field.
    ///
    /// @param ordinal the position in a row
    record Column(int ordinal, String name, FieldType type) implements Serializable {
        Field field() {
            return type.field(name);
        }
    }

    /// @param present the columns of the dataset that is appended to: its fields decide about types and order
    /// @throws IllegalArgumentException when a column cannot be stored; the message says what to do
    static WritePlan of(DatasetPath path, WriteOptions options, LogicalWriteInfo info, StructType present) {
        String job = info.queryId().toLowerCase(Locale.ROOT).replaceAll("[^0-9a-f]", "");
        StructType schema = info.schema();
        List<String> names = Arrays.asList(schema.fieldNames());
        boolean isNamedAlike = options.kind().equals("table") || options.kind().equals("store");
        StructType before = isNamedAlike ? present : new StructType();
        List<Column> columns = new ArrayList<>();
        for (StructField column : before.fields()) {
            if (!names.contains(column.name())) {
                throw new IllegalArgumentException(path + " has the field " + column.name()
                        + ", which the rows to be appended do not have; their columns are " + String.join(", ", names));
            }
            columns.add(new Column(names.indexOf(column.name()), column.name(), kept(column)));
        }
        for (int i = 0; i < schema.size(); i++) {
            StructField column = schema.apply(i);
            boolean isTaken = List.of(before.fieldNames()).contains(column.name());
            if (!isTaken && before.size() > 0) {
                throw new IllegalArgumentException(path + " has no field " + column.name()
                        + ", which the rows to be appended have: drop it, or write a new dataset");
            }
            if (!isTaken && !column.name().equals(options.name())) {
                columns.add(new Column(i, column.name(), type(column, options)));
            }
        }
        WritePlan plan =
                new WritePlan(path.folder().toString(), job, options, schema, columns, names.indexOf(options.name()));
        plan.requireColumn("name", options.name());
        plan.requireColumn("group", options.group());
        for (String typed : options.types().keySet()) {
            plan.requireColumn("types", typed);
        }
        plan.requireKind();
        plan.encoders();
        return plan;
    }

    private static FieldType kept(StructField column) {
        return FieldType.parse(column.metadata().getString(SparkTypes.TYPE_KEY));
    }

    private void requireColumn(String option, String column) {
        if (column != null && !List.of(schema.fieldNames()).contains(column)) {
            throw new IllegalArgumentException("the option " + option + " names the column " + column
                    + ", but the columns are " + String.join(", ", schema.fieldNames()));
        }
    }

    private void requireKind() {
        List<Field> fields = fields();
        if (fields.isEmpty()) {
            throw new IllegalArgumentException("there is no column to write");
        }
        boolean isTable = options.kind().equals("table");
        if (options.group() != null && !isTable) {
            throw new IllegalArgumentException("only a table has groups; write kind table, or leave out group");
        }
        if (options.name() != null && !options.kind().equals("pack")) {
            throw new IllegalArgumentException("only a pack has names; write kind pack, or leave out name");
        }
        switch (options.kind()) {
            case "table" -> fields.forEach(WritePlan::requireFixed);
            case "pack" -> requireOne(fields, "pack", "binary or string", SparkTypes.isOneText(fields.getFirst()));
            case "shards" -> {
                Field field = fields.getFirst();
                boolean isVector = field.type().isFloat()
                        && (field.isVariable() || field.shape().size() == 1);
                requireOne(fields, "corpus of shards", "array of floats", isVector);
            }
            default -> {
                // A store has fields of all kinds.
            }
        }
    }

    private static void requireFixed(Field field) {
        if (field.isVariable()) {
            throw new IllegalArgumentException("the rows of a table have one size, and column " + field.name()
                    + " has values of any length: give its width by the option types, as in '" + field.name() + " "
                    + field.type() + (field.type().isText() ? "(16)" : "[768]") + "', or write kind store");
        }
    }

    private static void requireOne(List<Field> fields, String what, String type, boolean isFitting) {
        if (fields.size() != 1 || !isFitting) {
            throw new IllegalArgumentException("a " + what + " is written from one column of type " + type + ", got "
                    + String.join(", ", fields.stream().map(Field::name).toList()) + "; select one column");
        }
    }

    private static FieldType type(StructField column, WriteOptions options) {
        FieldType given = options.types().get(column.name());
        if (given != null) {
            return given;
        }
        if (column.metadata().contains(SparkTypes.TYPE_KEY)) {
            FieldType kept = kept(column);
            // A column of another type may have kept the metadata of the one that it was computed from.
            if (SparkTypes.type(kept.field(column.name())).sameType(column.dataType())) {
                return kept;
            }
        }
        return natural(column.name(), column.dataType());
    }

    private static FieldType natural(String name, DataType type) {
        ElementType element = switch (type) {
            case BooleanType _ -> ElementType.BOOL;
            case ByteType _ -> ElementType.I8;
            case ShortType _ -> ElementType.I16;
            case IntegerType _ -> ElementType.I32;
            case LongType _ -> ElementType.I64;
            case FloatType _ -> ElementType.F32;
            case DoubleType _ -> ElementType.F64;
            case StringType _ -> ElementType.UTF8;
            case BinaryType _ -> ElementType.BYTES;
            case ArrayType _ -> null;
            default -> type.sameType(SparkTypes.U64) ? ElementType.U64 : null;
        };
        if (element != null) {
            return new FieldType(element, 1, List.of(), element.isText());
        }
        if (type instanceof ArrayType array && !(array.elementType() instanceof ArrayType)) {
            FieldType inner = natural(name, array.elementType());
            if (!inner.isVariable()) {
                return new FieldType(inner.type(), 1, List.of(), true);
            }
        }
        throw new IllegalArgumentException("column " + name + " has type " + type.simpleString()
                + ", for which no field is known: cast it (a time to a number, a decimal to double), take a struct"
                + " apart, or give the type by the option types, as in '" + name + " f32[3,4]'");
    }

    /// The fields of the dataset.
    List<Field> fields() {
        return columns.stream().map(Column::field).toList();
    }

    /// What writes the values of the fields.
    List<FieldEncoder> encoders() {
        return columns.stream()
                .map(column -> new FieldEncoder(
                        column.field(), schema.apply(column.ordinal()).dataType(), column.ordinal()))
                .toList();
    }

    @Override
    public String toString() {
        return "penstock " + options.kind() + " " + folder;
    }
}
