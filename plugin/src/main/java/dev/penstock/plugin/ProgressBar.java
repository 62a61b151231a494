// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Progress;
import java.io.PrintStream;
import java.util.Locale;

/// A progress line on a terminal with the remaining time. It draws nothing if standard error is not a terminal.
public final class ProgressBar implements Progress, AutoCloseable {
    private static final long DRAW_EVERY_NANOS = 100_000_000;
    private static final int WIDTH = 30;

    /// The unit of the progress.
    public enum Unit {
        BYTES,
        FILES,
        RECORDS,
        GAMES,
        /// Has no rate.
        TIME
    }

    private final PrintStream err;
    private final String label;
    private final Unit unit;
    private final boolean isDrawn;
    private final long start = System.nanoTime();
    private long lastDrawn;
    private String note = "";

    public ProgressBar(PrintStream err, String label, Unit unit, boolean isDrawn) {
        this.err = err;
        this.label = label;
        this.unit = unit;
        this.isDrawn = isDrawn;
    }

    /// Sets the text after the rate.
    public synchronized void note(String text) {
        note = "  " + text;
    }

    @Override
    public synchronized void at(long done, long total) {
        long now = System.nanoTime();
        if (isDrawn && now - lastDrawn >= DRAW_EVERY_NANOS) {
            lastDrawn = now;
            err.print("\r" + line(done, total, (now - start) / 1e9) + "\u001b[K");
            err.flush();
        }
    }

    private String line(long done, long total, double seconds) {
        double share = total == 0 ? 1 : (double) done / total;
        int filled = (int) (share * WIDTH);
        String bar = "#".repeat(filled) + ".".repeat(WIDTH - filled);
        double perSecond = seconds > 0 ? done / seconds : 0;
        String rate = switch (unit) {
            case BYTES -> Text.bytes((long) perSecond) + "/s";
            case FILES, RECORDS, GAMES ->
                Text.number((long) perSecond) + " " + unit.name().toLowerCase(Locale.ROOT) + "/s";
            case TIME -> "";
        };
        String left = share > 0.02 ? Text.seconds(seconds / share - seconds) + " left" : "";
        return String.format(Locale.ROOT, "%s [%s] %3.0f %%  %s  %s", label, bar, share * 100, rate + note, left);
    }

    /// Erases the line.
    @Override
    public synchronized void close() {
        if (isDrawn && lastDrawn != 0) {
            err.print("\r\u001b[K");
            err.flush();
        }
    }
}
