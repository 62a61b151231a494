// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.ElementType;
import java.util.List;

/// The type of a column, or of what is nested in it, as Parquet and Arrow have it.
///
/// @param element  the element type of a [Kind#FIXED] value; null for other kinds
/// @param size     the size of a fixed value in bytes, or the length of a [Kind#FIXED_LIST]
/// @param children the items of a list, the members of a struct, or the keys and values of a map
record ColumnType(String name, Kind kind, ElementType element, long size, List<ColumnType> children) {
    /// What values look like.
    enum Kind {
        /// Numbers, booleans, and bytes of one size.
        FIXED,
        TEXT,
        BYTES,
        LIST,
        FIXED_LIST,
        STRUCT,
        MAP
    }

    static ColumnType fixed(String name, ElementType element) {
        return new ColumnType(name, Kind.FIXED, element, element.size(), List.of());
    }

    static ColumnType bytes(String name, long size) {
        return new ColumnType(name, Kind.FIXED, ElementType.BYTES, size, List.of());
    }

    static ColumnType variable(String name, Kind kind) {
        return new ColumnType(name, kind, null, 0, List.of());
    }

    static ColumnType nested(String name, Kind kind, ColumnType... children) {
        return new ColumnType(name, kind, null, 0, List.of(children));
    }

    ColumnType named(String name) {
        return new ColumnType(name, kind, element, size, children);
    }

    /// The items of a list.
    ColumnType item() {
        return children.getFirst();
    }

    /// Whether values are numbers or booleans.
    boolean isNumber() {
        return kind == Kind.FIXED && element != ElementType.BYTES;
    }
}
