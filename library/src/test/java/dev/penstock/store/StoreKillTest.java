// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.ChildJava;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A process that writes a store is killed at any moment, again and again: every commit that it acknowledged is
/// there, and the store holds exactly the commits that it has.
@ExtendWith(Seeds.class)
@Tag("full")
class StoreKillTest {
    private static final int KILLS = TestData.isLong() ? 500 : 5;

    @TempDir
    Path folder;

    @Test
    void noAcknowledgedCommitIsLostByAKill() throws IOException, InterruptedException {
        Random random = Seeds.random();
        Path path = folder.resolve("store");
        Path log = folder.resolve("log");
        for (int kill = 0; kill < KILLS; kill++) {
            long before = StoreLife.acknowledged(log);
            Process child = new ProcessBuilder(ChildJava.command(folder, StoreLife.class, path, log, "forced"))
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("output.txt").toFile())
                    .start();
            // Some children are killed while they recover or create the store.
            long commits = kill % 3 == 2 ? 0 : 1 + random.nextInt(30);
            while (child.isAlive() && StoreLife.acknowledged(log) < before + commits) {
                Thread.sleep(1);
            }
            Thread.sleep(random.nextInt(20));
            child.destroyForcibly();
            assertTrue(child.waitFor(600, TimeUnit.SECONDS));
            assertEquals(137, child.exitValue(), () -> output());
            check(path, StoreLife.acknowledged(log));
        }
        Figures.print("store, writers killed", KILLS);
    }

    static void check(Path path, long acknowledged) throws IOException {
        if (acknowledged == 0 && !Files.exists(path.resolve(StoreFormat.META))) {
            return;
        }
        try (StoreReader reader = StoreReader.open(path)) {
            long commits = StoreLife.commits(reader);
            assertTrue(commits >= acknowledged, "commit " + acknowledged + " is lost, there are " + commits);
            assertEquals(StoreLife.state(commits), StoreModel.read(reader));
            assertTrue(reader.verify(Progress.NONE).isOk());
        }
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("output.txt"));
        } catch (IOException e) {
            return e.toString();
        }
    }
}
