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
/// @param remark     what else there is to say, such as whether a goal is reached; often nothing
record Row(
        String name,
        String caseName,
        double value,
        String unit,
        String floor,
        double floorValue,
        double ratio,
        double spread,
        String remark) {

    Row(
            String name,
            String caseName,
            double value,
            String unit,
            String floor,
            double floorValue,
            double ratio,
            double spread) {
        this(name, caseName, value, unit, floor, floorValue, ratio, spread, "");
    }

    /// A figure beside a limit that it should stay below.
    static Row below(String name, String caseName, String unit, double[] figures, double limit) {
        double median = Times.median(figures);
        double spread = median == 0 ? 0 : Times.spread(figures);
        return new Row(name, caseName, median, unit, "the limit", limit, limit / Math.max(median, 1e-9), spread);
    }

    /// The same row with a remark.
    Row withRemark(String remark) {
        return new Row(name, caseName, value, unit, floor, floorValue, ratio, spread, remark);
    }

    /// The same row, which says whether the ratio is what it should be.
    Row withGoal(double goal) {
        return withRemark("goal " + number(goal) + (ratio >= goal ? ": reached" : ": not reached"));
    }

    /// The row as one line of JSON.
    String json() {
        return String.format(
                Locale.ROOT,
                "{\"name\":\"%s\",\"case\":\"%s\",\"value\":%s,\"unit\":\"%s\",\"floor\":\"%s\","
                        + "\"floorValue\":%s,\"ratio\":%.3f,\"spread\":%.3f%s}",
                name,
                caseName,
                number(value),
                unit,
                floor,
                number(floorValue),
                ratio,
                spread,
                remark.isEmpty() ? "" : ",\"remark\":\"" + remark + "\"");
    }

    /// A figure with as many places as it deserves.
    static String number(double value) {
        String format = Math.abs(value) >= 100 ? "%.0f" : Math.abs(value) >= 1 ? "%.2f" : "%.4f";
        return String.format(Locale.ROOT, format, value);
    }
}
