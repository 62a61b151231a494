// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.file.Parallel;
import dev.penstock.game2048.RunVersion;
import dev.penstock.game2048.SelfPlay;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Seed;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Plays games and records them.
@CommandLine.Command(
        name = "play",
        header = "Play games of 2048 and record each game in a file.",
        description = {
            "An expectimax player searches to --depth. A game depends on the seed and its number"
                    + " only, so the number of workers has no effect. Files are named run-000000.a2run2 and so on;"
                    + " existing"
                    + " ones are not overwritten."
        },
        footer = {
            "",
            "Example:",
            "  penstock game2048 runs play --games 100 --output games --depth 1 --seed 7 --clock fixed"
        })
final class RunsPlayCommand extends Command {
    /// The values recorded as start and duration.
    enum Clock {
        REAL,
        FIXED
    }

    @Option(names = "--games", required = true, paramLabel = "N", description = "Number of games.")
    long games;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "DIR",
            description = "The output folder.")
    Path output;

    @Option(
            names = "--depth",
            paramLabel = "D",
            defaultValue = "1",
            description = "Maximum search depth of the player (default: ${DEFAULT-VALUE}).")
    int depth;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "0",
            converter = Seed.class,
            description = "Random seed of the games, a 64-bit number from -2^63 to 2^64 - 1"
                    + " (default: ${DEFAULT-VALUE}).")
    long seed;

    @Option(names = "--workers", paramLabel = "N", description = "Number of threads that play (default: one per core).")
    Integer workers;

    @Option(
            names = "--format",
            paramLabel = "v1|v2",
            defaultValue = "v2",
            description = "File version; version 1 has no branch values (default: ${DEFAULT-VALUE}).")
    RunVersion version;

    @Option(names = "--engine", paramLabel = "NAME", description = "Name of the player to record (default: none).")
    String engine;

    @Option(
            names = "--clock",
            paramLabel = "real|fixed",
            defaultValue = "real",
            description =
                    "With fixed, start and duration are recorded as 0, so that the same seed gives the same bytes.")
    Clock clock;

    @Override
    public Integer call() throws IOException {
        int threads = workers == null ? Parallel.defaultThreads() : workers;
        SelfPlay.Options options =
                new SelfPlay.Options(games, depth, seed, threads, version, engine, clock == Clock.FIXED);
        long start = System.nanoTime();
        SelfPlay.Totals totals;
        try (ProgressBar progress = progress("play", ProgressBar.Unit.GAMES)) {
            totals = SelfPlay.play(output, options, so -> {
                double seconds = (System.nanoTime() - start) / 1e9;
                progress.note(Text.number((long) (so.moveCount() / seconds)) + " moves/s, best tile " + so.bestTile());
                progress.at(so.gameCount(), games);
            });
        }
        report(totals, threads, (System.nanoTime() - start) / 1e9);
        return 0;
    }

    private void report(SelfPlay.Totals totals, int threads, double seconds) {
        double movesPerSecond = totals.moveCount() / seconds;
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("games", totals.gameCount());
            json.put("moves", totals.moveCount());
            json.put("bestTile", totals.bestTile());
            json.put("endedBy65536", totals.overflowCount());
            json.put("depth", depth);
            json.put("seed", seed);
            json.put("workers", threads);
            json.put("seconds", seconds);
            json.put("movesPerSecond", movesPerSecond);
            printJson(json);
            return;
        }
        remark(String.format(
                Locale.ROOT,
                "Played %s games, %s moves in %s: %s moves/s with %d workers, best tile %d",
                Text.number(totals.gameCount()),
                Text.number(totals.moveCount()),
                Text.seconds(seconds),
                Text.number((long) movesPerSecond),
                threads,
                totals.bestTile()));
        if (totals.overflowCount() > 0) {
            remark(Text.number(totals.overflowCount())
                    + " games ended because two 32768 tiles would have merged, which a board cannot represent");
        }
    }
}
