// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The values of one field in detail: quantiles, distinct values and the most frequent ones.
///
/// Quantiles are values that occur: the smallest value that at least this share of the values does not exceed, as
/// `numpy.quantile(..., method="inverted_cdf")`. For text, bytes and variable fields they are about sizes in
/// bytes.
///
/// Up to [#SAMPLE_MAX] values, quantiles are exact. Of more values, they belong to a random sample of that size,
/// which depends on the records only and not on the number of threads. Distinct values are counted exactly up to
/// [#DISTINCT_MAX] and estimated beyond, with an error of about 2 %; the most frequent ones then belong to the
/// sample.
///
/// @param count           the number of values, without missing, NaN and infinite ones
/// @param sampleCount     the number of values that the quantiles belong to
/// @param quantiles       the quantiles by share, ascending; empty when there are no values
/// @param distinctCount   the number of different values
/// @param isDistinctExact whether that is exact, and the counts of `top` belong to all values
/// @param top             the most frequent values, the most frequent one first; in a sample only those that occur
///                        more than once
public record FieldValues(
        long count,
        long sampleCount,
        Map<Double, Number> quantiles,
        long distinctCount,
        boolean isDistinctExact,
        List<Frequent> top) {
    /// The number of values that quantiles are computed from; a third of a percentage point of its share.
    public static final int SAMPLE_MAX = 1 << 14;

    /// The number of different values that are counted one by one.
    public static final int DISTINCT_MAX = 1 << 12;

    /// The number of frequent values that are listed.
    public static final int TOP_MAX = 20;

    static final List<Double> SHARES = List.of(0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99);

    public FieldValues {
        quantiles = new LinkedHashMap<>(quantiles);
        top = List.copyOf(top);
    }

    /// A frequent value.
    ///
    /// @param value   a number, or the first characters of a text; bytes that are no text are in hexadecimal
    /// @param isWhole whether the value is not cut
    /// @param size    the size in bytes of a text, otherwise null
    /// @param count   how often it occurs
    public record Frequent(Object value, boolean isWhole, Long size, long count) {
        Map<String, Object> description() {
            Map<String, Object> description = new LinkedHashMap<>();
            description.put("value", value);
            description.put("whole", isWhole);
            description.put("size", size);
            description.put("count", count);
            return description;
        }
    }

    /// Everything by name, as JSON shows it.
    Map<String, Object> description() {
        Map<String, Object> shares = new LinkedHashMap<>();
        quantiles.forEach((share, value) -> shares.put(share.toString(), value));
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("quantiles", shares);
        description.put("quantilesOf", sampleCount);
        description.put("quantilesExact", sampleCount == count);
        description.put("distinct", distinctCount);
        description.put("distinctExact", isDistinctExact);
        description.put("top", top.stream().map(Frequent::description).toList());
        description.put("topOf", isDistinctExact ? count : sampleCount);
        return description;
    }
}
