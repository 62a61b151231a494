// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast are rows gathered from tables that are not in memory, or do not fit there?
final class ColdBenchmark implements Benchmark {
    static final String NAME = "cold";

    private final Map<String, Cases<ColdCases>> parts = new LinkedHashMap<>();

    ColdBenchmark() {
        parts.put("limited", (_, cases, _) -> cases.limited());
        parts.put("sparse", (_, cases, _) -> cases.sparse());
        parts.put("resident", (_, cases, _) -> cases.resident());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast are rows gathered from tables that are not in memory, or do not fit there?";
    }

    @Override
    public List<String> parts() {
        return List.copyOf(parts.keySet());
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        ColdCases cases = new ColdCases(settings, report);
        for (Map.Entry<String, Cases<ColdCases>> part : parts.entrySet()) {
            if (settings.wants(part.getKey())) {
                part.getValue().run(settings, cases, report);
            }
        }
    }
}
