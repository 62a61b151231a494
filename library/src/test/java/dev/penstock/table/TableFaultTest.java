// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.FaultyDisk.Plan;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.NewFile;
import dev.penstock.file.WatchedDisk;
import dev.penstock.table.WriteScenario.Found;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Every operation of writing a table fails, once and for ever: the caller hears of it, the old table or the new
/// one is there whole, and writing again works.
@ExtendWith(Seeds.class)
class TableFaultTest {
    private final List<String> violations = new ArrayList<>();

    private long sweep(WriteScenario scenario, UnaryOperator<Disk> bug) throws IOException {
        MemoryDisk start = scenario.start();
        return FaultyDisk.sweep(plan -> {
            MemoryDisk memory = start.copy();
            FaultyDisk faulty = new FaultyDisk(memory, plan);
            if (!violations.isEmpty()) {
                // One violation says enough. A disk that met no fault ends the sweep.
                return faulty;
            }
            WatchedDisk counting = new WatchedDisk(faulty);
            boolean isDone = attempt(scenario, bug.apply(counting), plan);
            check(scenario, memory, faulty, isDone, plan);
            if (counting.openCount() > 0) {
                violations.add(plan + ": " + counting.openCount() + " files stay open");
            }
            return faulty;
        });
    }

    private boolean attempt(WriteScenario scenario, Disk disk, Plan plan) {
        try {
            scenario.write(disk);
            return true;
        } catch (IOException e) {
            if (!e.getMessage().matches("Input/output error|No space left on device")) {
                violations.add(plan + ": the fault is hidden behind " + e);
            }
        } catch (RuntimeException | Error e) {
            violations.add(plan + ": " + e);
        }
        return false;
    }

    private void check(WriteScenario scenario, MemoryDisk memory, FaultyDisk faulty, boolean isDone, Plan plan) {
        Found found = scenario.found(memory);
        if (!scenario.isRight(found) || (isDone && found != Found.NEW)) {
            violations.add(plan + ": done " + isDone + ", found " + found);
        }
        boolean canDelete = !plan.isForEver() || !faulty.hasFired();
        if (canDelete && memory.files().stream().anyMatch(NewFile::isTemporary)) {
            violations.add(plan + ": left behind " + memory.files());
        }
        if (found != Found.NEW) {
            writeAgain(scenario, memory, plan);
        }
    }

    private void writeAgain(WriteScenario scenario, MemoryDisk memory, Plan plan) {
        try {
            scenario.write(memory);
            if (scenario.found(memory) != Found.NEW) {
                violations.add(plan + ": written again, found " + scenario.found(memory));
            }
            if (memory.files().stream().anyMatch(NewFile::isTemporary)) {
                violations.add(plan + ": written again, left " + memory.files());
            }
        } catch (IOException | RuntimeException e) {
            violations.add(plan + ": cannot be written again: " + e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFaultWhileWritingLeavesTheOldTableOrTheNewOneWhole(WriteScenario scenario) throws IOException {
        long attempts = sweep(scenario, UnaryOperator.identity());
        assertEquals(List.of(), violations);
        assertTrue(attempts > 30, "only " + attempts + " attempts");
        Figures.print("table, writes with one operation failing", attempts);
    }

    @Test
    void aWriterThatIgnoresAFailedWriteIsCaught() throws IOException {
        sweep(WriteScenario.EXTEND_FOLDER, BuggyDisks::withIgnoredWriteErrors);
        assertFalse(violations.isEmpty());
    }

    @Test
    void aWriterThatLeavesItsTemporaryFileIsCaught() throws IOException {
        sweep(WriteScenario.CREATE_FILE, BuggyDisks::withoutDelete);
        assertFalse(violations.isEmpty());
    }
}
