// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import java.lang.foreign.MemorySegment;
import java.util.List;

/// Values of one [ColumnType]. Missing values take their place: a fixed one has bytes, and a list any number of
/// items, which mean nothing.
///
/// @param count    the number of values
/// @param missing  1 for each value that is missing and 0 for others, or null if none is
/// @param data     the bytes of fixed values, texts or bytes; null for other kinds
/// @param offsets  the first byte or item of each value, and the end of the last; null for fixed kinds and structs
/// @param children the items of a list, the members of a struct, or the keys and values of a map
record ColumnValues(int count, byte[] missing, MemorySegment data, long[] offsets, List<ColumnValues> children) {
    static ColumnValues fixed(int count, byte[] missing, MemorySegment data) {
        return new ColumnValues(count, missing, data, null, List.of());
    }

    static ColumnValues variable(int count, byte[] missing, MemorySegment data, long[] offsets) {
        return new ColumnValues(count, missing, data, offsets, List.of());
    }

    static ColumnValues list(int count, byte[] missing, long[] offsets, ColumnValues... children) {
        return new ColumnValues(count, missing, null, offsets, List.of(children));
    }

    boolean isMissing(int index) {
        return missing != null && missing[index] != 0;
    }

    /// The keys or the values of maps, as lists.
    ColumnValues part(int part) {
        return new ColumnValues(count, missing, data, offsets, List.of(children.get(part)));
    }

    /// The same values, with more of them missing.
    ColumnValues withMissing(byte[] others) {
        if (others == null) {
            return this;
        }
        byte[] all = others.clone();
        for (int i = 0; missing != null && i < count; i++) {
            all[i] |= missing[i];
        }
        return new ColumnValues(count, all, data, offsets, children);
    }
}
