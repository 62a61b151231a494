// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Writes that are collected in a buffer reach the file unchanged, for all sizes and gaps.
@ExtendWith(Seeds.class)
class StagedWritesTest {
    private static final Path FILE = Path.of("/disk/file");

    @Test
    void writesOfAnySizeWithGapsAreTheSameFile() throws IOException {
        Random random = Seeds.random();
        for (int round = 0; round < 300; round++) {
            int stageSize = 1 + random.nextInt(200);
            byte[] expected = new byte[20_000];
            int end = 0;
            RecordingDisk disk = new RecordingDisk(new MemoryDisk().addFolder(FILE.getParent()));
            int count = random.nextInt(60);
            try (NewFile file = NewFile.create(disk, FILE, false);
                    StagedWrites stage = new StagedWrites(file, stageSize)) {
                for (int i = 0; i < count; i++) {
                    int gap = random.nextInt(4) == 0 ? random.nextInt(2 * stageSize) : 0;
                    byte[] bytes = new byte[random.nextInt(random.nextInt(8) == 0 ? 300 : 30)];
                    random.nextBytes(bytes);
                    if (end + gap + bytes.length > expected.length) {
                        break;
                    }
                    stage.write(MemorySegment.ofArray(bytes), end + gap);
                    System.arraycopy(bytes, 0, expected, end + gap, bytes.length);
                    end += gap + bytes.length;
                    if (random.nextInt(20) == 0) {
                        stage.flush();
                    }
                }
                stage.flush();
                file.publish();
            }
            byte[] found = read(disk, end);
            assertArrayEquals(Arrays.copyOf(expected, end), found, "round " + round + ", stage of " + stageSize);
        }
    }

    /// A gap at the very end need not be written; the caller completes the file.
    private static byte[] read(Disk disk, int end) throws IOException {
        byte[] found = new byte[end];
        try (Disk.Readable file = disk.open(FILE)) {
            assertTrue(file.size() <= end);
            file.read(0, MemorySegment.ofArray(found));
        }
        return found;
    }

    @Test
    void manySmallWritesAreFewLargeOnes() throws IOException {
        RecordingDisk disk = new RecordingDisk(new MemoryDisk().addFolder(FILE.getParent()));
        try (NewFile file = NewFile.create(disk, FILE, false);
                StagedWrites stage = new StagedWrites(file, 1 << 16)) {
            for (int i = 0; i < 100_000; i++) {
                stage.write(MemorySegment.ofArray(new byte[8]), 8L * i);
            }
            stage.flush();
            file.publish();
        }
        assertTrue(disk.operationCount() < 30, disk.operationCount() + " operations");
    }
}
