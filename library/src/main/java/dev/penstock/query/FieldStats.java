// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Field;
import java.util.LinkedHashMap;
import java.util.Map;

/// Statistics of the values of one field.
///
/// All elements of a field with a shape are counted alike, and booleans count as 0 and 1. For text, bytes and
/// variable fields the statistics are about sizes in bytes, without the zeros that pad an element of a fixed
/// field. Complex numbers are only counted.
///
/// @param isOfSizes      whether the statistics are about sizes
/// @param count          the number of values, without missing ones
/// @param missingCount   the number of records that lack the value; the other statistics ignore them
/// @param nonFiniteCount the number of values that are NaN or infinite; the other statistics ignore them
/// @param min            the smallest value: a [Long], a [java.math.BigInteger] beyond 63 bits, or a [Double];
///                       null when there are no values
/// @param max            the largest value, likewise
/// @param mean           the mean; NaN when there are no values
/// @param std            the population standard deviation, as in `numpy.std`; NaN when there are no values
/// @param histogram      the histogram; null when there are no values
/// @param values         quantiles, distinct and frequent values; null when they were not requested
public record FieldStats(
        Field field,
        boolean isOfSizes,
        long count,
        long missingCount,
        long nonFiniteCount,
        Number min,
        Number max,
        double mean,
        double std,
        Histogram histogram,
        FieldValues values) {
    /// Statistics of a field whose values have no order.
    static FieldStats without(Field field, boolean isOfSizes, long count, long nonFiniteCount) {
        return new FieldStats(
                field, isOfSizes, count, 0, nonFiniteCount, null, null, Double.NaN, Double.NaN, null, null);
    }

    /// Returns a copy with the number of missing values.
    FieldStats withMissing(long missingCount) {
        return new FieldStats(
                field, isOfSizes, count, missingCount, nonFiniteCount, min, max, mean, std, histogram, values);
    }

    /// Returns a copy with details of the values.
    FieldStats withValues(FieldValues values) {
        return new FieldStats(
                field, isOfSizes, count, missingCount, nonFiniteCount, min, max, mean, std, histogram, values);
    }

    /// All figures by name, as JSON shows them. A mean or deviation that does not exist is null.
    public Map<String, Object> description() {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("name", field.name());
        description.put("type", field.type());
        description.put("shape", field.shape());
        description.put("sizes", isOfSizes);
        description.put("count", count);
        description.put("missing", missingCount);
        description.put("min", min);
        description.put("max", max);
        description.put("mean", Double.isNaN(mean) ? null : mean);
        description.put("std", Double.isNaN(std) ? null : std);
        description.put("nonFinite", nonFiniteCount);
        description.put("histogram", histogram == null ? null : histogram.description());
        if (values != null) {
            description.putAll(values.description());
        }
        return description;
    }
}
