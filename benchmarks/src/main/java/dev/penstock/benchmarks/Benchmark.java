// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.List;

/// A question about speed or memory, and the runs that answer it.
///
/// The first sentence of the documentation of an implementation is its question.
interface Benchmark {
    /// The word of the command line, and the name in the rows.
    String name();

    /// What it answers, in one line.
    String question();

    /// Parts that can be run alone, as `name/part`.
    default List<String> parts() {
        return List.of();
    }

    /// Measures, and reports a row as soon as it is known.
    void run(Settings settings, Report report) throws Exception;
}
