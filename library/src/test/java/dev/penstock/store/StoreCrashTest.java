// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.file.Access;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.CrashStates;
import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.RecordingDisk;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A store is changed by random batches, and the process is killed or the power is cut after every single
/// operation.
///
/// What is found is the state after some commit, not before the last one that was acknowledged; a program that
/// knows the published layout alone finds exactly the state that `meta.json` says it publishes; and the next
/// writer goes on.
@ExtendWith(Seeds.class)
@Tag("full")
class StoreCrashTest {
    private static final boolean IS_LONG = Boolean.getBoolean("penstock.long");
    private static final long STATE_COUNT_MIN = IS_LONG ? 1_000_000 : 100_000;
    private static final int BUG_RUN_COUNT = 40;
    /// One of this number of different states is continued.
    private static final int NEXT_LIFE = 16;

    private final Random random = Seeds.random();

    /// The operations and promises of one life of a store.
    private static final class Life {
        private final Map<Long, List<String>> states = new HashMap<>();
        /// Operations and sequence at each moment at which something was promised.
        private final List<long[]> durable = new ArrayList<>();

        private final List<long[]> written = new ArrayList<>();
        private final List<String> violations = new ArrayList<>();
        private int existsAt;
        private long stateCount;
        private long differentCount;
        private int lives;

        static long at(List<long[]> moments, int operationCount) {
            long sequence = 0;
            for (long[] moment : moments) {
                sequence = moment[0] <= operationCount ? moment[1] : sequence;
            }
            return sequence;
        }
    }

    private StoreOptions options(Disk disk, boolean isSwapping) {
        return StoreOptions.DEFAULT
                .withDisk(disk)
                .withSwapping(isSwapping)
                .withChunkRows(5)
                .withRotateBytes(1500);
    }

    private void write(RecordingDisk recording, Disk disk, Life life) throws IOException {
        boolean isSwapping = random.nextBoolean();
        List<StoreField> fields = List.of(StoreField.bytes("A"), StoreField.bytes("B"));
        StoreModel model = new StoreModel(random, isSwapping, fields.size());
        StoreOptions options = options(disk, isSwapping);
        StoreWriter store = StoreWriter.create(StoreModel.STORE, fields, options);
        life.existsAt = recording.operationCount();
        life.states.put(0L, List.of());
        for (int i = 0; i < 9; i++) {
            boolean isDurable = random.nextInt(3) > 0;
            if (random.nextInt(4) == 0) {
                store.close();
                note(recording, store.sequence(), life, model, true);
                StoreOptions.Durability durability =
                        isDurable ? StoreOptions.Durability.COMMIT : StoreOptions.Durability.NONE;
                store = StoreWriter.open(StoreModel.STORE, options.withDurability(durability));
            }
            step(store, model, recording, life);
        }
        store.close();
        note(recording, store.sequence(), life, model, true);
    }

    private void step(StoreWriter store, StoreModel model, RecordingDisk recording, Life life) throws IOException {
        int count = 1 + random.nextInt(3);
        List<String> before = model.state();
        for (int i = 0; i < count; i++) {
            model.change(store);
        }
        int kind = random.nextInt(10);
        if (kind == 0) {
            store.rollback();
            model.reset(before);
            return;
        }
        // The states that the operations of the commit may leave, for those that crash in it.
        life.states.put(store.sequence() + 1, model.state());
        store.commit();
        note(recording, store.sequence(), life, model, store.isDurable());
        if (kind == 1) {
            store.checkpoint();
            note(recording, store.sequence(), life, model, true);
        } else if (kind == 2) {
            store.sync();
            note(recording, store.sequence(), life, model, true);
        } else if (kind < 6) {
            store.rebalance(RebalanceOptions.DEFAULT.withMinGarbage(random.nextInt(2) * 0.3), Progress.NONE);
            note(recording, store.sequence(), life, model, store.isDurable());
        }
    }

    private static void note(RecordingDisk recording, long sequence, Life life, StoreModel model, boolean isDurable) {
        // A SYNC frame is a commit without changes.
        life.states.put(sequence, model.state());
        for (long earlier = sequence - 1; earlier > 0 && !life.states.containsKey(earlier); earlier--) {
            life.states.put(earlier, model.state());
        }
        long[] moment = {recording.operationCount(), sequence};
        life.written.add(moment);
        if (isDurable) {
            life.durable.add(moment);
        }
    }

    private Life run(UnaryOperator<Disk> bug, boolean isCautious) throws IOException {
        MemoryDisk start = new MemoryDisk().addFolder(StoreModel.FOLDER);
        RecordingDisk recording = new RecordingDisk(start.copy());
        Life life = new Life();
        try {
            write(recording, bug.apply(recording), life);
        } catch (IOException | RuntimeException e) {
            if (isCautious) {
                throw e;
            }
            life.violations.add("the writer fails: " + e);
        }
        if (life.violations.isEmpty()) {
            life.stateCount = CrashStates.forEach(start, recording.operations(), random, state -> {
                // One violation says enough of a planted bug.
                if (isCautious || life.violations.isEmpty()) {
                    check(state, life);
                }
            });
        }
        return life;
    }

    /// Reading by position is quicker here, because a mapping of such a disk is a copy.
    private static StoreReader open(MemoryDisk disk) throws IOException {
        return StoreReader.open(
                StoreModel.STORE, StoreReader.Options.DEFAULT.withDisk(disk).withAccess(Access.READ));
    }

    private void check(CrashStates.State state, Life life) {
        life.differentCount++;
        String where = state.operationCount() + " operations, " + state.how() + ": ";
        boolean exists = state.operationCount() >= life.existsAt;
        boolean isKilled = state.how().equals("the process is killed");
        long least = Life.at(isKilled ? life.written : life.durable, state.operationCount());
        try (StoreReader reader = open(state.disk())) {
            List<String> found = StoreModel.read(reader);
            if (reader.sequence() < least) {
                life.violations.add(where + "commit " + least + " is lost, " + reader.sequence() + " is found");
            } else if (!found.equals(life.states.get(reader.sequence()))) {
                life.violations.add(where + "not the state of commit " + reader.sequence() + ": " + found + " and not "
                        + life.states.get(reader.sequence()));
            }
            checkPlain(state, life, where);
            if (random.nextInt(NEXT_LIFE) == 0) {
                goOn(state.disk(), reader.sequence(), found, life, where);
            }
        } catch (NoSuchFileException e) {
            if (exists) {
                life.violations.add(where + "no store: " + e);
            }
        } catch (IOException | RuntimeException e) {
            life.violations.add(where + e);
        }
    }

    private static void checkPlain(CrashStates.State state, Life life, String where) throws IOException {
        if (state.disk().bytes(StoreModel.STORE.resolve(StoreFormat.META)) == null) {
            // Between two steps of a publish there is none.
            return;
        }
        StoreModel.Plain plain = StoreModel.readPlain(state.disk());
        List<String> expected = life.states.get(plain.sequence());
        if (expected == null || !plain.state().equals(StoreModel.plain(expected))) {
            life.violations.add(where + "a plain reader sees " + plain + " and not " + expected);
        }
    }

    /// The next process opens the store, which keeps its state, and adds to it.
    private void goOn(MemoryDisk disk, long sequence, List<String> found, Life life, String where) throws IOException {
        life.lives++;
        List<String> expected = new ArrayList<>(found);
        try (StoreWriter store = StoreWriter.open(StoreModel.STORE, options(disk, false))) {
            store.append(Arrays.asList("new".getBytes(), null));
            expected.add("'new' missing");
            store.commit();
            if (store.sequence() <= sequence) {
                life.violations.add(where + "the next commit is " + store.sequence());
            }
        }
        try (StoreReader reader = open(disk)) {
            if (!StoreModel.read(reader).equals(expected)) {
                life.violations.add(where + "the next writer changed records");
            }
            if (!reader.verify(Progress.NONE).isOk()) {
                life.violations.add(where + "the next writer left " + reader.verify(Progress.NONE));
            }
        } catch (DatasetException e) {
            life.violations.add(where + "the next writer left a store that is refused: " + e);
        }
        if (!StoreModel.readPlain(disk).state().equals(StoreModel.plain(expected))) {
            life.violations.add(where + "the next writer did not publish its state");
        }
    }

    @Test
    void afterACrashTheStateOfACommitIsFound() throws IOException {
        long stateCount = 0;
        long differentCount = 0;
        long lives = 0;
        while (stateCount < STATE_COUNT_MIN) {
            Life life = run(UnaryOperator.identity(), true);
            assertEquals(List.of(), life.violations.subList(0, Math.min(5, life.violations.size())));
            stateCount += life.stateCount;
            differentCount += life.differentCount;
            lives += life.lives;
        }
        assertTrue(lives > 20, "only " + lives + " states were gone on with");
        Figures.print("store, crash states tried", stateCount);
        Figures.print("store, crash states that differ", differentCount);
        Figures.print("store, crash states gone on with", lives);
    }

    private void requireCaught(UnaryOperator<Disk> bug) throws IOException {
        for (int i = 0; i < BUG_RUN_COUNT; i++) {
            if (!run(bug, false).violations.isEmpty()) {
                return;
            }
        }
        throw new AssertionError("the planted bug was not caught in " + BUG_RUN_COUNT + " runs");
    }

    @Test
    void aWriterThatForgetsToForceIsCaught() throws IOException {
        requireCaught(BuggyDisks::withoutForce);
        requireCaught(BuggyDisks::withoutForceDirectory);
        requireCaught(disk -> BuggyDisks.withoutForceIn(disk, StoreModel.STORE.resolve(StoreFormat.CHUNK_FOLDER)));
        requireCaught(disk -> BuggyDisks.withoutForceIn(disk, StoreModel.STORE.resolve(StoreFormat.JOURNAL_FOLDER)));
        requireCaught(disk -> BuggyDisks.withoutForceIn(disk, StoreModel.STORE));
    }

    @Test
    void aWriterThatForcesTheJournalBeforeTheValuesIsCaught() throws IOException {
        requireCaught(disk -> BuggyDisks.withLateForceIn(disk, StoreModel.STORE.resolve(StoreFormat.CHUNK_FOLDER)));
    }

    @Test
    void aReplayThatLosesTombstonesIsCaught() throws IOException {
        requireCaught(StoreBugs::withLostTombstones);
    }

    @Test
    void aWriterThatMovesTablesUnderAStandingMetaIsCaught() throws IOException {
        requireCaught(StoreBugs::withoutSwitch);
    }

    @Test
    void aWriterThatChangesSlotsInPlaceIsCaught() throws IOException {
        requireCaught(BuggyDisks::withCopyInsteadOfMove);
    }

    @Test
    void aRebalanceThatDeletesChunksBeforeItPublishesIsCaught() throws IOException {
        requireCaught(StoreBugs::withEarlyRetirement);
    }

    @Test
    void aWriterThatDeletesTheJournalTooEarlyIsCaught() throws IOException {
        requireCaught(StoreBugs::withEarlyDelete);
    }
}
