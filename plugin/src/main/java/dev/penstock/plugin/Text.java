// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.convert.Printable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/// Formats values for people.
public final class Text {
    private static final String[] UNITS = {"B", "KB", "MB", "GB", "TB", "PB"};

    private Text() {}

    public static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /// Uses decimal units, as for disks and networks.
    public static String bytes(long value) {
        double scaled = value;
        int unit = 0;
        while (scaled >= 1000 && unit < UNITS.length - 1) {
            scaled /= 1000;
            unit++;
        }
        return unit == 0 ? value + " B" : String.format(Locale.ROOT, "%.1f %s", scaled, UNITS[unit]);
    }

    public static String seconds(double seconds) {
        return seconds < 60
                ? String.format(Locale.ROOT, "%.1f s", seconds)
                : String.format(Locale.ROOT, "%d:%02d min", (long) seconds / 60, (long) seconds % 60);
    }

    /// Makes a name from a file safe for a terminal: control characters are shown as escapes.
    public static String printable(String name) {
        return Printable.of(name);
    }

    /// A label and its value, in columns.
    public static String row(String label, Object value) {
        String shown = value instanceof Long number ? number(number) : String.valueOf(value);
        return String.format(Locale.ROOT, "  %-16s %s", label, shown);
    }

    /// Formats a time in seconds since 1970, in UTC.
    public static String instant(long unixSeconds) {
        try {
            return Instant.ofEpochSecond(unixSeconds).toString();
        } catch (DateTimeException e) {
            return Long.toUnsignedString(unixSeconds);
        }
    }

    /// Keys in the style of JSON output: `storedBytes` for `stored_bytes`.
    public static Map<String, Object> camelKeys(Map<String, Object> values) {
        Map<String, Object> renamed = new LinkedHashMap<>();
        values.forEach((key, value) -> renamed.put(
                Pattern.compile("_(.)").matcher(key).replaceAll(m -> m.group(1).toUpperCase(Locale.ROOT)), value));
        return renamed;
    }

    /// A figure as the original program prints it: floating-point numbers with three decimals, rounded half to
    /// even from the exact value.
    public static Object figure(Object value) {
        if (!(value instanceof Double || value instanceof Float)) {
            return value;
        }
        double number = ((Number) value).doubleValue();
        if (!Double.isFinite(number)) {
            return Double.isNaN(number) ? "NaN" : number > 0 ? "inf" : "-inf";
        }
        String text = new BigDecimal(number).setScale(3, RoundingMode.HALF_EVEN).toPlainString();
        boolean isNegative = number < 0 || 1 / number < 0;
        return isNegative && !text.startsWith("-") ? "-" + text : text;
    }
}
