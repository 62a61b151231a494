// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast do batches reach Python, beside NumPy, LMDB and PyTorch?
final class PythonBenchmark implements Benchmark {
    static final String NAME = "python";

    private final Map<String, Cases<PythonProgram>> parts = new LinkedHashMap<>();

    PythonBenchmark() {
        parts.put("rows", (settings, python, report) -> new PythonCases(python, settings, report).rows());
        parts.put("wide", (settings, python, report) -> new PythonCases(python, settings, report).wide());
        parts.put("pack", (settings, python, report) -> new PythonCases(python, settings, report).pack());
        parts.put("store", (settings, python, report) -> new PythonCases(python, settings, report).store());
        parts.put("calls", (settings, python, report) -> new PythonCases(python, settings, report).calls());
        parts.put("inside", (settings, python, report) -> new PythonWorkCases(python, settings, report).inside());
        parts.put("work", (settings, python, report) -> new PythonWorkCases(python, settings, report).run());
        parts.put("objects", (settings, python, report) -> new PythonWorkCases(python, settings, report).objects());
        parts.put("writers", (settings, python, report) -> new PythonWorkCases(python, settings, report).writers());
        parts.put("early", (settings, python, report) -> new PythonWorkCases(python, settings, report).early());
        parts.put("start", (settings, python, report) -> new PythonProcessCases(python, settings, report).start());
        parts.put("memory", (settings, python, report) -> new PythonProcessCases(python, settings, report).memory());
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
        for (Map.Entry<String, Cases<PythonProgram>> part : parts.entrySet()) {
            if (settings.wants(part.getKey())) {
                part.getValue().run(settings, python, report);
            }
        }
    }
}
