// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.file.Parallel;
import dev.penstock.game2048.RunCheck;
import dev.penstock.game2048.RunIntake;
import dev.penstock.game2048.RunPack;
import dev.penstock.game2048.RunStats;
import dev.penstock.game2048.RunVersion;
import dev.penstock.game2048.SelfPlay;
import dev.penstock.pack.PackBuilder;
import dev.penstock.pack.PackWriter;
import dev.penstock.plugin.Demo;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Terminal;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Plays games of 2048, packs, verifies and replays them, and shows one board.
record RunsDemo(Demo demo) {
    private static final long GAMES = 30;

    /// @return whether the pack is valid and every game follows the rules
    boolean run(Path folder) throws IOException {
        Path games = folder.resolve("games");
        Path path = folder.resolve("games.a2pack");
        play(games);
        PackBuilder.build(
                games,
                path,
                false,
                PackWriter.Options.DEFAULT,
                Parallel.defaultThreads(),
                List.of(new RunIntake(false)),
                Progress.NONE);
        try (RunPack pack = RunPack.open(path)) {
            Verification verification = pack.pack().verify(Progress.NONE);
            RunCheck.Result replayed = new RunCheck(false, Parallel.defaultThreads()).pack(path, Progress.NONE);
            boolean isOk = verification.isOk() && replayed.isOk();
            demo.show(
                    "runsOk",
                    isOk,
                    "  packed   the games, verified every byte and replayed " + Text.number(replayed.stepCount())
                            + " moves: " + (isOk ? "all follow the rules" : "FAILED"));
            showStats(pack);
            showBoard(pack);
            return isOk;
        }
    }

    private void play(Path games) throws IOException {
        long start = System.nanoTime();
        int threads = Parallel.defaultThreads();
        SelfPlay.Totals totals;
        try (ProgressBar progress = demo.progress("play", ProgressBar.Unit.GAMES)) {
            totals = SelfPlay.play(
                    games,
                    new SelfPlay.Options(GAMES, 1, 2048, threads, RunVersion.V2, "penstock", true),
                    so -> progress.at(so.gameCount(), GAMES));
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        demo.note("runsMoves", totals.moveCount());
        demo.show(
                "runsMovesPerSecond",
                totals.moveCount() / seconds,
                "  played   " + GAMES + " games of 2048, " + Text.number((long) (totals.moveCount() / seconds))
                        + " moves/s while warming up, best tile " + totals.bestTile());
    }

    private void showStats(RunPack pack) throws IOException {
        RunStats stats = pack.stats(Progress.NONE);
        demo.show(
                "runsMeanSteps",
                stats.lengths().meanSteps(),
                "  lengths  " + stats.lengths().minSteps() + " to "
                        + stats.lengths().maxSteps() + " moves, half of the games up to "
                        + stats.lengths().p50() + "; games by highest tile: " + stats.highestTileHist());
    }

    private void showBoard(RunPack pack) throws IOException {
        demo.say("  board    the end of the first game:");
        new BoardText(Terminal.isStandardOutput())
                .board(pack.run(0).finalBoard())
                .forEach(line -> demo.say("         " + line));
    }
}
