// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.nio.file.Path;

/// What the command line asked for.
///
/// @param records how many records the data has
/// @param dir     where the data goes
/// @param rounds  how many rounds each case has, or 0 for as many as the case thinks right
/// @param isJson  whether rows are printed as JSON
/// @param part    the only part to run, or empty for all
record Settings(int records, Path dir, int rounds, boolean isJson, String part) {
    /// The rounds of a case that would like to have so many.
    int roundsOr(int wanted) {
        return rounds > 0 ? rounds : wanted;
    }

    /// Whether a part is to be run.
    boolean wants(String partName) {
        return part.isEmpty() || part.equals(partName);
    }

    Settings withPart(String part) {
        return new Settings(records, dir, rounds, isJson, part);
    }
}
