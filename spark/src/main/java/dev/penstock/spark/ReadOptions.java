// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// The options of a read.
///
/// | option | | default |
/// |---|---|---|
/// | `where` | a condition in the grammar of the library, with all that Spark's filters do not have | none |
/// | `partitionBytes` | the bytes of a partition | `spark.sql.files.maxPartitionBytes`, less for small datasets |
/// | `columnar` | whether Spark gets batches of columns; rows otherwise | `true` |
///
/// @param partitionBytes 0 for the default
record ReadOptions(String where, long partitionBytes, boolean isColumnar) {
    static ReadOptions of(Map<String, String> options) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(options);
        String bytes = all.get("partitionBytes");
        return new ReadOptions(
                all.get("where"),
                bytes == null ? 0 : positive("partitionBytes", bytes),
                isTrue("columnar", all.getOrDefault("columnar", "true")));
    }

    static long positive(String option, String text) {
        try {
            long number = Long.parseLong(text.strip());
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " must be a number of at least 1, got '" + text + "'", e);
        }
        throw new IllegalArgumentException(option + " must be at least 1, got " + text);
    }

    static boolean isTrue(String option, String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(option + " must be true or false, got '" + text + "'");
        };
    }
}
