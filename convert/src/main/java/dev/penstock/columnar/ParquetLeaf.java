// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import java.util.List;
import org.apache.parquet.format.Type;

/// A column of a Parquet file as it is stored.
///
/// @param index         its number among the columns
/// @param path          the names that lead to it
/// @param size          the size of a value in bytes, or -1 for values of any size
/// @param maxDefinition the level of a value that is there
/// @param maxRepetition the number of lists that it is in
/// @param conversion    what its values become
record ParquetLeaf(
        int index,
        List<String> path,
        Type type,
        int size,
        int maxDefinition,
        int maxRepetition,
        LeafConversion conversion) {
    boolean isVariable() {
        return type == Type.BYTE_ARRAY;
    }

    boolean isBoolean() {
        return type == Type.BOOLEAN;
    }

    boolean isWhole() {
        return type == Type.INT32 || type == Type.INT64;
    }

    boolean isFixedBytes() {
        return type == Type.FIXED_LEN_BYTE_ARRAY;
    }

    String name() {
        return String.join(".", path);
    }

    /// The size of a value of a physical type in bytes, or -1.
    static int size(Type type, int length) {
        return switch (type) {
            case BOOLEAN -> 1;
            case INT32, FLOAT -> Integer.BYTES;
            case INT64, DOUBLE -> Long.BYTES;
            case INT96 -> 12;
            case BYTE_ARRAY -> -1;
            case FIXED_LEN_BYTE_ARRAY -> length;
        };
    }
}
