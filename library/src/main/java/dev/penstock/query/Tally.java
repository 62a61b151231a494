// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Column;
import dev.penstock.Field;

/// Counts the values of one field.
///
/// **Threads.** One at a time.
interface Tally {
    /// Adds all values of a column.
    void add(Column column, long rowCount);

    /// Adds what another tally of the same field has counted.
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

    /// Elements of one record of a fixed field.
    static long elementCount(Field field) {
        return field.shape().stream().reduce(1L, (a, b) -> a * b);
    }
}
