// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.file.Parallel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;

/// Plays many games and writes each to a file.
///
/// A game depends only on the seed and its own number, so the number of workers has no effect.
public final class SelfPlay {
    private static final long SEED_STEP = 0x9E3779B97F4A7C15L;
    private static final int NAME_DIGITS_MIN = 6;
    private static final double NANOS = 1e9;

    private final Path folder;
    private final Options options;
    private final AtomicLong gameCount = new AtomicLong();
    private final AtomicLong moveCount = new AtomicLong();
    private final AtomicLong overflowCount = new AtomicLong();
    private final LongAccumulator bestTile = new LongAccumulator(Math::max, 0);

    /// Options for playing.
    ///
    /// @param games        the number of games
    /// @param depth        the search depth of the player
    /// @param seed         the random seed of all games
    /// @param workers      the number of threads that play
    /// @param version      the version of the files
    /// @param engine       the recorded name of the player, or null
    /// @param isClockFixed whether start and duration are recorded as 0, so that the files depend on nothing else
    public record Options(
            long games, int depth, long seed, int workers, RunVersion version, String engine, boolean isClockFixed) {
        public Options {
            if (games < 1) {
                throw new IllegalArgumentException("the number of games must be at least 1, got " + games);
            }
            if (workers < 1 || workers > 1024) {
                throw new IllegalArgumentException("workers must be between 1 and 1024, got " + workers);
            }
        }
    }

    /// The progress of the work.
    ///
    /// @param overflowCount the number of games that ended because two 32768 tiles would have merged
    public record Totals(long gameCount, long moveCount, long bestTile, long overflowCount) {}

    /// Is called after each game, from any thread.
    public interface Listener {
        void done(Totals totals);
    }

    private SelfPlay(Path folder, Options options) {
        this.folder = folder;
        this.options = options;
    }

    /// Plays games into a folder, which is created if it does not exist. Existing files are not overwritten.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when a file exists
    public static Totals play(Path folder, Options options, Listener listener) throws IOException {
        // Created before the folder, because it checks the depth.
        new Expectimax(options.depth());
        Files.createDirectories(folder);
        SelfPlay work = new SelfPlay(folder, options);
        int workers = (int) Math.min(options.workers(), options.games());
        AtomicLong next = new AtomicLong();
        Parallel.run(workers, workers, worker -> work.playGames(next, listener));
        return work.totals();
    }

    private Totals totals() {
        return new Totals(gameCount.get(), moveCount.get(), bestTile.get(), overflowCount.get());
    }

    private void playGames(AtomicLong next, Listener listener) throws IOException {
        Game game = Game.of(new Expectimax(options.depth()));
        RunColumns columns = new RunColumns();
        for (long index = next.getAndIncrement(); index < options.games(); index = next.getAndIncrement()) {
            playGame(index, game, columns);
            listener.done(totals());
        }
    }

    private void playGame(long index, Game game, RunColumns columns) throws IOException {
        long startS = System.currentTimeMillis() / 1000;
        long start = System.nanoTime();
        Game.End end = game.play(new StdRng(seed(options.seed(), index)), columns);
        float elapsedS = (float) ((System.nanoTime() - start) / NANOS);
        boolean isFixed = options.isClockFixed();
        long board = columns.finalBoard;
        int tile = Board.highestTile(board);
        // Score and highest tile never decrease, so those of the last board are the highest.
        columns.end(
                RunMeta.of(
                        columns.stepCount,
                        isFixed ? 0 : startS,
                        isFixed ? 0 : elapsedS,
                        Board.score(board),
                        tile,
                        options.engine()),
                board);
        RunFile.write(folder.resolve(name(index)), RunDecoder.encode(columns.run(), options.version()), false);
        moveCount.addAndGet(columns.stepCount);
        bestTile.accumulate(tile);
        overflowCount.addAndGet(end == Game.End.OVERFLOW ? 1 : 0);
        gameCount.incrementAndGet();
    }

    private String name(long index) {
        int digits =
                Math.max(NAME_DIGITS_MIN, Long.toString(options.games() - 1).length());
        String number = String.format(Locale.ROOT, "%0" + digits + "d", index);
        return "run-" + number + options.version().extension();
    }

    /// The seed of a game. Games of neighbouring seeds have nothing in common.
    static long seed(long seed, long index) {
        return mix(mix(seed) + (index + 1) * SEED_STEP);
    }

    private static long mix(long value) {
        long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
