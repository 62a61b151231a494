// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Field;
import dev.penstock.plugin.Text;
import dev.penstock.query.FieldStats;
import dev.penstock.query.FieldValues;
import dev.penstock.query.Stats;
import dev.penstock.store.StoreTypes;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Formats statistics of fields as a table for people.
final class StatsText {
    private static final int BAR_COUNT_MAX = 24;
    private static final String BARS = "▁▂▃▄▅▆▇█";
    private static final MathContext DIGITS = new MathContext(6);
    private static final String NONE = "-";
    private static final List<String> HEAD =
            List.of("field", "type", "count", "missing", "non-finite", "min", "max", "mean", "std", "histogram");

    /// Columns that are aligned to the left: names and histograms.
    private static final List<Integer> LEFT = List.of(0, 1, 9);

    /// The column that is shown only if values are missing.
    private static final int MISSING = 3;

    private static final int SHOWN_VALUES = 8;

    private StatsText() {}

    /// A head and one line for each field.
    static List<String> table(Stats stats) {
        List<List<String>> rows = new ArrayList<>(List.of(HEAD));
        stats.fields().forEach(field -> rows.add(cells(field)));
        List<Integer> widths = new ArrayList<>();
        for (int column = 0; column < HEAD.size(); column++) {
            int at = column;
            widths.add(rows.stream().mapToInt(row -> width(row.get(at))).max().orElse(0));
        }
        boolean hasMissing = stats.fields().stream().anyMatch(field -> field.missingCount() > 0);
        return rows.stream().map(row -> line(row, widths, hasMissing)).toList();
    }

    private static int width(String cell) {
        return cell.codePointCount(0, cell.length());
    }

    private static String line(List<String> row, List<Integer> widths, boolean hasMissing) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            if (i == MISSING && !hasMissing) {
                continue;
            }
            String space = " ".repeat(widths.get(i) - width(row.get(i)));
            line.append("  ").append(LEFT.contains(i) ? row.get(i) + space : space + row.get(i));
        }
        return line.toString().stripTrailing();
    }

    private static List<String> cells(FieldStats stats) {
        return List.of(
                Text.printable(stats.field().name()),
                type(stats),
                Text.number(stats.count()),
                Text.number(stats.missingCount()),
                Text.number(stats.nonFiniteCount()),
                number(stats.min()),
                number(stats.max()),
                number(stats.mean()),
                number(stats.std()),
                stats.histogram() == null ? NONE : picture(stats.histogram().counts()));
    }

    /// Lines about quantiles, distinct and frequent values; none when these were not requested.
    static List<String> values(FieldStats stats) {
        FieldValues values = stats.values();
        if (values == null || values.count() == 0) {
            return List.of();
        }
        String of =
                values.sampleCount() == values.count() ? "" : ", of a sample of " + Text.number(values.sampleCount());
        String quantiles = values.quantiles().entrySet().stream()
                .map(one -> Math.round(one.getKey() * 100) + " %: " + number(one.getValue()))
                .collect(Collectors.joining(", "));
        String top = values.top().stream()
                .limit(SHOWN_VALUES)
                .map(one -> shown(one) + " (" + Text.number(one.count()) + ")")
                .collect(Collectors.joining(", "));
        String distinct = values.isDistinctExact() ? "" : "about ";
        return List.of(
                Text.printable(stats.field().name()) + (stats.isOfSizes() ? " sizes" : ""),
                Text.row("quantiles", quantiles + of),
                Text.row("distinct", distinct + Text.number(values.distinctCount())),
                Text.row("most frequent", top + (values.isDistinctExact() ? "" : of)));
    }

    private static String shown(FieldValues.Frequent value) {
        return value.value() instanceof Number number
                ? number(number)
                : Text.printable(value.value().toString()) + (value.isWhole() ? "" : "...");
    }

    private static String type(FieldStats stats) {
        Field field = stats.field();
        String shape = field.shape().isEmpty() ? "" : " " + field.shape();
        return StoreTypes.longName(field.type()) + shape + (stats.isOfSizes() ? " sizes" : "");
    }

    /// Integers in full, other numbers with a few digits.
    static String number(Number number) {
        if (!(number instanceof Double real)) {
            return number == null ? NONE : number.toString();
        }
        if (!Double.isFinite(real)) {
            return Double.isNaN(real) ? NONE : real.toString();
        }
        BigDecimal rounded = new BigDecimal(real).round(DIGITS).stripTrailingZeros();
        boolean isPlain = real == 0 || Math.abs(real) >= 1e-4 && Math.abs(real) < 1e9;
        return isPlain ? rounded.toPlainString() : rounded.toString();
    }

    /// Draws a bar for each bin. Neighbouring bins are combined until there are few enough. Bins that are not
    /// empty are always visible.
    static String picture(List<Long> counts) {
        int together = (counts.size() + BAR_COUNT_MAX - 1) / BAR_COUNT_MAX;
        List<Long> sums = new ArrayList<>();
        for (int start = 0; start < counts.size(); start += together) {
            int limit = Math.min(start + together, counts.size());
            sums.add(counts.subList(start, limit).stream()
                    .mapToLong(Long::longValue)
                    .sum());
        }
        long highest = sums.stream().mapToLong(Long::longValue).max().orElse(0);
        return sums.stream().map(sum -> bar(sum, highest)).collect(Collectors.joining("", "|", "|"));
    }

    private static String bar(long count, long highest) {
        int height = (int) Math.ceil((double) count / highest * BARS.length());
        return count == 0 ? " " : BARS.substring(height - 1, height);
    }
}
