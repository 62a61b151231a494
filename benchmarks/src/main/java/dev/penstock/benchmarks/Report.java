// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Collects rows and prints them: as a table, or as JSON with one row on each line. Everything else goes to
/// stderr.
final class Report {
    private static final String FORMAT = "%-8s %-22s %12s %-10s %12s  %7s %7s  %s";

    private final boolean isJson;
    private final PrintStream out;
    private final List<Row> rows = new ArrayList<>();

    Report(boolean isJson, PrintStream out) {
        this.isJson = isJson;
        this.out = out;
    }

    void add(Row row) {
        rows.add(row);
        note(line(row));
    }

    /// Prints a note to stderr.
    void note(String text) {
        System.err.println(text);
    }

    /// Prints all rows.
    void print() {
        if (isJson) {
            out.println("[");
            for (int i = 0; i < rows.size(); i++) {
                out.println(rows.get(i).json() + (i + 1 < rows.size() ? "," : ""));
            }
            out.println("]");
        } else {
            out.println(
                    String.format(FORMAT, "name", "case", "value", "unit", "floor value", "ratio", "spread", "floor"));
            rows.forEach(row -> out.println(line(row)));
        }
    }

    private static String line(Row row) {
        return String.format(
                Locale.ROOT,
                FORMAT,
                row.name(),
                row.caseName(),
                Row.number(row.value()),
                row.unit(),
                Row.number(row.floorValue()),
                String.format(Locale.ROOT, "%.2f", row.ratio()),
                String.format(Locale.ROOT, "%.0f%%", row.spread() * 100),
                row.floor() + (row.remark().isEmpty() ? "" : "; " + row.remark()));
    }
}
