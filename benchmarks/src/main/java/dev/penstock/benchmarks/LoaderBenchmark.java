// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast do batches come out of the loader, and in what order?
final class LoaderBenchmark implements Benchmark {
    static final String NAME = "loader";

    private final Map<String, Cases<Void>> parts = new LinkedHashMap<>();

    LoaderBenchmark() {
        parts.put("order", (settings, _, report) -> new LoaderOrderCases(settings, report).run());
        parts.put("speed", (settings, _, report) -> new LoaderCases(settings, report).speed());
        parts.put("consumers", (settings, _, report) -> new LoaderCases(settings, report).consumers());
        parts.put("convert", (settings, _, report) -> new LoaderCases(settings, report).convert());
        parts.put("block", (settings, _, report) -> new LoaderBlockCases(settings, report).run());
        parts.put("ranks", (settings, _, report) -> new LoaderRankCases(settings, report).run());
        parts.put("endless", (settings, _, report) -> new LoaderCases(settings, report).endless());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast do batches come out of the loader, and in what order?";
    }

    @Override
    public List<String> parts() {
        return List.copyOf(parts.keySet());
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        for (Map.Entry<String, Cases<Void>> part : parts.entrySet()) {
            if (settings.wants(part.getKey())) {
                part.getValue().run(settings, null, report);
            }
        }
    }

    /// A row with a value that should stay below a limit.
    static Row below(String caseName, String unit, double[] figures, double limit) {
        return Row.below(NAME, caseName, unit, figures, limit);
    }

    /// A row with a value that should be above another one, or above a ratio of it.
    static Row above(String caseName, String unit, double[] figures, String floor, double[] others) {
        return Row.above(NAME, caseName, unit, figures, floor, others);
    }
}
