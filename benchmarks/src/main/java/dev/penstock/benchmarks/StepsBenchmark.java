// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast are steps datasets built, appended to, filtered and loaded?
final class StepsBenchmark implements Benchmark {
    static final String NAME = "steps";

    /// The size of a row in bytes.
    static final int ROW_SIZE = 32;

    /// Parts that need gigabytes, so they are run only if named.
    private static final List<String> LARGE = List.of("append", "large");

    private final Map<String, Part> parts = new LinkedHashMap<>();

    /// Cases that are run together.
    @FunctionalInterface
    private interface Part {
        void run(StepsData data) throws Exception;
    }

    StepsBenchmark() {
        parts.put("build", StepsBuildCases::run);
        parts.put("filtered", StepsBatchCases::filtered);
        parts.put("exponents", StepsBatchCases::exponents);
        parts.put("append", StepsAppendCases::run);
        parts.put("large", StepsLargeCases::run);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast are steps datasets built, appended to, filtered and loaded?";
    }

    @Override
    public List<String> parts() {
        return List.copyOf(parts.keySet());
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        StepsData data = new StepsData(settings, report);
        for (Map.Entry<String, Part> part : parts.entrySet()) {
            String name = part.getKey();
            if (LARGE.contains(name) ? settings.names(name) : settings.wants(name)) {
                part.getValue().run(data);
            } else if (settings.part().isEmpty()) {
                report.note("skipped: steps/" + name + ", because it needs gigabytes; run it by its name");
            }
        }
    }
}
