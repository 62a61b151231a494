// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.CrashStates;
import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.NewFile;
import dev.penstock.file.RecordingDisk;
import dev.penstock.table.WriteScenario.Found;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A table is written and the process is killed, or the power is cut, after every single operation.
@ExtendWith(Seeds.class)
@Tag("full")
class TableCrashTest {
    private final Random random = Seeds.random();

    private static final class Run {
        private final List<String> violations = new ArrayList<>();
        private long stateCount;
        private long newCount;
    }

    private Run run(WriteScenario scenario, UnaryOperator<Disk> bug) throws IOException {
        MemoryDisk start = scenario.start();
        RecordingDisk disk = new RecordingDisk(start.copy());
        scenario.write(bug.apply(disk));
        int promisedAt = disk.operationCount();
        Run run = new Run();
        run.stateCount = CrashStates.forEach(start, disk.operations(), random, state -> {
            Found found = scenario.found(state.disk());
            run.newCount += found == Found.NEW ? 1 : 0;
            boolean isRight = scenario.isRight(found);
            if (!isRight || (state.operationCount() >= promisedAt && found != Found.NEW)) {
                run.violations.add(found + " after " + state.operationCount() + " operations: " + state.how());
            }
        });
        return run;
    }

    @ParameterizedTest
    @EnumSource
    void afterACrashTheOldTableIsThereOrTheNewOneWhole(WriteScenario scenario) throws IOException {
        Run run = run(scenario, UnaryOperator.identity());
        assertEquals(List.of(), run.violations);
        assertTrue(run.stateCount > 50, "only " + run.stateCount + " states were tried");
        assertTrue(run.newCount > 0, "no state showed the new table");
        Figures.print("table, crash states tried", run.stateCount);
    }

    @ParameterizedTest
    @EnumSource
    void aWriterThatForgetsToForceIsCaught(WriteScenario scenario) throws IOException {
        assertFalse(run(scenario, BuggyDisks::withoutForce).violations.isEmpty());
        assertFalse(run(scenario, BuggyDisks::withoutForceDirectory).violations.isEmpty());
    }

    @Test
    void aMoveInTwoStepsIsCaught() throws IOException {
        for (WriteScenario scenario : List.of(WriteScenario.REPLACE_FILE, WriteScenario.EXTEND_FILE)) {
            assertFalse(
                    run(scenario, BuggyDisks::withDeleteBeforeMove).violations.isEmpty());
            assertFalse(
                    run(scenario, BuggyDisks::withCopyInsteadOfMove).violations.isEmpty());
        }
        // Without its manifest a folder is what is in it, so only half a manifest does harm.
        Run folder = run(WriteScenario.EXTEND_FOLDER, BuggyDisks::withCopyInsteadOfMove);
        assertFalse(folder.violations.isEmpty());
    }

    /// Files that a crash leaves do not hinder the next writer, and are removed by it.
    @ParameterizedTest
    @EnumSource
    void theNextWriterGoesOnAfterACrash(WriteScenario scenario) throws IOException {
        MemoryDisk start = scenario.start();
        RecordingDisk disk = new RecordingDisk(start.copy());
        scenario.write(disk);
        List<String> violations = new ArrayList<>();
        CrashStates.forEach(start, disk.operations(), random, state -> {
            if (scenario.found(state.disk()) == Found.NEW) {
                return;
            }
            try {
                scenario.write(state.disk());
            } catch (FileAlreadyExistsException e) {
                violations.add(state.how() + ": " + e);
            } catch (IOException | RuntimeException e) {
                violations.add(state.operationCount() + ", " + state.how() + ": " + e);
            }
            boolean isLeft = state.disk().files().stream().anyMatch(NewFile::isTemporary);
            if (isLeft || scenario.found(state.disk()) != Found.NEW) {
                violations.add("left " + state.disk().files() + " after " + state.operationCount() + " operations "
                        + state.how());
            }
        });
        assertEquals(List.of(), violations);
    }
}
