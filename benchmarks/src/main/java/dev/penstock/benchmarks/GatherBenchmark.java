// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast are random rows of a table in memory gathered, beside C and NumPy?
final class GatherBenchmark implements Benchmark {
    static final String NAME = "gather";

    private final Map<String, Cases<GatherCases>> parts = new LinkedHashMap<>();

    GatherBenchmark() {
        parts.put("10M", (_, cases, _) -> cases.rows(10));
        parts.put("100M", (_, cases, _) -> cases.rows(100));
        parts.put("columns", (_, cases, _) -> cases.columns());
        parts.put("sizes", (_, cases, _) -> cases.sizes());
        parts.put("threads", (_, cases, _) -> cases.threads());
        parts.put("shards", (_, cases, _) -> cases.shards());
        parts.put("scalar", (_, cases, _) -> cases.scalar());
        parts.put("ranges", (_, cases, _) -> cases.ranges());
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
        for (Map.Entry<String, Cases<GatherCases>> part : parts.entrySet()) {
            if (settings.wants(part.getKey())) {
                part.getValue().run(settings, cases, report);
            }
        }
    }
}
