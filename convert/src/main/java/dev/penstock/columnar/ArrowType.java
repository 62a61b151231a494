// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.ElementType;
import java.util.List;

/// A column of an Arrow schema, or what is nested in it.
///
/// @param column     what its values become; those of the dictionary if there is one
/// @param layout     how they are stored
/// @param size       the size of a fixed value in bytes, or of an offset in bytes
/// @param scale      the scale of decimals
/// @param dictionary the number of the dictionary, or -1
/// @param index      the type of the numbers of a dictionary, or null
record ArrowType(
        ColumnType column,
        Layout layout,
        int size,
        int scale,
        long dictionary,
        ElementType index,
        List<ArrowType> children) {
    static final long NO_DICTIONARY = -1;

    /// How values are stored.
    enum Layout {
        NOTHING,
        BITS,
        FIXED,
        DECIMAL,
        OFFSETS,
        VIEWS,
        LIST,
        FIXED_LIST,
        STRUCT
    }

    boolean isLookedUp() {
        return dictionary != NO_DICTIONARY;
    }

    /// The type of the values of the dictionary.
    ArrowType values() {
        return new ArrowType(column, layout, size, scale, NO_DICTIONARY, null, children);
    }

    ArrowType withDictionary(long dictionary, ElementType index) {
        return new ArrowType(column, layout, size, scale, dictionary, index, children);
    }
}
