// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Progress;
import dev.penstock.file.ChildJava;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A process that builds or appends on the real file system is killed at any moment, and is read meanwhile.
@Tag("full")
class StepsKillTest {
    private static final boolean IS_LONG = Boolean.getBoolean("penstock.long");

    /// An append continues the dataset that the process killed before it left.
    private static final int KILLS = IS_LONG ? 60 : 2;

    /// Each build starts with an empty folder.
    private static final int BUILD_KILLS = IS_LONG ? 60 : 1;

    /// Kills after which a test gives up waiting for one that came midway.
    private static final int KILL_LIMIT = KILLS + 40;

    private static final long BUILT_STEPS = 724;
    private static final long ADDED_STEPS = 341;

    @TempDir
    Path folder;

    private final Random random = new Random(29);

    private Process start(String what, Path dataset, long shardRows) throws IOException {
        List<String> command = ChildJava.command(
                folder, StepsLife.class, what, dataset, shardRows, Golden.runs("clean"), Golden.runs("more"));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output().toFile())
                .start();
    }

    private Path output() {
        return folder.resolve("child.txt");
    }

    /// Waits until the child has done something, and for a random while.
    private void kill(Process child, Runnable meanwhile) throws IOException, InterruptedException {
        while (child.isAlive() && Files.size(output()) == 0) {
            Thread.sleep(1);
        }
        long until = System.nanoTime() + 1_000_000L * random.nextInt(150);
        while (System.nanoTime() < until) {
            meanwhile.run();
        }
        child.destroyForcibly().waitFor();
        assertFalse(Files.readString(output()).contains("Exception"), () -> output().toString());
    }

    /// The steps of a dataset, all of which are right.
    private static long steps(Path dataset, boolean isThorough) {
        try (StepsDataset steps = StepsDataset.open(dataset)) {
            if (isThorough) {
                StepsCheck.Result result = steps.check(false, Progress.NONE);
                assertTrue(result.isOk(), result.toString());
            } else {
                assertEquals(-1, StepsCheck.firstWrongRun(steps.table()));
            }
            return steps.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static long stepsOfSqlite(Path dataset) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + dataset.resolve("metadata.db"));
                Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery("SELECT sum(num_steps) FROM runs")) {
            return answer.getLong(1);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 300})
    void aKilledAppendLeavesTheOldDatasetOrTheNewOne(long shardRows)
            throws IOException, InterruptedException, SQLException {
        Path dataset = folder.resolve("steps");
        StepsDataset.build(Golden.runs("clean"), dataset, StepsOptions.DEFAULT.withShardRows(shardRows));
        long[] last = {BUILT_STEPS};
        int[] readCount = new int[1];
        for (int i = 0; i < KILLS || (last[0] == BUILT_STEPS || readCount[0] == 0) && i < KILL_LIMIT; i++) {
            kill(start("append", dataset, shardRows), () -> {
                long found = steps(dataset, false);
                assertTrue(found >= last[0] && (found - BUILT_STEPS) % ADDED_STEPS == 0, () -> found + " steps");
                last[0] = found;
                readCount[0]++;
            });
            long found = steps(dataset, true);
            assertTrue(found >= last[0] && (found - BUILT_STEPS) % ADDED_STEPS == 0, () -> found + " steps");
            assertEquals(found, stepsOfSqlite(dataset));
            last[0] = found;
        }
        assertTrue(last[0] > BUILT_STEPS && readCount[0] > 0, last[0] + " steps, " + readCount[0] + " reads");
        StepsDataset.append(dataset, Golden.runs("more"), StepsOptions.DEFAULT);
        assertEquals(last[0] + ADDED_STEPS, steps(dataset, true));
        assertFalse(Files.exists(dataset.resolve("metadata.db-journal")));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 300})
    void aKilledBuildLeavesNoDatasetOrAWholeOne(long shardRows) throws IOException, InterruptedException {
        int unfinishedCount = 0;
        for (int i = 0; i < BUILD_KILLS || unfinishedCount == 0 && i < KILL_LIMIT; i++) {
            Path round = Files.createDirectory(folder.resolve("round" + i));
            kill(start("build", round, shardRows), () -> {});
            List<Path> built = new ArrayList<>();
            try (Stream<Path> all = Files.list(round)) {
                all.forEach(built::add);
            }
            for (Path dataset : built) {
                if (Files.exists(dataset.resolve("metadata.db"))) {
                    assertEquals(BUILT_STEPS, steps(dataset, true));
                } else {
                    unfinishedCount++;
                    assertThrows(Exception.class, () -> StepsDataset.open(dataset));
                    StepsDataset.build(Golden.runs("clean"), dataset, StepsOptions.DEFAULT.withShardRows(shardRows));
                    assertEquals(BUILT_STEPS, steps(dataset, true));
                }
            }
        }
        assertTrue(unfinishedCount > 0, "no build was killed midway");
    }

    /// The check that follows a kill notices a database that is ahead of the rows.
    @Test
    void aCommitBeforeTheRowsIsCaught() throws IOException, SQLException {
        Path dataset = folder.resolve("steps");
        StepsDataset.build(Golden.runs("clean"), dataset, StepsOptions.DEFAULT);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + dataset.resolve("metadata.db"));
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO runs VALUES (5, 724, 341, 1, 2, '', 0, 0.0)");
        }
        assertThrows(RuntimeException.class, () -> steps(dataset, true));
    }
}
