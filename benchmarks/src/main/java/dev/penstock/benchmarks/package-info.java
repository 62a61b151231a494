// SPDX-License-Identifier: Apache-2.0

/// Side-by-side runs: how fast we are, beside a floor that is measured in the same process and minute.
///
/// Start from [dev.penstock.benchmarks.Benchmark]; a new one is a class of its own and a line in
/// [dev.penstock.benchmarks.Main].
package dev.penstock.benchmarks;
