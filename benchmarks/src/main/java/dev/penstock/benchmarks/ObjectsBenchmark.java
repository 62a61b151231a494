// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast does the loader read from S3, beside parallel requests that know the ranges?
///
/// The server is s3proxy on this machine, once directly and once behind a proxy that delays each request by 30 ms.
final class ObjectsBenchmark implements Benchmark {
    private static final String NAME = "objects";
    private static final int ROUNDS = 3;
    private static final int[] LATENCIES = {0, 30};

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast does the loader read from S3, beside parallel requests that know the ranges?";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        Path jar = Path.of(System.getProperty("penstock.root"), "objects", "target", "servers", "s3proxy.jar");
        if (!Files.exists(jar)) {
            report.note("skipped: objects, because s3proxy is missing; the tests of the module objects copy it");
            return;
        }
        PythonProgram python = PythonProgram.find(report);
        for (int latency : LATENCIES) {
            Map<String, List<String[]>> found = new LinkedHashMap<>();
            List<String> words = python.words("remote.py", jar, latency, settings.roundsOr(ROUNDS));
            for (String line : Command.run(words).strip().split("\n")) {
                String[] parts = line.split("\\|", -1);
                found.computeIfAbsent(parts[0], _ -> new ArrayList<>()).add(parts);
            }
            found.forEach((name, rounds) -> report.add(row(name + ", " + latency + " ms", rounds)));
        }
    }

    private static Row row(String name, List<String[]> rounds) {
        double[] ours =
                rounds.stream().mapToDouble(one -> Double.parseDouble(one[2])).toArray();
        double[] theirs =
                rounds.stream().mapToDouble(one -> Double.parseDouble(one[3])).toArray();
        return Row.above(NAME, name, "MB/s", ours, rounds.getFirst()[1], theirs).withRemark(rounds.getLast()[4]);
    }
}
