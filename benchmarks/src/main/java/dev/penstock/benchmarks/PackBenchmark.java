// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast are packs built, opened, gathered from and read through, and in how much heap?
final class PackBenchmark implements Benchmark {
    static final String NAME = "pack";

    private final Map<String, Cases<PackData>> parts = new LinkedHashMap<>();

    PackBenchmark() {
        parts.put("open", PackOpenCases::run);
        parts.put("build", PackBuildCases::run);
        parts.put("gather", PackGatherCases::run);
        parts.put("scan", PackScanCases::run);
        parts.put("heap", PackHeapCases::run);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast are packs built, opened, gathered from and read through, and in how much heap?";
    }

    @Override
    public List<String> parts() {
        return List.copyOf(parts.keySet());
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        PackData data = new PackData(settings, report);
        for (Map.Entry<String, Cases<PackData>> part : parts.entrySet()) {
            if (settings.wants(part.getKey())) {
                part.getValue().run(settings, data, report);
            }
        }
    }
}
