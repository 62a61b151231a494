// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.List;

/// What do ranks by the thousand and records by the trillion cost?
///
/// The real planner and samplers run without any data.
final class ScaleBenchmark implements Benchmark {
    static final String NAME = "scale";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "What do ranks by the thousand and records by the trillion cost?";
    }

    @Override
    public List<String> parts() {
        return List.of("order", "storage", "peers");
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        if (settings.wants("order")) {
            new ScaleOrderCases(settings, report).run();
        }
        if (settings.wants("storage")) {
            new ScaleStorageCases(report).run();
        }
        if (settings.wants("peers")) {
            new ScaleOrderCases(settings, report).peers();
        }
    }
}
