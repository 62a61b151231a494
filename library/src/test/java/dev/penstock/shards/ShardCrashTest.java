// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Seeds;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.CrashStates;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.NewFile;
import dev.penstock.file.RecordingDisk;
import dev.penstock.file.WatchedDisk;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A corpus is written and the process is killed, the power is cut, or an operation fails, at every single
/// operation: what is there are the first rows, in whole shards, and a resumed writer completes the corpus.
@ExtendWith(Seeds.class)
final class ShardCrashTest {
    private static final Path FOLDER = Path.of("/memory/corpus");
    private static final int ROW_COUNT = 8;
    private static final int SHARD_ROWS = 3;
    private static final int OLD_COUNT = 4;

    private final List<String> violations = new ArrayList<>();

    private static double[][] rows(long first, long limit) {
        double[][] rows = new double[(int) (limit - first)][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = new double[] {first + i, -i, 0.5};
        }
        for (int i = 0; i < rows.length; i++) {
            rows[i][1] = -(first + i);
        }
        return rows;
    }

    private static ShardWriter.Options options(Disk disk) {
        return ShardWriter.Options.DEFAULT.withDisk(disk).withShardRows(SHARD_ROWS);
    }

    /// Writes what is missing of a corpus.
    private static void write(Disk disk, int rowCount) throws IOException {
        ShardWriter writer = ShardWriter.resume(FOLDER, 3, options(disk));
        try {
            writer.append(rows(writer.nextRow(), rowCount));
        } catch (Throwable e) {
            try {
                writer.abort();
            } catch (IOException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
        writer.close();
    }

    private static MemoryDisk start() throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(FOLDER.getParent());
        write(disk, OLD_COUNT);
        return disk;
    }

    /// Rows of a corpus that are as they should be, or -1.
    private static long found(Disk disk) {
        ShardReader.Options options = ShardReader.Options.DEFAULT.withDisk(disk);
        try (ShardReader reader = ShardReader.open(FOLDER, options)) {
            double[][] read = Shards.read(FOLDER, options);
            boolean isRight = Arrays.deepEquals(read, rows(0, reader.count()))
                    && reader.verify(Progress.NONE).isOk();
            return isRight ? reader.count() : -1;
        } catch (DatasetException e) {
            return e.reason().equals(Reason.EMPTY) ? 0 : -1;
        } catch (NoSuchFileException e) {
            return 0;
        } catch (IOException | RuntimeException e) {
            return -1;
        }
    }

    private long crash(UnaryOperator<Disk> bug, boolean isResumed) throws IOException {
        MemoryDisk start = isResumed ? start() : new MemoryDisk().addFolder(FOLDER.getParent());
        RecordingDisk disk = new RecordingDisk(start.copy());
        write(bug.apply(disk), ROW_COUNT);
        int promisedAt = disk.operationCount();
        long least = isResumed ? OLD_COUNT : 0;
        return CrashStates.forEach(start, disk.operations(), Seeds.random(), state -> {
            long found = found(state.disk());
            boolean isPromised = state.operationCount() >= promisedAt;
            if (found < least || (isPromised && found != ROW_COUNT)) {
                violations.add(found + " rows after " + state.operationCount() + " operations " + state.how());
                return;
            }
            try {
                write(state.disk(), ROW_COUNT);
                boolean isLeft = state.disk().files().stream().anyMatch(NewFile::isTemporary);
                if (isLeft || found(state.disk()) != ROW_COUNT) {
                    violations.add("resumed after " + state.operationCount() + ": "
                            + state.disk().files());
                }
            } catch (IOException | RuntimeException e) {
                violations.add("cannot be resumed after " + state.operationCount() + ": " + e);
            }
        });
    }

    @Test
    void afterACrashTheFirstRowsAreThereAndTheWriterGoesOn() throws IOException {
        long stateCount = crash(UnaryOperator.identity(), false) + crash(UnaryOperator.identity(), true);
        assertEquals(List.of(), violations);
        assertTrue(stateCount > 100, "only " + stateCount + " states");
        Figures.print("shards, crash states tried", stateCount);
    }

    @Test
    void aWriterThatForgetsToForceIsCaught() throws IOException {
        crash(BuggyDisks::withoutForce, true);
        assertFalse(violations.isEmpty());
    }

    @Test
    void aWriterThatForgetsToForceTheFolderIsCaught() throws IOException {
        crash(BuggyDisks::withoutForceDirectory, true);
        assertFalse(violations.isEmpty());
    }

    private long faults(UnaryOperator<Disk> bug) throws IOException {
        MemoryDisk start = start();
        return FaultyDisk.sweep(plan -> {
            MemoryDisk memory = start.copy();
            FaultyDisk faulty = new FaultyDisk(memory, plan);
            WatchedDisk counting = new WatchedDisk(faulty);
            boolean isDone = false;
            try {
                write(bug.apply(counting), ROW_COUNT);
                isDone = true;
            } catch (IOException e) {
                if (!FaultyDisk.isTold(e)) {
                    violations.add(plan + ": the fault is hidden behind " + e);
                }
            } catch (RuntimeException | Error e) {
                violations.add(plan + ": " + e);
            }
            long found = found(memory);
            if (found < OLD_COUNT || (isDone && found != ROW_COUNT)) {
                violations.add(plan + ": done " + isDone + ", found " + found);
            }
            if (counting.openCount() > 0) {
                violations.add(plan + ": " + counting.openCount() + " files stay open");
            }
            return faulty;
        });
    }

    @Test
    void aFaultWhileWritingIsReportedAndLosesNoShard() throws IOException {
        long attempts = faults(UnaryOperator.identity());
        assertEquals(List.of(), violations);
        assertTrue(attempts > 50, "only " + attempts + " attempts");
        Figures.print("shards, writes with one operation failing", attempts);
    }

    @Test
    void aWriterThatIgnoresAFailedWriteIsCaught() throws IOException {
        faults(BuggyDisks::withIgnoredWriteErrors);
        assertFalse(violations.isEmpty());
    }
}
