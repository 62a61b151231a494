// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.CrashStates;
import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.RecordingDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A pack is written and the process is killed, or the power is cut, after every single operation.
@ExtendWith(Seeds.class)
class PackCrashTest {
    private final Random random = Seeds.random();
    private final List<PackRecord> oldRecords = Packs.named(PackRecord.random(random, 5, 3000, false));
    private final List<PackRecord> newRecords = records();

    /// One record is too large to be collected with others, so that there is more than one write of data.
    private List<PackRecord> records() {
        List<PackRecord> records =
                new ArrayList<>(PackRecord.random(random, TestData.isLong() ? 300 : 30, 5000, false));
        records.add(7, PackRecord.of(new byte[700_000]));
        return records;
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void afterACrashTheOldPackIsThereOrTheNewOneWhole(boolean isReplacing, boolean isExpecting) throws IOException {
        Run run = run(isReplacing, isExpecting, UnaryOperator.identity());
        assertEquals(List.of(), run.violations);
        assertTrue(run.stateCount > 100, "only " + run.stateCount + " states were tried");
        assertTrue(run.newCount > 0, "no state showed the new pack");
        Figures.print("pack, crash states tried", run.stateCount);
    }

    @Test
    void aWriterThatForgetsToForceIsCaught() throws IOException {
        assertFalse(run(false, true, BuggyDisks::withoutForce).violations.isEmpty());
        assertFalse(run(true, false, BuggyDisks::withoutForce).violations.isEmpty());
    }

    @Test
    void aWriterThatForgetsToForceTheFolderIsCaught() throws IOException {
        assertFalse(
                run(false, true, BuggyDisks::withoutForceDirectory).violations.isEmpty());
        assertFalse(
                run(true, false, BuggyDisks::withoutForceDirectory).violations.isEmpty());
    }

    @Test
    void aMoveInTwoStepsIsCaught() throws IOException {
        assertFalse(run(true, true, BuggyDisks::withDeleteBeforeMove).violations.isEmpty());
        assertFalse(
                run(false, true, BuggyDisks::withCopyInsteadOfMove).violations.isEmpty());
        assertFalse(run(true, true, disk -> BuggyDisks.withoutTemporary(disk, Packs.PATH))
                .violations
                .isEmpty());
    }

    private static final class Run {
        private final List<String> violations = new ArrayList<>();
        private long stateCount;
        private long newCount;
    }

    private Run run(boolean isReplacing, boolean isExpecting, UnaryOperator<Disk> bug) throws IOException {
        PackWriter.Options options = Packs.options().withReplacing(isReplacing);
        byte[] oldBytes = isReplacing ? Packs.bytes(options, oldRecords) : null;
        byte[] newBytes = Packs.bytes(options, newRecords, new byte[9], isExpecting);
        MemoryDisk start = new MemoryDisk().addFolder(Packs.PATH.getParent());
        if (isReplacing) {
            start.put(Packs.PATH, oldBytes);
        }
        RecordingDisk disk = new RecordingDisk(start.copy());
        PackWriter.Options crashing = options.withDisk(bug.apply(disk));
        Packs.write(Packs.PATH, crashing, newRecords, new byte[9], isExpecting);
        int promisedAt = disk.operationCount();
        Run run = new Run();
        run.stateCount = CrashStates.forEach(start, disk.operations(), random, state -> {
            byte[] found = state.disk().bytes(Packs.PATH);
            boolean isNew = Arrays.equals(found, newBytes);
            boolean isOld = Arrays.equals(found, oldBytes);
            run.newCount += isNew ? 1 : 0;
            if (!isNew && (!isOld || state.operationCount() >= promisedAt)) {
                run.violations.add("after " + state.operationCount() + " operations " + state.how());
            } else if (found != null && !isSound(state.disk(), isNew ? newRecords : oldRecords)) {
                run.violations.add("unsound after " + state.operationCount() + " operations " + state.how());
            }
        });
        return run;
    }

    private static boolean isSound(Disk disk, List<PackRecord> records) {
        try (PackReader reader = PackReader.open(
                Packs.PATH, PackReader.Options.DEFAULT.withDisk(disk).withThreads(1))) {
            return reader.count() == records.size()
                    && reader.verify(Progress.NONE).problems().isEmpty();
        } catch (IOException | DatasetException e) {
            return false;
        }
    }

    /// Files that a crash leaves beside the target do not hinder the next writer, and are removed by it.
    @Test
    void theNextWriterRemovesFilesOfACrash() throws IOException {
        MemoryDisk start = new MemoryDisk().addFolder(Packs.PATH.getParent());
        RecordingDisk disk = new RecordingDisk(start.copy());
        PackWriter.Options options = Packs.options().withReplacing(true);
        Packs.write(Packs.PATH, options.withDisk(disk), newRecords, null, true);
        byte[] newBytes = Packs.bytes(options, newRecords);
        List<String> violations = new ArrayList<>();
        Path folder = Packs.PATH.getParent();
        CrashStates.forEach(start, disk.operations(), random, state -> {
            try {
                Packs.write(Packs.PATH, options.withDisk(state.disk()), newRecords, null, false);
                boolean isAlone = state.disk().list(folder).equals(List.of(Packs.PATH));
                if (!isAlone || !Arrays.equals(newBytes, state.disk().bytes(Packs.PATH))) {
                    violations.add("after " + state.operationCount() + " operations " + state.how());
                }
            } catch (IOException e) {
                violations.add(state.how() + ": " + e);
            }
        });
        assertEquals(List.of(), violations);
    }
}
