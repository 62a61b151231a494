// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.List;

/// A benchmark: a question about speed or memory, and the measurements that answer it.
///
/// The first sentence of the documentation of an implementation is its question.
interface Benchmark {
    /// The name of the benchmark on the command line and in the rows.
    String name();

    /// The question that the benchmark answers, in one line.
    String question();

    /// The parts that can be run separately, as `name/part`.
    default List<String> parts() {
        return List.of();
    }

    /// Runs the measurements and reports each row as soon as it is known.
    void run(Settings settings, Report report) throws Exception;

    /// Measurements that are run together.
    ///
    /// @param <D> the data that all cases of the benchmark share
    @FunctionalInterface
    interface Cases<D> {
        void run(Settings settings, D data, Report report) throws Exception;
    }
}
