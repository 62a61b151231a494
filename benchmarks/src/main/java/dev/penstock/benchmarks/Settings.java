// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.nio.file.Path;

/// The options of the command line.
///
/// @param records the number of records in the data
/// @param rows    the number of rows of the large steps dataset
/// @param dir     the folder for the data
/// @param rounds  the number of rounds of each case, or 0 for its default
/// @param isJson  whether rows are printed as JSON
/// @param part    the only part to run, or empty for all
record Settings(int records, long rows, Path dir, int rounds, boolean isJson, String part) {
    /// The number of rounds of a case with a default of `wanted`.
    int roundsOr(int wanted) {
        return rounds > 0 ? rounds : wanted;
    }

    /// Whether a part is to be run.
    boolean wants(String partName) {
        return part.isEmpty() || part.equals(partName);
    }

    /// Whether a part was named explicitly. Parts with much data are run only then.
    boolean names(String partName) {
        return part.equals(partName);
    }

    Settings withPart(String part) {
        return new Settings(records, rows, dir, rounds, isJson, part);
    }
}
