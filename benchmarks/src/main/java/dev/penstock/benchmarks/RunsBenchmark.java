// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Progress;
import dev.penstock.file.Parallel;
import dev.penstock.game2048.RunIntake;
import dev.penstock.game2048.RunPack;
import dev.penstock.game2048.RunVersion;
import dev.penstock.game2048.SelfPlay;
import dev.penstock.pack.PackBuilder;
import dev.penstock.pack.PackWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast are runs of the game 2048 decoded, written as JSON, packed and played?
final class RunsBenchmark implements Benchmark {
    static final String NAME = "runs";

    /// Enough for some seconds of JSON output.
    private static final int GAMES_MAX = 600;

    private final Map<String, Cases<Data>> parts = new LinkedHashMap<>();

    /// @param folder a folder of runs of version 2, played at depth 1
    /// @param pack   the same runs as a pack
    record Data(Path folder, Path pack) {}

    RunsBenchmark() {
        parts.put("decode", RunsDecodeCases::run);
        parts.put("jsonl", RunsJsonlCases::run);
        parts.put("build", RunsBuildCases::run);
        parts.put("steps", RunsStepCases::run);
        parts.put("play", RunsPlayCases::run);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast are runs of the game 2048 decoded, written as JSON, packed and played?";
    }

    @Override
    public List<String> parts() {
        return List.copyOf(parts.keySet());
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        Data data = data(settings, report);
        for (Map.Entry<String, Cases<Data>> part : parts.entrySet()) {
            if (settings.wants(part.getKey())) {
                part.getValue().run(settings, data, report);
            }
        }
    }

    /// Plays the games once and keeps them.
    static Data data(Settings settings, Report report) throws IOException {
        int games = Math.min(settings.records(), GAMES_MAX);
        Path folder = settings.dir().resolve("runs-" + games);
        Path pack = settings.dir().resolve("runs-" + games + ".a2pack");
        if (!Files.exists(pack)) {
            report.note("playing " + games + " games ...");
            int threads = Parallel.defaultThreads();
            Path fresh = settings.dir().resolve("runs-" + games + "-" + System.nanoTime());
            SelfPlay.play(fresh, new SelfPlay.Options(games, 1, 1, threads, RunVersion.V2, null, true), so -> {});
            Files.move(fresh, folder);
            PackBuilder.build(
                    folder,
                    pack,
                    false,
                    PackWriter.Options.DEFAULT,
                    threads,
                    List.of(new RunIntake(false)),
                    Progress.NONE);
        }
        try (RunPack runs = RunPack.open(pack)) {
            report.note(runs.count() + " runs, " + runs.lengths(Progress.NONE).totalSteps() + " steps, "
                    + runs.pack().bytes() / runs.count() + " bytes each");
        }
        return new Data(folder, pack);
    }
}
