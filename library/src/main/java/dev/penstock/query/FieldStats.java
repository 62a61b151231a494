// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Field;

/// How the values of one field are distributed.
///
/// All elements of a field with a shape count alike, truth values as 0 and 1. Of text, bytes and variable fields
/// it is the sizes that count: bytes, without the zeros that pad an element of a fixed field. Complex numbers are
/// counted only.
///
/// @param isOfSizes      whether the figures are those of sizes
/// @param count          how many values there are, missing ones not counted
/// @param missingCount   how many records lack the value; no other figure knows of them
/// @param nonFiniteCount how many of them are NaN or infinite, which the other figures leave out
/// @param min            the smallest: a [Long], a [java.math.BigInteger] beyond 63 bits, or a [Double]; null when
///                       there is none
/// @param max            the largest, likewise
/// @param mean           NaN when there is none
/// @param std            the standard deviation of the values as a whole population, as `numpy.std` has it; NaN
///                       when there is none
/// @param histogram      null when there is none
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
        Histogram histogram) {
    /// Figures of a field none of whose values can be put in order.
    static FieldStats without(Field field, boolean isOfSizes, long count, long nonFiniteCount) {
        return new FieldStats(field, isOfSizes, count, 0, nonFiniteCount, null, null, Double.NaN, Double.NaN, null);
    }

    /// The same figures beside a number of missing values.
    FieldStats withMissing(long missingCount) {
        return new FieldStats(field, isOfSizes, count, missingCount, nonFiniteCount, min, max, mean, std, histogram);
    }
}
