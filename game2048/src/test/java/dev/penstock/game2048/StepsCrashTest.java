// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.groups.GroupedTable;
import dev.penstock.memory.BuggyDisks;
import dev.penstock.memory.CrashStates;
import dev.penstock.memory.Disk;
import dev.penstock.memory.FaultyDisk;
import dev.penstock.memory.MemoryDisk;
import dev.penstock.memory.RecordingDisk;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A dataset is built or appended to, and the process is killed, the power is cut, or the disk fails at every
/// single operation: a reader finds the old dataset or the new one.
///
/// The usual run looks at all states that a killed process leaves and at some of the many that a power cut can
/// leave; the long one looks at all of them.
class StepsCrashTest {
    private static final String KILLED = "the process is killed";
    private static final Path FOLDER = Path.of("/data/steps");
    private static final long BUILT_STEPS = 724;
    private static final long ALL_STEPS = 1065;

    /// Every n-th state after a power cut is checked.
    private static final int SHARE = Boolean.getBoolean("penstock.long") ? 1 : 8;

    private final Random random = new Random(17);

    /// What is done.
    enum Scenario {
        BUILD_FILE(0, false),
        BUILD_SHARDS(300, false),
        APPEND_TO_FILE(0, true),
        APPEND_TO_SHARDS(300, true);

        private final long shardRows;
        private final boolean isAppend;

        Scenario(long shardRows, boolean isAppend) {
            this.shardRows = shardRows;
            this.isAppend = isAppend;
        }

        MemoryDisk start() throws IOException {
            MemoryDisk disk = new MemoryDisk().addFolder(FOLDER.getParent());
            if (isAppend) {
                StepsDataset.build(Golden.runs("clean"), FOLDER, options(disk));
            }
            return disk;
        }

        private StepsOptions options(Disk disk) {
            return StepsOptions.DEFAULT.withWorkers(1).withShardRows(shardRows).withDisk(disk);
        }

        void write(Disk disk) throws IOException {
            if (isAppend) {
                StepsDataset.append(FOLDER, Golden.runs("more"), options(disk));
            } else {
                StepsDataset.build(Golden.runs("clean"), FOLDER, options(disk));
            }
        }

        long newSteps() {
            return isAppend ? ALL_STEPS : BUILT_STEPS;
        }

        long oldSteps() {
            return isAppend ? BUILT_STEPS : -1;
        }
    }

    /// The number of steps of the dataset, every row of which is right; -1 when there is none.
    private static long found(Disk disk) {
        try (GroupedTable table = GroupedTable.open(FOLDER, TableReader.Options.DEFAULT.withDisk(disk))) {
            StepsCheck.Result result = new StepsCheck(table, false).run(Progress.NONE);
            boolean isOk = result.verification().problems().stream()
                    .allMatch(problem -> problem.what().contains("belong to no group")
                            || problem.what().contains("not listed"));
            return isOk ? table.count() : -2;
        } catch (IOException | DatasetException e) {
            return -1;
        }
    }

    private List<String> violations(Scenario scenario, UnaryOperator<Disk> bug, int share) throws IOException {
        MemoryDisk start = scenario.start();
        RecordingDisk disk = new RecordingDisk(start.copy());
        scenario.write(bug.apply(disk));
        int promisedAt = disk.operationCount();
        List<String> violations = new ArrayList<>();
        long[] newCount = new long[1];
        long stateCount = CrashStates.forEach(start, disk.operations(), random, state -> {
            if (!state.how().equals(KILLED) && random.nextInt(share) > 0) {
                return;
            }
            long found = found(state.disk());
            boolean isNew = found == scenario.newSteps();
            newCount[0] += isNew ? 1 : 0;
            boolean isPromised = state.operationCount() >= promisedAt;
            if (!isNew && (isPromised || found != scenario.oldSteps())) {
                violations.add(found + " steps after " + state.operationCount() + " operations: " + state.how());
            }
        });
        assertTrue(stateCount > 100 && newCount[0] > 0, stateCount + " states, " + newCount[0] + " new");
        return violations;
    }

    @ParameterizedTest
    @EnumSource
    void afterACrashTheOldDatasetIsThereOrTheNewOne(Scenario scenario) throws IOException {
        assertEquals(List.of(), violations(scenario, UnaryOperator.identity(), SHARE));
    }

    @ParameterizedTest
    @EnumSource(names = "APPEND_TO_FILE")
    void aWriterThatForgetsToForceIsCaught(Scenario scenario) throws IOException {
        assertFalse(violations(scenario, BuggyDisks::withoutForce, 1).isEmpty());
        assertFalse(violations(scenario, BuggyDisks::withoutForceDirectory, 1).isEmpty());
    }

    /// What a crash leaves hinders no writer that comes after it.
    @ParameterizedTest
    @EnumSource
    void theNextWriterGoesOnAfterACrash(Scenario scenario) throws IOException {
        MemoryDisk start = scenario.start();
        RecordingDisk disk = new RecordingDisk(start.copy());
        scenario.write(disk);
        List<String> violations = new ArrayList<>();
        CrashStates.forEach(start, disk.operations(), random, state -> {
            if (!state.how().equals(KILLED) || found(state.disk()) == scenario.newSteps()) {
                return;
            }
            try {
                scenario.write(state.disk());
                if (found(state.disk()) != scenario.newSteps()) {
                    violations.add(found(state.disk()) + " steps after " + state.operationCount());
                }
            } catch (IOException | RuntimeException e) {
                violations.add(state.operationCount() + ", " + state.how() + ": " + e);
            }
        });
        assertEquals(List.of(), violations);
    }

    @ParameterizedTest
    @EnumSource
    void aFaultLeavesTheOldDatasetOrTheNewOne(Scenario scenario) throws IOException {
        List<String> violations = new ArrayList<>();
        long attemptCount = FaultyDisk.sweep(plan -> {
            MemoryDisk memory = scenario.start();
            FaultyDisk disk = new FaultyDisk(memory, plan);
            boolean isDone = false;
            try {
                scenario.write(disk);
                isDone = true;
            } catch (IOException e) {
                // The fault, as it should be.
            } catch (RuntimeException e) {
                violations.add(plan + ": " + e);
            }
            long found = found(memory);
            if (isDone ? found != scenario.newSteps() : found != scenario.newSteps() && found != scenario.oldSteps()) {
                violations.add(plan + ": done " + isDone + ", found " + found);
            }
            return disk;
        });
        assertEquals(List.of(), violations);
        assertTrue(attemptCount > 20, "only " + attemptCount + " attempts");
    }
}
