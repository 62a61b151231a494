// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.List;

/// How fast are activation shards streamed, gathered and opened?
final class ShardsBenchmark implements Benchmark {
    static final String NAME = "shards";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast are activation shards streamed, gathered and opened, beside memcpy and NumPy?";
    }

    @Override
    public List<String> parts() {
        return List.of("stream", "gather", "cold", "limited", "open");
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        ShardsCases cases = new ShardsCases(settings, report);
        if (settings.wants("stream")) {
            cases.stream();
        }
        if (settings.wants("gather")) {
            cases.gather();
        }
        if (settings.wants("cold")) {
            cases.cold();
        }
        if (settings.wants("limited")) {
            cases.limited();
        }
        if (settings.wants("open")) {
            cases.open();
        }
    }
}
