// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.game2048.Expectimax;
import dev.penstock.game2048.Game;
import dev.penstock.game2048.RunColumns;
import dev.penstock.game2048.StdRng;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/// How many moves does the player make on one core at depth 1? It is measured in CPU time of the thread, because
/// other work on the machine should not count.
final class RunsPlayCases {
    private static final double GOAL = 500_000;
    private static final String ORIGINAL = "the original recorded its example run at 62.8 moves/s, at full depth";
    private static final int GAMES = 100;
    private static final int WARM_UPS = 3;

    private RunsPlayCases() {}

    static void run(Settings settings, RunsBenchmark.Data data, Report report) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Game game = Game.of(new Expectimax(1));
        RunColumns columns = new RunColumns();
        double[] rates = new double[settings.roundsOr(9)];
        for (int round = -WARM_UPS; round < rates.length; round++) {
            long start = threads.getCurrentThreadCpuTime();
            long moves = 0;
            for (int i = 0; i < GAMES; i++) {
                game.play(new StdRng(i), columns);
                moves += columns.stepCount();
            }
            if (round >= 0) {
                rates[round] = moves / ((threads.getCurrentThreadCpuTime() - start) / 1e9);
            }
        }
        double median = Times.median(rates);
        String reached = median >= GOAL ? "reached" : "not reached";
        report.add(new Row(
                RunsBenchmark.NAME,
                "play-depth-1",
                median,
                "moves/s",
                "the goal",
                GOAL,
                median / GOAL,
                Times.spread(rates),
                "goal " + reached + "; " + ORIGINAL));
    }
}
