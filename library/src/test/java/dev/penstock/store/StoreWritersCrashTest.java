// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import dev.penstock.file.CrashStates;
import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.RecordingDisk;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Two threads write a store, each to a chunk of its own, while a third rebalances it, and the process is killed
/// or the power is cut after every single operation. No record is a hole, and no promise is broken.
@ExtendWith(Seeds.class)
@Timeout(600)
@Tag("full")
class StoreWritersCrashTest {
    private static final long STATE_COUNT_MIN = TestData.isLong() ? 500_000 : 12_000;
    private static final int BUG_RUN_COUNT = 60;
    /// One of this number of states is continued.
    private static final int NEXT_LIFE = 16;

    private final Random random = Seeds.random();
    private final List<String> violations = new ArrayList<>();
    private long lives;

    private long run(UnaryOperator<Disk> bug, StoreWritersLife.Append append, boolean isCautious)
            throws IOException, InterruptedException {
        MemoryDisk start = new MemoryDisk().addFolder(StoreModel.FOLDER);
        RecordingDisk recording = new RecordingDisk(start.copy());
        StoreWritersLife life = new StoreWritersLife(append, random.nextInt(4) > 0);
        try {
            life.run(recording, bug.apply(recording), random);
        } catch (IOException | RuntimeException e) {
            if (isCautious) {
                throw e;
            }
            violations.add("a writer fails: " + e);
        }
        return CrashStates.forEach(start, recording.operations(), random, state -> {
            // One violation says enough.
            if (violations.isEmpty()) {
                check(state, life);
            }
        });
    }

    private void check(CrashStates.State state, StoreWritersLife life) {
        String where = state.operationCount() + " operations, " + state.how() + ": ";
        StoreReader.Options reading =
                StoreReader.Options.DEFAULT.withDisk(state.disk()).withAccess(Access.READ);
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, reading)) {
            String wrong =
                    life.wrong(reader, state.operationCount(), state.how().equals("the process is killed"));
            if (wrong != null) {
                violations.add(where + wrong);
            } else if (random.nextInt(NEXT_LIFE) == 0) {
                goOn(state.disk(), StoreModel.read(reader), life, where);
            }
        } catch (NoSuchFileException e) {
            if (life.exists(state.operationCount())) {
                violations.add(where + "no store: " + e);
            }
        } catch (IOException | RuntimeException e) {
            violations.add(where + e);
        }
    }

    /// The next process has one writer more or less.
    private void goOn(MemoryDisk disk, List<String> found, StoreWritersLife life, String where) throws IOException {
        lives++;
        List<String> expected = new ArrayList<>(found);
        try (StoreWriter store =
                StoreWriter.open(StoreModel.STORE, life.options(disk).withWriters(1 + random.nextInt(3)))) {
            store.append(List.of("new".getBytes()));
            expected.add("'new'");
        }
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, disk)) {
            if (!StoreModel.read(reader).equals(expected)
                    || !reader.verify(Progress.NONE).isOk()) {
                violations.add(where + "the next writer left " + StoreModel.read(reader));
            }
        }
    }

    @Test
    void afterACrashNoRecordIsAHoleAndNoPromiseIsBroken() throws IOException, InterruptedException {
        long stateCount = 0;
        while (stateCount < STATE_COUNT_MIN && violations.isEmpty()) {
            stateCount += run(UnaryOperator.identity(), StoreWriter::append, true);
        }
        assertEquals(List.of(), violations);
        Figures.print("store, crash states with two writers", stateCount);
        Figures.print("store, crash states with two writers gone on with", lives);
    }

    private void requireCaught(UnaryOperator<Disk> bug, StoreWritersLife.Append append)
            throws IOException, InterruptedException {
        for (int i = 0; i < BUG_RUN_COUNT && violations.isEmpty(); i++) {
            run(bug, append, false);
        }
        if (violations.isEmpty()) {
            throw new AssertionError("the planted bug was not caught in " + BUG_RUN_COUNT + " runs");
        }
    }

    @Test
    void aWriterThatForcesOneChunkOfTwoIsCaught() throws IOException, InterruptedException {
        requireCaught(StoreBugs::withOneChunkUnforced, StoreWriter::append);
    }

    @Test
    void aWriterThatForcesTheJournalBeforeTheOtherChunkIsCaught() throws IOException, InterruptedException {
        requireCaught(StoreBugs::withOneChunkLate, StoreWriter::append);
    }

    @Test
    void aRowThatGetsItsIndexBeforeItIsPlacedIsCaught() throws IOException, InterruptedException {
        // The other thread may commit between the two steps.
        Runnable between = () -> LockSupport.parkNanos(2_000_000);
        requireCaught(UnaryOperator.identity(), (store, values) -> StoreBugs.appendIndexFirst(store, values, between));
    }
}
