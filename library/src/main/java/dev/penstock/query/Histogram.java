// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The number of values in each of at most [#BINS_MAX] bins.
///
/// The width is a power of two, and every bin begins at a multiple of it. The smallest width that needs no more
/// than the limit is used, so the histogram depends only on the values and not on their order or the number of
/// threads. The first and the last bin are never empty.
///
/// @param start  the start of the first bin: a [Long], a [java.math.BigInteger] beyond 63 bits, or a [Double]; the
///               lowest double if it would be less than that
/// @param width  a [Long] of at least 1, or a [Double]
/// @param counts the number of values from `start + i * width` (inclusive) to `start + (i + 1) * width`
///               (exclusive)
public record Histogram(Number start, Number width, List<Long> counts) {
    /// More bins than a screen shows, and few enough to keep for every field.
    public static final int BINS_MAX = 128;

    public Histogram {
        counts = List.copyOf(counts);
    }

    /// The bins by name, as JSON shows them.
    Map<String, Object> description() {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("start", start);
        description.put("width", width);
        description.put("counts", counts);
        return description;
    }
}
