// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.FaultyDisk.Plan;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// Every operation of writing and publishing a file fails, once and for ever.
class NewFileFaultTest {
    private static final Path FOLDER = Path.of("/data");
    private static final Path TARGET = FOLDER.resolve("file");
    private static final Path ABANDONED = NewFile.temporary(FOLDER.resolve("file"), 0);
    private static final int PIECE_COUNT = 5;
    private static final byte[] PIECE = "a piece of the new file".getBytes();
    private static final byte[] LEFT_BY_OTHERS = "left by a killed process".getBytes();
    private static final byte[] OLD = "the old file".getBytes();

    private final List<String> violations = new ArrayList<>();
    private final byte[] newBytes = newBytes();

    private static byte[] newBytes() {
        byte[] bytes = new byte[PIECE_COUNT * PIECE.length];
        for (int i = 0; i < PIECE_COUNT; i++) {
            System.arraycopy(PIECE, 0, bytes, i * PIECE.length, PIECE.length);
        }
        return bytes;
    }

    @Test
    void anyFaultLeavesNoFileOrTheCompleteOne() throws IOException {
        long attemptCount = sweep(false, UnaryOperator.identity());
        assertEquals(List.of(), violations);
        assertTrue(attemptCount > 40, "only " + attemptCount + " attempts");
    }

    @Test
    void anyFaultLeavesTheOldFileOrTheNewOne() throws IOException {
        long attemptCount = sweep(true, UnaryOperator.identity());
        assertEquals(List.of(), violations);
        assertTrue(attemptCount > 40, "only " + attemptCount + " attempts");
    }

    @Test
    void aWriterThatIgnoresFailedWritesIsCaught() throws IOException {
        sweep(false, BuggyDisks::withIgnoredWriteErrors);
        assertFalse(violations.isEmpty());
    }

    @Test
    void aWriterWithoutTemporaryFileIsCaught() throws IOException {
        sweep(true, disk -> BuggyDisks.withoutTemporary(disk, TARGET));
        assertFalse(violations.isEmpty());
    }

    @Test
    void aWriterThatDeletesTheOldFileFirstIsCaught() throws IOException {
        sweep(true, BuggyDisks::withDeleteBeforeMove);
        assertFalse(violations.isEmpty());
    }

    @Test
    void aWriterThatLeavesItsTemporaryIsCaught() throws IOException {
        sweep(false, BuggyDisks::withoutDelete);
        assertFalse(violations.isEmpty());
    }

    private long sweep(boolean isReplacing, UnaryOperator<Disk> bug) throws IOException {
        return FaultyDisk.sweep(plan -> {
            MemoryDisk memory = new MemoryDisk().put(ABANDONED, LEFT_BY_OTHERS);
            if (isReplacing) {
                memory.put(TARGET, OLD);
            }
            FaultyDisk disk = new FaultyDisk(memory, plan);
            boolean isPublished = attempt(bug.apply(disk), isReplacing, plan);
            check(memory, disk, isReplacing, isPublished, plan);
            return disk;
        });
    }

    private boolean attempt(Disk disk, boolean isReplacing, Plan plan) {
        try (NewFile file = NewFile.create(disk, TARGET, isReplacing)) {
            for (int i = 0; i < PIECE_COUNT; i++) {
                file.write(MemorySegment.ofArray(PIECE), (long) i * PIECE.length);
            }
            file.publish();
            return true;
        } catch (IOException e) {
            if (!e.getMessage().matches("Input/output error|No space left on device")) {
                violations.add(plan + ": the fault is hidden behind " + e);
            }
            return false;
        }
    }

    private void check(MemoryDisk memory, FaultyDisk disk, boolean isReplacing, boolean isPublished, Plan plan) {
        byte[] found = memory.bytes(TARGET);
        boolean isNew = Arrays.equals(found, newBytes);
        boolean isOld = Arrays.equals(found, isReplacing ? OLD : null);
        if (isPublished ? !isNew : !isNew && !isOld) {
            violations.add(plan + ": published " + isPublished + ", found " + (found == null ? "none" : found.length));
        }
        boolean isTemporaryLeft = memory.files().stream()
                .anyMatch(file -> !file.equals(TARGET) && !Arrays.equals(memory.bytes(file), LEFT_BY_OTHERS));
        boolean canDelete = !plan.isForEver() || !disk.hasFired();
        if (isTemporaryLeft && canDelete) {
            violations.add(plan + ": left behind " + memory.files());
        }
        if (isPublished && memory.bytes(ABANDONED) != null) {
            violations.add(plan + ": the abandoned file is still there");
        }
    }
}
