// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.util.List;

/// How many values are in each of at most [#BINS_MAX] bins.
///
/// The width is a power of two and every bin begins at a multiple of it. It is the smallest that needs no more
/// bins, so it depends on the smallest and the largest value alone: not on the order of the values, nor on how
/// they were divided among threads. The first and the last bin are never empty.
///
/// @param start  where the first bin begins: a [Long], a [java.math.BigInteger] beyond 63 bits, or a [Double]; the
///               lowest double where it would be less than that
/// @param width  a [Long] of at least 1, or a [Double]
/// @param counts values from `start + i * width` on and less than `start + (i + 1) * width`
public record Histogram(Number start, Number width, List<Long> counts) {
    /// More than a screen shows and few enough to be kept for every field.
    public static final int BINS_MAX = 128;

    public Histogram {
        counts = List.copyOf(counts);
    }
}
