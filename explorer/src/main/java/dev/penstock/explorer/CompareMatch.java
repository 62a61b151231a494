// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.file.Layouts;
import dev.penstock.shards.RowHash;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/// Which records of two datasets are the same record: those with the same index, name, or value of a field.
///
/// @param name  `index`, `name`, or `field:` and the name of a field
/// @param field the field, or null
record CompareMatch(String name, Field field) {
    static final String INDEX = "index";
    static final String NAME = "name";
    static final String FIELD = "field:";

    /// @throws IllegalArgumentException when the datasets cannot be matched like this
    static CompareMatch of(String name, Dataset left, Dataset right) {
        if (name.equals(INDEX) || name.equals(NAME)) {
            return new CompareMatch(name, null);
        }
        return CompareRun.shared(left, right).stream()
                .filter(field -> isKey(field) && name.equals(FIELD + field.name()))
                .findFirst()
                .map(field -> new CompareMatch(name, field))
                .orElseThrow(() -> new IllegalArgumentException("records are matched by index, by name, or by a field"
                        + " of numbers or text that both have, as in field:id, not by " + name));
    }

    /// Whether a field can tell records apart.
    static boolean isKey(Field field) {
        return field.shape().isEmpty() && (field.type().isText() || !field.isVariable());
    }

    boolean isByIndex() {
        return name.equals(INDEX);
    }

    /// A number that is the same for the same record, and another one for others for all practical purposes.
    long key(Dataset dataset, long index, Column column, long row) {
        if (field != null) {
            return column.isMissing(row) ? 0 : hash(column.value(row));
        }
        String text = dataset.name(index);
        return text == null ? index : hash(MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8)));
    }

    /// A 64-bit hash of some bytes.
    static long hash(MemorySegment bytes) {
        long size = bytes.byteSize();
        long hash = RowHash.splitMix64(size);
        long at = 0;
        for (; at + Long.BYTES <= size; at += Long.BYTES) {
            hash = RowHash.splitMix64(hash ^ bytes.get(Layouts.U64, at));
        }
        for (; at < size; at++) {
            hash = RowHash.splitMix64(hash ^ bytes.get(ValueLayout.JAVA_BYTE, at));
        }
        return hash;
    }
}
