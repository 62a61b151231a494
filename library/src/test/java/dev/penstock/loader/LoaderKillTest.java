// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.ChildJava;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A process that is ended with SIGKILL loses nothing but what came after its last saved state.
@ExtendWith(Seeds.class)
@Tag("full")
class LoaderKillTest {
    private static final int COUNT = TestData.isLong() ? 4_000_000 : 200_000;
    private static final int KILLS = TestData.isLong() ? 40 : 4;
    private static final int MARK = -1;

    @TempDir
    Path folder;

    /// Runs children until one reaches the end, ending all the others, and puts together what they delivered up
    /// to each saved state.
    private long[] delivered(Random random, int kills, String mode) throws IOException, InterruptedException {
        Path state = folder.resolve("state-" + mode + ".json");
        Path table = folder.resolve("table.npy");
        long[] all = new long[COUNT];
        Arrays.fill(all, MARK);
        long before = 0;
        int killed = 0;
        for (int run = 0; before < COUNT; run++) {
            assertTrue(run < 4 * kills + 50, "no end in sight");
            Path log = folder.resolve("log-" + mode + run);
            Process child = new ProcessBuilder(ChildJava.command(
                            folder,
                            KilledLoader.class,
                            table,
                            state,
                            log,
                            50 + random.nextInt(400),
                            1 + random.nextInt(8),
                            mode))
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("output.txt").toFile())
                    .start();
            boolean isLast = killed == kills;
            if (!isLast) {
                awaitProgress(child, log, random.nextInt(COUNT / 2 / kills));
                child.destroyForcibly();
            }
            assertTrue(child.waitFor(600, TimeUnit.SECONDS), "the child did not end");
            killed += child.exitValue() == 137 ? 1 : 0;
            assertTrue(child.exitValue() == 137 || child.exitValue() == 0, this::output);
            long after = savedPosition(state);
            fill(all, log, before, after);
            before = after;
        }
        Figures.print("loaders ended with SIGKILL", killed);
        return all;
    }

    /// Waits until the child has delivered some samples, and then for a moment of no meaning.
    private static void awaitProgress(Process child, Path log, long samples) throws IOException, InterruptedException {
        while (child.isAlive() && (!Files.exists(log) || Files.size(log) < samples * 16)) {
            Thread.sleep(1);
        }
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("output.txt"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static long savedPosition(Path state) throws IOException {
        if (!Files.exists(state)) {
            return 0;
        }
        LoaderState saved = LoaderState.parse(Files.readString(state));
        return saved.epoch() == 1 ? COUNT : saved.delivered();
    }

    /// Takes from a log what came before a saved state: one position after the other, each once.
    private static void fill(long[] all, Path log, long from, long to) throws IOException {
        LongBuffer pairs = ByteBuffer.wrap(Files.exists(log) ? Files.readAllBytes(log) : new byte[0])
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer();
        long next = from;
        while (pairs.remaining() >= 2 && next < to) {
            assertEquals(next, pairs.get(), "the run did not go on where the state was saved");
            all[(int) next++] = pairs.get();
        }
    }

    @Test
    void runsThatAreKilledGoOnWithTheNextSample() throws IOException, InterruptedException {
        RealData.table(folder.resolve("table.npy"), 0, COUNT);
        long[] uninterrupted = Samplers.epoch(new PermutationSampler(COUNT, 11), 0);
        assertArrayEquals(uninterrupted, delivered(Seeds.random(), KILLS, "right"));
    }

    /// The harness sees a state that counts what was not delivered yet.
    @Test
    void aStateThatRunsAheadIsCaught() throws IOException, InterruptedException {
        RealData.table(folder.resolve("table.npy"), 0, COUNT);
        long[] uninterrupted = Samplers.epoch(new PermutationSampler(COUNT, 11), 0);
        long[] ahead = delivered(Seeds.random(), 1, "ahead");
        assertThrows(AssertionError.class, () -> assertArrayEquals(uninterrupted, ahead));
    }
}
