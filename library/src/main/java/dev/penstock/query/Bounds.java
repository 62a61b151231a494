// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Field;

/// The smallest and the largest values of fields in some records, such as those that a Parquet file notes for each
/// row group.
@FunctionalInterface
public interface Bounds {
    /// The bounds of a field of numbers, or null if they are not known. Missing values and NaN do not count.
    Range of(Field field);

    /// Bounds: `long` for whole numbers, `double` for others.
    record Range(Number low, Number high) {}
}
