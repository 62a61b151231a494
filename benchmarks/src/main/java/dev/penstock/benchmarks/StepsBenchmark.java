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

    private final Map<String, Cases<StepsData>> parts = new LinkedHashMap<>();

    StepsBenchmark() {
        parts.put("build", (_, data, _) -> StepsBuildCases.run(data));
        parts.put("filtered", (_, data, _) -> StepsBatchCases.filtered(data));
        parts.put("exponents", (_, data, _) -> StepsBatchCases.exponents(data));
        parts.put("append", (_, data, _) -> StepsAppendCases.run(data));
        parts.put("large", (_, data, _) -> StepsLargeCases.run(data));
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
        for (Map.Entry<String, Cases<StepsData>> part : parts.entrySet()) {
            String name = part.getKey();
            if (LARGE.contains(name) ? settings.names(name) : settings.wants(name)) {
                part.getValue().run(settings, data, report);
            } else if (settings.part().isEmpty()) {
                report.note("skipped: steps/" + name + ", because it needs gigabytes; run it by its name");
            }
        }
    }
}
