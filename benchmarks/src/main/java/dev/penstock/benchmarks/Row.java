// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.Locale;

/// One result.
///
/// @param name       the name of the benchmark
/// @param caseName   the name of the case, `case` in JSON
/// @param value      our value, the median of the rounds
/// @param floor      the name of the baseline
/// @param floorValue the value of the baseline in the same unit, the median of the same rounds
/// @param ratio      our speed divided by that of the baseline, the median of the rounds; above 1 we are better,
///                   also if the unit is a time or a size
/// @param spread     (max - min) / median over the rounds: of the ratios, or of our values if the floor is a fixed
///                   limit
/// @param remark     a remark, such as whether a goal is reached; often empty
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

    /// A row with a value that should stay below a limit.
    static Row below(String name, String caseName, String unit, double[] figures, double limit) {
        double median = Times.median(figures);
        double spread = median == 0 ? 0 : Times.spread(figures);
        return new Row(name, caseName, median, unit, "the limit", limit, limit / Math.max(median, 1e-9), spread);
    }

    /// Returns a copy with a remark.
    Row withRemark(String remark) {
        return new Row(name, caseName, value, unit, floor, floorValue, ratio, spread, remark);
    }

    /// A row of values of two programs that took turns, of which more is better.
    static Row above(String name, String caseName, String unit, double[] figures, String floor, double[] others) {
        double[] ratios = new double[figures.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = figures[i] / others[i];
        }
        return new Row(
                name,
                caseName,
                Times.median(figures),
                unit,
                floor,
                Times.median(others),
                Times.median(ratios),
                Times.spread(ratios));
    }

    /// Returns a copy that says whether the ratio reaches the goal.
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

    /// Formats a value with a useful number of digits.
    static String number(double value) {
        String format = Math.abs(value) >= 100 ? "%.0f" : Math.abs(value) >= 1 ? "%.2f" : "%.4f";
        return String.format(Locale.ROOT, format, value);
    }
}
