// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/// The metadata columns that every dataset has.
enum Extra {
    INDEX("_index", DataTypes.LongType, "the index of the record in the dataset"),
    NAME("_name", DataTypes.StringType, "the name of the record, or null"),
    FILE("_file", DataTypes.StringType, "the file that holds the record, or the folder of a store");

    private final String column;
    private final DataType type;
    private final String comment;

    Extra(String column, DataType type, String comment) {
        this.column = column;
        this.type = type;
        this.comment = comment;
    }

    String column() {
        return column;
    }

    DataType type() {
        return type;
    }

    String comment() {
        return comment;
    }

    /// The metadata column with a name, or null.
    static Extra of(String column) {
        for (Extra extra : values()) {
            if (extra.column.equals(column)) {
                return extra;
            }
        }
        return null;
    }
}
