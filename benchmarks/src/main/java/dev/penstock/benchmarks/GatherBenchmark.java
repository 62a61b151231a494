// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast are random rows of a table in memory gathered, beside C and NumPy?
final class GatherBenchmark implements Benchmark {
    static final String NAME = "gather";

    private final Map<String, Part> parts = new LinkedHashMap<>();

    /// Cases that are run together.
    @FunctionalInterface
    private interface Part {
        void run(GatherCases cases) throws Exception;
    }

    GatherBenchmark() {
        parts.put("10M", cases -> cases.rows(10));
        parts.put("100M", cases -> cases.rows(100));
        parts.put("columns", GatherCases::columns);
        parts.put("sizes", GatherCases::sizes);
        parts.put("threads", GatherCases::threads);
        parts.put("shards", GatherCases::shards);
        parts.put("scalar", GatherCases::scalar);
        parts.put("ranges", GatherCases::ranges);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast are random rows of a table in memory gathered, beside C and NumPy?";
    }

    @Override
    public List<String> parts() {
        return List.copyOf(parts.keySet());
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        GatherCases cases = new GatherCases(settings, report);
        for (Map.Entry<String, Part> part : parts.entrySet()) {
            if (settings.wants(part.getKey())) {
                part.getValue().run(cases);
            }
        }
    }
}
