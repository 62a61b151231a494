// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Statistics of a list of exact values, computed in two passes and without rounding.
record NaiveStats(List<BigDecimal> finite, long nonFiniteCount) {
    private static final MathContext DIGITS = new MathContext(60);
    private static final double TOLERANCE = 1e-12;

    /// Fails unless the statistics are equal.
    void require(FieldStats actual) {
        String name = actual.field().name();
        assertEquals(finite.size() + nonFiniteCount, actual.count(), name);
        assertEquals(nonFiniteCount, actual.nonFiniteCount(), name);
        if (finite.isEmpty()) {
            assertNull(actual.min(), name);
            assertNull(actual.max(), name);
            assertNull(actual.histogram(), name);
            assertTrue(Double.isNaN(actual.mean()) && Double.isNaN(actual.std()), name);
            return;
        }
        assertEquals(0, Collections.min(finite).compareTo(exact(actual.min())), name + ": " + actual.min());
        assertEquals(0, Collections.max(finite).compareTo(exact(actual.max())), name + ": " + actual.max());
        BigDecimal mean = mean();
        double magnitude = Math.abs(mean.doubleValue()) + std(mean);
        assertEquals(mean.doubleValue(), actual.mean(), magnitude * TOLERANCE, name + ": mean");
        assertEquals(std(mean), actual.std(), magnitude * TOLERANCE, name + ": std");
        requireHistogram(actual);
    }

    private static BigDecimal exact(Number number) {
        return switch (number) {
            case BigInteger whole -> new BigDecimal(whole);
            case Long whole -> BigDecimal.valueOf(whole);
            default -> new BigDecimal(number.doubleValue());
        };
    }

    private BigDecimal mean() {
        BigDecimal sum = finite.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
        return sum.divide(BigDecimal.valueOf(finite.size()), DIGITS);
    }

    private double std(BigDecimal mean) {
        BigDecimal squares = BigDecimal.ZERO;
        for (BigDecimal value : finite) {
            squares = squares.add(value.subtract(mean, DIGITS).pow(2, DIGITS), DIGITS);
        }
        return squares.divide(BigDecimal.valueOf(finite.size()), DIGITS)
                .sqrt(DIGITS)
                .doubleValue();
    }

    /// The bins have the given width, no smaller width would be enough, and each has the right count.
    private void requireHistogram(FieldStats actual) {
        Histogram histogram = actual.histogram();
        BigDecimal width = exact(histogram.width());
        String what = actual.field().name() + ": " + histogram;
        assertTrue(histogram.counts().size() <= Histogram.BINS_MAX, what);
        BigInteger first = bin(Collections.min(finite), width);
        BigDecimal start = new BigDecimal(first).multiply(width).max(new BigDecimal(-Double.MAX_VALUE));
        assertEquals(0, start.compareTo(exact(histogram.start())), what);
        List<Long> counts = new ArrayList<>(Collections.nCopies(Histogram.BINS_MAX, 0L));
        for (BigDecimal value : finite) {
            int bin = bin(value, width).subtract(first).intValueExact();
            counts.set(bin, counts.get(bin) + 1);
        }
        int last = bin(Collections.max(finite), width).subtract(first).intValueExact();
        assertEquals(counts.subList(0, last + 1), histogram.counts(), what);
        requireNarrow(actual, width.divide(BigDecimal.TWO));
    }

    private void requireNarrow(FieldStats actual, BigDecimal half) {
        BigInteger binCount = bin(Collections.max(finite), half).subtract(bin(Collections.min(finite), half));
        boolean isWhole = !actual.field().type().isFloat() || actual.isOfSizes();
        double magnitude = Math.max(
                Math.abs(actual.min().doubleValue()), Math.abs(actual.max().doubleValue()));
        boolean isFinest =
                isWhole ? half.compareTo(BigDecimal.ONE) < 0 : half.compareTo(new BigDecimal(Math.ulp(magnitude))) < 0;
        assertTrue(isFinest || binCount.compareTo(BigInteger.valueOf(Histogram.BINS_MAX)) >= 0, "wider than needed");
    }

    private static BigInteger bin(BigDecimal value, BigDecimal width) {
        return value.divide(width, 0, RoundingMode.FLOOR).toBigInteger();
    }
}
