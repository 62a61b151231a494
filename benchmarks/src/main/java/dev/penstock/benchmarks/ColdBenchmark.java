// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast are rows gathered from tables that are not in memory, or do not fit there?
final class ColdBenchmark implements Benchmark {
    static final String NAME = "cold";

    private final Map<String, Part> parts = new LinkedHashMap<>();

    /// Cases that are run together.
    @FunctionalInterface
    private interface Part {
        void run(ColdCases cases) throws Exception;
    }

    ColdBenchmark() {
        parts.put("limited", ColdCases::limited);
        parts.put("sparse", ColdCases::sparse);
        parts.put("resident", ColdCases::resident);
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
        for (Map.Entry<String, Part> part : parts.entrySet()) {
            if (settings.wants(part.getKey())) {
                part.getValue().run(cases);
            }
        }
    }
}
