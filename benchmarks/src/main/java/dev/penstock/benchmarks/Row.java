// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.Locale;

/// One result.
///
/// @param name       the benchmark
/// @param caseName   what exactly was measured, `case` in JSON
/// @param value      ours, the median of the rounds
/// @param floor      what stands beside it
/// @param floorValue the floor's, in the same unit, the median of the same rounds
/// @param ratio      our speed over the floor's, the median of the rounds: above 1 we are better, also where the
///                   unit is a time or a size
/// @param spread     (max - min) / median over the rounds: of the ratios where a floor was run, of our values
///                   where the floor is a fixed limit
record Row(
        String name,
        String caseName,
        double value,
        String unit,
        String floor,
        double floorValue,
        double ratio,
        double spread) {

    /// The row as one line of JSON.
    String json() {
        return String.format(
                Locale.ROOT,
                "{\"name\":\"%s\",\"case\":\"%s\",\"value\":%s,\"unit\":\"%s\",\"floor\":\"%s\","
                        + "\"floorValue\":%s,\"ratio\":%.3f,\"spread\":%.3f}",
                name,
                caseName,
                number(value),
                unit,
                floor,
                number(floorValue),
                ratio,
                spread);
    }

    /// A figure with as many places as it deserves.
    static String number(double value) {
        String format = Math.abs(value) >= 100 ? "%.0f" : Math.abs(value) >= 1 ? "%.2f" : "%.4f";
        return String.format(Locale.ROOT, format, value);
    }
}
