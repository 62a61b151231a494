// SPDX-License-Identifier: Apache-2.0

/// Side-by-side measurements: our speed compared with a baseline (floor) that is measured in the same process and
/// minute.
///
/// Start from [dev.penstock.benchmarks.Benchmark]. A new one is a class and a line in
/// [dev.penstock.benchmarks.Main].
package dev.penstock.benchmarks;
