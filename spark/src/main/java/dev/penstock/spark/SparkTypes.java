// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/// Which type of Spark a field has when it is read.
///
/// | field | Spark | |
/// |---|---|---|
/// | `bool`, `i8`, `i16`, `i32`, `i64`, `f32`, `f64` | boolean, byte, short, int, long, float, double | |
/// | `u8`, `u16`, `u32` | short, int, long | the smallest type that has all values |
/// | `u64` | decimal(20, 0) | as Spark reads the unsigned integers of Parquet |
/// | `f16`, `bf16` | float | |
/// | `c64`, `c128` | struct of `real` and `imag` | |
/// | `utf8`, `utf32` | string | a fixed field without the zeros at its end |
/// | `bytes` | binary | a fixed field with all its bytes |
/// | a field with a shape | array | an array in an array for each further dimension |
/// | a variable field | array | variable text and bytes are one string or binary |
///
/// A column keeps the type of its field in its metadata ([#TYPE_KEY]), so that a dataset which is written again
/// has the same fields.
final class SparkTypes {
    /// The key in the metadata of a column under which its [FieldType] stands.
    static final String TYPE_KEY = "penstock.type";

    /// The type of an unsigned integer of 64 bits.
    static final DataType U64 = DataTypes.createDecimalType(20, 0);

    private SparkTypes() {}

    /// The columns of a dataset. A value may be missing in any of them.
    static StructType schema(List<Field> fields) {
        return new StructType(fields.stream().map(SparkTypes::column).toArray(StructField[]::new));
    }

    static StructField column(Field field) {
        Metadata metadata = new MetadataBuilder()
                .putString(TYPE_KEY, FieldType.of(field).toString())
                .build();
        return new StructField(field.name(), type(field), true, metadata);
    }

    static DataType type(Field field) {
        DataType type = element(field.type());
        for (int i = 0; i < field.shape().size(); i++) {
            type = DataTypes.createArrayType(type, false);
        }
        return field.isVariable() && !isOneText(field) ? DataTypes.createArrayType(type, false) : type;
    }

    /// Whether a record of a variable field is one text, and not a list of texts of one width.
    static boolean isOneText(Field field) {
        return field.isVariable()
                && field.type().isText()
                && field.shape().isEmpty()
                && field.elementSize() == field.type().size();
    }

    private static DataType element(ElementType type) {
        return switch (type) {
            case BOOL -> DataTypes.BooleanType;
            case I8 -> DataTypes.ByteType;
            case I16, U8 -> DataTypes.ShortType;
            case I32, U16 -> DataTypes.IntegerType;
            case I64, U32 -> DataTypes.LongType;
            case U64 -> U64;
            case F16, BF16, F32 -> DataTypes.FloatType;
            case F64 -> DataTypes.DoubleType;
            case C64 -> complex(DataTypes.FloatType);
            case C128 -> complex(DataTypes.DoubleType);
            case BYTES -> DataTypes.BinaryType;
            case UTF8, UTF32 -> DataTypes.StringType;
        };
    }

    private static DataType complex(DataType part) {
        return new StructType()
                .add(new StructField("real", part, false, Metadata.empty()))
                .add(new StructField("imag", part, false, Metadata.empty()));
    }
}
