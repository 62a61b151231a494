// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast do batches reach Python, beside NumPy, LMDB and PyTorch?
final class PythonBenchmark implements Benchmark {
    static final String NAME = "python";

    private final Map<String, Part> parts = new LinkedHashMap<>();

    /// Cases that are run together.
    @FunctionalInterface
    private interface Part {
        void run(PythonProgram python, Settings settings, Report report) throws Exception;
    }

    PythonBenchmark() {
        parts.put("rows", (python, settings, report) -> new PythonCases(python, settings, report).rows());
        parts.put("wide", (python, settings, report) -> new PythonCases(python, settings, report).wide());
        parts.put("pack", (python, settings, report) -> new PythonCases(python, settings, report).pack());
        parts.put("store", (python, settings, report) -> new PythonCases(python, settings, report).store());
        parts.put("calls", (python, settings, report) -> new PythonCases(python, settings, report).calls());
        parts.put("inside", (python, settings, report) -> new PythonWorkCases(python, settings, report).inside());
        parts.put("work", (python, settings, report) -> new PythonWorkCases(python, settings, report).run());
        parts.put("objects", (python, settings, report) -> new PythonWorkCases(python, settings, report).objects());
        parts.put("start", (python, settings, report) -> new PythonProcessCases(python, settings, report).start());
        parts.put("memory", (python, settings, report) -> new PythonProcessCases(python, settings, report).memory());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast do batches reach Python, beside NumPy, LMDB and PyTorch?";
    }

    @Override
    public List<String> parts() {
        return List.copyOf(parts.keySet());
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        PythonProgram python = PythonProgram.find(report);
        for (Map.Entry<String, Part> part : parts.entrySet()) {
            if (settings.wants(part.getKey())) {
                part.getValue().run(python, settings, report);
            }
        }
    }
}
