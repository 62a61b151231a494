// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
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
import org.opentest4j.TestAbortedException;

/// The disk under a process that writes a store loses its power: on a real ext4 file system, which drops
/// everything that was not forced.
@ExtendWith(Seeds.class)
@Tag("full")
class StorePowerCutTest {
    private static final int CUTS = TestData.isLong() ? 500 : 2;
    private static final int IMAGE_MEGABYTES = 200;

    @TempDir
    Path folder;

    private final Random random = Seeds.random();

    /// Lets a child write, cuts the power, and looks at what is left.
    private void cut(MountedDisk disk, String mode) throws IOException, InterruptedException {
        Path path = disk.folder().resolve("store");
        Path log = folder.resolve("log");
        long before = StoreLife.acknowledged(log);
        Process child = new ProcessBuilder(ChildJava.command(folder, StoreLife.class, path, log, mode))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("child.txt").toFile())
                .start();
        long commits = 1 + random.nextInt(60);
        while (child.isAlive() && StoreLife.acknowledged(log) < before + commits) {
            Thread.sleep(1);
        }
        long acknowledged = StoreLife.acknowledged(log);
        disk.cutPower();
        if (!child.waitFor(10, TimeUnit.SECONDS)) {
            child.destroyForcibly().waitFor();
        }
        assertTrue(acknowledged > before, () -> "the child did nothing: " + output());
        disk.remount();
        StoreKillTest.check(path, acknowledged);
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("child.txt"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void noAcknowledgedCommitIsLostByAPowerCut() throws IOException, InterruptedException {
        try (MountedDisk disk = MountedDisk.ext4(folder, IMAGE_MEGABYTES)) {
            for (int i = 0; i < CUTS; i++) {
                cut(disk, "forced");
            }
            Figures.print("store, power cuts", CUTS);
        }
    }

    @Test
    void aWriterWithoutForcesIsCaught() throws IOException, InterruptedException {
        try (MountedDisk disk = MountedDisk.ext4(folder, IMAGE_MEGABYTES)) {
            Throwable loss = assertThrows(Throwable.class, () -> cut(disk, "unforced"));
            assertFalse(loss instanceof TestAbortedException, loss.getMessage());
        }
    }
}
