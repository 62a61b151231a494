// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.file.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// The measurements of the program `steps.py` in Python: for each name one value for each round.
///
/// @param values the values by name
record PythonFigures(Map<?, ?> values) {

    /// Runs a part of the program.
    static PythonFigures of(StepsData data, String part, Path folder, int rounds)
            throws IOException, InterruptedException {
        PythonProgram python = PythonProgram.find(data.report);
        String output = Command.run(python.words("steps.py", part, folder, rounds));
        return new PythonFigures((Map<?, ?>) Json.parse(output.getBytes(StandardCharsets.UTF_8)));
    }

    double[] get(String name) {
        return ((List<?>) values.get(name))
                .stream().mapToDouble(value -> ((Number) value).doubleValue()).toArray();
    }

    /// A row with two times of each round.
    Row faster(String caseName, String unit, String ours, String floor, String floorName) {
        double[] own = get(ours);
        double[] other = get(floor);
        double[] ratios = new double[own.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = other[i] / own[i];
        }
        return new Row(
                StepsBenchmark.NAME,
                caseName,
                Times.median(own),
                unit,
                floorName,
                Times.median(other),
                Times.median(ratios),
                Times.spread(ratios));
    }
}
