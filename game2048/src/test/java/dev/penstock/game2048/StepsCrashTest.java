// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.CrashStates;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.RecordingDisk;
import dev.penstock.file.RecordingDisk.Operation;
import dev.penstock.groups.GroupedTable;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A dataset is built or appended to, and the process is killed, the power is cut, or the disk fails at every
/// single operation: a reader finds the old dataset or the new one.
///
/// The usual run looks at all states that a killed process leaves and at some of the many that a power cut can
/// leave; the long one looks at all of them.
@Tag("full")
class StepsCrashTest {
    private static final String KILLED = "the process is killed";
    private static final Path FOLDER = Path.of("/data/steps");
    private static final long BUILT_STEPS = 724;
    private static final long ALL_STEPS = 1065;

    /// Every n-th state after a power cut is checked.
    private static final int SHARE = Boolean.getBoolean("penstock.long") ? 1 : 8;

    /// Stands for the number of a file where there is a folder.
    private static final int FOLDER_NUMBER = -1;

    /// The files that were read, each with a number.
    private static final Map<CrashStates.Content, Integer> CONTENTS = new HashMap<>();

    /// The steps in a folder of such files.
    private static final Map<Map<Path, Integer>, Long> FOUND = new HashMap<>();

    private final Random random = new Random(17);

    /// The ways of writing a dataset.
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

    /// The number of steps of the dataset, every row of which is right; -1 when there is none. Most crashes and
    /// faults leave the same files as another, which are read once.
    private static long found(MemoryDisk disk) {
        Map<Path, Integer> files = new HashMap<>();
        try {
            if (disk.exists(FOLDER)) {
                files.put(FOLDER, FOLDER_NUMBER);
                for (Path path : disk.list(FOLDER)) {
                    files.put(path, disk.isDirectory(path) ? FOLDER_NUMBER : contentNumber(disk.bytes(path)));
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return FOUND.computeIfAbsent(files, absent -> read(disk));
    }

    private static int contentNumber(byte[] bytes) {
        return CONTENTS.computeIfAbsent(new CrashStates.Content(bytes), absent -> CONTENTS.size());
    }

    @AfterAll
    static void forgetFiles() {
        CONTENTS.clear();
        FOUND.clear();
    }

    private static long read(Disk disk) {
        try (GroupedTable table = GroupedTable.open(FOLDER, TableReader.Options.DEFAULT.withDisk(disk))) {
            StepsCheck.Result result = new StepsCheck(table, false).run(Progress.NONE);
            boolean isOk = result.verification().problems().stream()
                    .allMatch(problem -> problem.what().contains("belong to no group")
                            || problem.what().contains("not listed")
                            || problem.what().contains("was stopped while doing so"));
            return isOk ? table.count() : -2;
        } catch (IOException | DatasetException e) {
            return -1;
        }
    }

    /// Ends the search for a planted bug.
    private static final class CaughtException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /// The violations after a crash. The search for a planted bug ends with the first one.
    private List<String> violations(Scenario scenario, UnaryOperator<Disk> bug, int share, boolean isPlanted)
            throws IOException {
        MemoryDisk start = scenario.start();
        RecordingDisk disk = new RecordingDisk(start.copy());
        scenario.write(bug.apply(disk));
        return violations(scenario, start, disk.operations(), share, isPlanted);
    }

    private List<String> violations(
            Scenario scenario, MemoryDisk start, List<Operation> operations, int share, boolean isPlanted) {
        int promisedAt = operations.size();
        List<String> violations = new ArrayList<>();
        long[] newCount = new long[1];
        try {
            long stateCount = CrashStates.forEach(start, operations, random, state -> {
                if (!state.how().equals(KILLED) && random.nextInt(share) > 0) {
                    return;
                }
                long found = found(state.disk());
                boolean isNew = found == scenario.newSteps();
                newCount[0] += isNew ? 1 : 0;
                boolean isPromised = state.operationCount() >= promisedAt;
                if (!isNew && (isPromised || found != scenario.oldSteps())) {
                    violations.add(found + " steps after " + state.operationCount() + " operations: " + state.how());
                    if (isPlanted) {
                        throw new CaughtException();
                    }
                }
            });
            assertTrue(
                    stateCount > 100 && (isPlanted || newCount[0] > 0),
                    stateCount + " states, " + newCount[0] + " new");
        } catch (CaughtException e) {
            // Making the remaining states would take as long as looking at them.
        }
        return violations;
    }

    @ParameterizedTest
    @EnumSource
    void afterACrashTheOldDatasetIsThereOrTheNewOne(Scenario scenario) throws IOException {
        assertEquals(List.of(), violations(scenario, UnaryOperator.identity(), SHARE, false));
    }

    @ParameterizedTest
    @EnumSource(names = "APPEND_TO_FILE")
    void aWriterThatForgetsToForceIsCaught(Scenario scenario) throws IOException {
        assertFalse(violations(scenario, BuggyDisks::withoutForce, 2, true).isEmpty());
        assertFalse(
                violations(scenario, BuggyDisks::withoutForceDirectory, 2, true).isEmpty());
    }

    /// The operations of an append in another order.
    private List<String> violations(Scenario scenario, UnaryOperator<List<Operation>> bug) throws IOException {
        MemoryDisk start = scenario.start();
        RecordingDisk disk = new RecordingDisk(start.copy());
        scenario.write(disk);
        return violations(scenario, start, bug.apply(disk.operations()), SHARE, true);
    }

    private static List<Operation> withLast(List<Operation> operations, Predicate<Operation> which) {
        return Stream.concat(
                        operations.stream().filter(which.negate()),
                        operations.stream().filter(which))
                .toList();
    }

    private static boolean isMoveTo(Operation operation, String start) {
        return operation instanceof Operation.Move(Path _, Path to)
                && to.getFileName().toString().startsWith(start);
    }

    @ParameterizedTest
    @EnumSource(names = {"APPEND_TO_FILE", "APPEND_TO_SHARDS"})
    void aWriterThatDoesThingsInAnotherOrderIsCaught(Scenario scenario) throws IOException {
        // The database before the rows.
        assertFalse(violations(scenario, all -> withLast(all, one -> isMoveTo(one, "steps")))
                .isEmpty());
        // The end of the journal before the pages of the database.
        assertFalse(violations(scenario, all -> {
                    int opened = all.indexOf(all.stream()
                            .filter(Operation.Reopen.class::isInstance)
                            .findFirst()
                            .orElseThrow());
                    List<Operation> moved = new ArrayList<>(all);
                    Operation removal = all.stream()
                            .filter(one -> one instanceof Operation.Delete(Path file)
                                    && file.endsWith("metadata.db-journal")
                                    && all.lastIndexOf(one) > opened)
                            .findFirst()
                            .orElseThrow();
                    moved.remove(moved.lastIndexOf(removal));
                    moved.add(opened, removal);
                    return moved;
                })
                .isEmpty());
    }

    /// SQLite itself reads the files after a crash and finds the same runs as our reader.
    @ParameterizedTest
    @EnumSource(names = {"APPEND_TO_FILE", "APPEND_TO_SHARDS"})
    void sqliteFindsTheSameRunsAfterACrash(Scenario scenario, @TempDir Path folder) throws IOException {
        MemoryDisk start = scenario.start();
        RecordingDisk disk = new RecordingDisk(start.copy());
        scenario.write(disk);
        List<String> differences = new ArrayList<>();
        int[] journalCount = new int[1];
        CrashStates.forEach(start, disk.operations(), random, state -> {
            boolean hasJournal = state.disk().files().contains(FOLDER.resolve("metadata.db-journal"));
            if (!state.how().equals(KILLED) && (!hasJournal || random.nextInt(SHARE) > 0)) {
                return;
            }
            journalCount[0] += hasJournal ? 1 : 0;
            long steps = stepsOfSqlite(state.disk(), folder);
            if (steps != found(state.disk())) {
                differences.add(steps + " after " + state.operationCount() + " operations: " + state.how());
            }
        });
        assertEquals(List.of(), differences);
        assertTrue(journalCount[0] > 10, journalCount[0] + " states with a journal");
    }

    private static long stepsOfSqlite(MemoryDisk disk, Path folder) {
        try {
            for (String name : List.of("metadata.db", "metadata.db-journal")) {
                Files.deleteIfExists(folder.resolve(name));
                if (disk.files().contains(FOLDER.resolve(name))) {
                    Files.write(folder.resolve(name), disk.bytes(FOLDER.resolve(name)));
                }
            }
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("metadata.db"));
                    Statement statement = connection.createStatement()) {
                try (ResultSet answer = statement.executeQuery("PRAGMA integrity_check")) {
                    assertEquals("ok", answer.getString(1));
                }
                try (ResultSet answer = statement.executeQuery("SELECT sum(num_steps) FROM runs")) {
                    return answer.getLong(1);
                }
            }
        } catch (IOException | SQLException e) {
            throw new AssertionError(e);
        }
    }

    /// The writer that comes after a crash is killed as well.
    @ParameterizedTest
    @EnumSource(names = {"APPEND_TO_FILE", "APPEND_TO_SHARDS"})
    void aSecondCrashLeavesTheOldDatasetOrTheNewOne(Scenario scenario) throws IOException {
        MemoryDisk start = scenario.start();
        RecordingDisk first = new RecordingDisk(start.copy());
        scenario.write(first);
        List<String> violations = new ArrayList<>();
        CrashStates.forEachKill(start, first.operations(), state -> {
            if (found(state.disk()) == scenario.newSteps()) {
                return;
            }
            try {
                RecordingDisk second = new RecordingDisk(state.disk().copy());
                scenario.write(second);
                CrashStates.forEachKill(state.disk(), second.operations(), later -> {
                    if (random.nextInt(SHARE) == 0) {
                        long found = found(later.disk());
                        if (found != scenario.oldSteps() && found != scenario.newSteps()) {
                            violations.add(found + " steps after " + state.operationCount() + " and "
                                    + later.operationCount() + " operations");
                        }
                    }
                });
            } catch (IOException | RuntimeException e) {
                violations.add(state.operationCount() + ": " + e);
            }
        });
        assertEquals(List.of(), violations);
    }

    /// Files that a crash leaves do not hinder later writers.
    @ParameterizedTest
    @EnumSource
    void theNextWriterGoesOnAfterACrash(Scenario scenario) throws IOException {
        MemoryDisk start = scenario.start();
        RecordingDisk disk = new RecordingDisk(start.copy());
        scenario.write(disk);
        List<String> violations = new ArrayList<>();
        CrashStates.forEachKill(start, disk.operations(), state -> {
            if (found(state.disk()) == scenario.newSteps()) {
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
        MemoryDisk start = scenario.start();
        long attemptCount = FaultyDisk.sweep(plan -> {
            MemoryDisk memory = start.copy();
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
