// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Games that the program plays with itself.
final class SelfPlayTest {
    @TempDir
    Path folder;

    private List<Path> play(String name, SelfPlay.Options options) throws IOException {
        Path target = folder.resolve(name);
        SelfPlay.Totals totals = SelfPlay.play(target, options, t -> {});
        try (Stream<Path> files = Files.list(target)) {
            List<Path> sorted = files.sorted().toList();
            assertEquals(options.games(), sorted.size());
            assertEquals(options.games(), totals.gameCount());
            return sorted;
        }
    }

    private static SelfPlay.Options options(long games, long seed, int workers) {
        return new SelfPlay.Options(games, 0, seed, workers, RunVersion.V2, "penstock", true);
    }

    @Test
    void theNumberOfWorkersChangesNothing() throws IOException {
        List<Path> one = play("one", options(12, 7, 1));
        List<Path> four = play("four", options(12, 7, 4));
        List<Path> other = play("other", options(12, 8, 2));
        List<byte[]> contents = new ArrayList<>();
        for (int i = 0; i < one.size(); i++) {
            assertEquals(one.get(i).getFileName(), four.get(i).getFileName());
            assertArrayEquals(Files.readAllBytes(one.get(i)), Files.readAllBytes(four.get(i)));
            contents.add(Files.readAllBytes(one.get(i)));
        }
        for (Path file : other) {
            byte[] bytes = Files.readAllBytes(file);
            assertFalse(contents.stream().anyMatch(known -> Arrays.equals(known, bytes)), "seeds share a game");
        }
    }

    @Test
    void gamesFollowTheRulesAndSayWhoPlayed() throws IOException {
        for (RunVersion version : RunVersion.values()) {
            SelfPlay.Options options = new SelfPlay.Options(3, 1, 1, 2, version, "deep", false);
            for (Path file : play(version.word(), options)) {
                assertTrue(file.toString().endsWith(version.extension()));
                Run run = RunFile.read(file);
                assertEquals(version, run.version());
                assertEquals(List.of(), Replay.check(run));
                assertEquals("deep", run.meta().engine());
                assertEquals(run.stepCount(), run.meta().steps());
                assertEquals(Board.score(run.finalBoard()), run.meta().maxScore());
                assertTrue(
                        run.meta().startUnixS() > 1_700_000_000L && run.meta().elapsedS() > 0);
                assertTrue(Board.isOver(run.finalBoard()));
            }
        }
    }

    @Test
    void nothingIsOverwritten() throws IOException {
        play("kept", options(1, 1, 1));
        assertThrows(
                FileAlreadyExistsException.class,
                () -> SelfPlay.play(folder.resolve("kept"), options(1, 2, 1), t -> {}));
        assertThrows(IllegalArgumentException.class, () -> options(0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> options(1, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Expectimax(65));
    }
}
