// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast are trees built, opened, asked and gone through, beside maps, Lucene's FST and the original?
final class TreeBenchmark implements Benchmark {
    static final String NAME = "tree";

    private final Map<String, Cases<TreeData>> parts = new LinkedHashMap<>();

    TreeBenchmark() {
        parts.put("reference", TreeReferenceCases::run);
        parts.put("maps", TreeMapCases::run);
        parts.put("open", TreeOpenCases::run);
        parts.put("heap", TreeHeapCases::run);
        parts.put("pages", TreePageCases::run);
        parts.put("limited", TreeLimitedCases::run);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast are trees built, opened, asked and gone through, beside maps, Lucene's FST and the original?";
    }

    @Override
    public List<String> parts() {
        return List.copyOf(parts.keySet());
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        TreeData data = new TreeData(settings, report);
        for (Map.Entry<String, Cases<TreeData>> part : parts.entrySet()) {
            if (settings.wants(part.getKey())) {
                part.getValue().run(settings, data, report);
            }
        }
    }
}
