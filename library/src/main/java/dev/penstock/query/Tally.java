// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Column;
import dev.penstock.Field;

/// Accumulates statistics of one field.
///
/// **Threads.** One thread at a time.
interface Tally {
    /// Adds all values of a column.
    void add(Column column, long rowCount);

    /// Adds the statistics of another tally of the same field.
    void merge(Tally other);

    FieldStats result();

    static Tally of(Field field) {
        if (field.isVariable() || field.type().isText()) {
            return new SizeTally(field);
        }
        if (field.type().isComplex()) {
            return new ComplexTally(field);
        }
        return field.type().isFloat() ? new RealTally(field) : new WholeTally(field);
    }

    /// The number of elements of a fixed field in one record.
    static long elementCount(Field field) {
        return field.shape().stream().reduce(1L, (a, b) -> a * b);
    }
}
