// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Crashes after every operation of writing and publishing a file.
@ExtendWith(Seeds.class)
class NewFileCrashTest {
    private static final Path FOLDER = Path.of("/data");
    private static final Path TARGET = FOLDER.resolve("file");
    private static final int PIECE_SIZE = 1500;
    private static final int PIECE_COUNT = Boolean.getBoolean("penstock.long") ? 200 : 7;

    private final Random random = Seeds.random();
    private final byte[] oldBytes = bytes(2000);
    private final byte[] newBytes = bytes(PIECE_SIZE * PIECE_COUNT);

    private byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    @Test
    void aCrashAtAnyMomentLeavesNoFileOrTheCompleteOne() throws IOException {
        Run run = run(false, UnaryOperator.identity());
        assertEquals(List.of(), run.violations);
        assertTrue(run.stateCount > 100, "only " + run.stateCount + " states were tried");
    }

    @Test
    void aCrashAtAnyMomentLeavesTheOldFileOrTheNewOne() throws IOException {
        Run run = run(true, UnaryOperator.identity());
        assertEquals(List.of(), run.violations);
        assertTrue(run.stateCount > 100, "only " + run.stateCount + " states were tried");
    }

    @Test
    void publishingUnforcedSurvivesAKilledProcess() throws IOException {
        MemoryDisk start = new MemoryDisk().put(TARGET, oldBytes);
        RecordingDisk disk = new RecordingDisk(start.copy());
        try (NewFile file = NewFile.create(disk, TARGET, true)) {
            write(file);
            file.publishUnforced();
        }
        List<String> violations = new ArrayList<>();
        CrashStates.forEachKill(
                start, disk.operations(), state -> check(state, disk.operationCount(), oldBytes, violations));
        assertEquals(List.of(), violations);
    }

    @Test
    void aWriterThatForgetsToForceIsCaught() throws IOException {
        assertFalse(run(false, BuggyDisks::withoutForce).violations.isEmpty());
        assertFalse(run(true, BuggyDisks::withoutForce).violations.isEmpty());
    }

    @Test
    void aWriterThatForgetsToForceTheFolderIsCaught() throws IOException {
        assertFalse(run(false, BuggyDisks::withoutForceDirectory).violations.isEmpty());
        assertFalse(run(true, BuggyDisks::withoutForceDirectory).violations.isEmpty());
    }

    @Test
    void aWriterThatDeletesTheOldFileFirstIsCaught() throws IOException {
        assertFalse(run(true, BuggyDisks::withDeleteBeforeMove).violations.isEmpty());
    }

    @Test
    void aWriterThatCopiesInsteadOfMovingIsCaught() throws IOException {
        assertFalse(run(false, BuggyDisks::withCopyInsteadOfMove).violations.isEmpty());
    }

    @Test
    void aWriterWithoutTemporaryFileIsCaught() throws IOException {
        assertFalse(run(true, disk -> BuggyDisks.withoutTemporary(disk, TARGET))
                .violations
                .isEmpty());
    }

    private record Run(List<String> violations, long stateCount) {}

    private Run run(boolean isReplacing, UnaryOperator<Disk> bug) throws IOException {
        MemoryDisk start = new MemoryDisk().addFolder(FOLDER);
        byte[] before = isReplacing ? oldBytes : null;
        if (isReplacing) {
            start.put(TARGET, oldBytes);
        }
        RecordingDisk disk = new RecordingDisk(start.copy());
        int promisedAt;
        try (NewFile file = NewFile.create(bug.apply(disk), TARGET, isReplacing)) {
            write(file);
            file.publish();
            promisedAt = disk.operationCount();
        }
        List<String> violations = new ArrayList<>();
        long stateCount = CrashStates.forEach(
                start, disk.operations(), random, state -> check(state, promisedAt, before, violations));
        return new Run(violations, stateCount);
    }

    private void write(NewFile file) throws IOException {
        MemorySegment all = MemorySegment.ofArray(newBytes);
        for (int i = 0; i < PIECE_COUNT; i++) {
            file.write(all.asSlice((long) i * PIECE_SIZE, PIECE_SIZE), (long) i * PIECE_SIZE);
        }
    }

    private void check(CrashStates.State state, int promisedAt, byte[] before, List<String> violations) {
        byte[] found = state.disk().bytes(TARGET);
        boolean isNew = Arrays.equals(found, newBytes);
        boolean isOld = Arrays.equals(found, before);
        boolean isPromised = state.operationCount() >= promisedAt;
        if (!isNew && (isPromised || !isOld)) {
            String what = found == null ? "no file" : found.length + " bytes";
            violations.add("after " + state.operationCount() + " operations " + state.how() + ": " + what);
        }
    }
}
