// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Figures;
import dev.penstock.PlantedBug;
import dev.penstock.Seeds;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.CrashStates;
import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.RecordingDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A journal is written and the process is killed, or the power is cut, after every single operation: what is
/// found is what was written, from the first commit up to one that is not before the last durable one.
@ExtendWith(Seeds.class)
class JournalCrashTest {
    private static final int RUN_COUNT = Boolean.getBoolean("penstock.long") ? 200 : 12;

    private final Random random = Seeds.random();

    /// The frames that a run wrote, and the number of durable ones after each operation.
    private static final class Run {
        private final List<String> frames = new ArrayList<>();
        private final List<Integer> writtenAt = new ArrayList<>();
        private final List<Integer> promisedAt = new ArrayList<>();
        private final List<String> violations = new ArrayList<>();
        private int existsAt;
        private long stateCount;

        /// The number of frames that were written, or were durable, after some operations.
        static int countAt(List<Integer> moments, int operationCount) {
            return (int) moments.stream().filter(at -> at <= operationCount).count();
        }
    }

    private void write(RecordingDisk recording, Disk disk, Run run) throws IOException {
        try (JournalWriter writer = Journals.create(disk, Journals.HEADER, 1024)) {
            writer.forceAll();
            disk.forceDirectory(Journals.FOLDER);
            run.existsAt = recording.operationCount();
            for (int i = 0; i < 14; i++) {
                int itemCount = random.nextInt(4) == 0 ? 40 : random.nextInt(5);
                boolean isForced = random.nextInt(3) == 0;
                int flags = isForced ? Journal.SYNCED : 0;
                long sequence = Journals.append(writer, Journal.COMMIT, flags, itemCount, i + 1);
                run.frames.add("1:" + flags + ":" + sequence + ":" + itemCount + ":" + (i + 1));
                run.writtenAt.add(recording.operationCount());
                if (isForced) {
                    writer.force();
                    while (run.promisedAt.size() < run.frames.size()) {
                        run.promisedAt.add(recording.operationCount());
                    }
                }
            }
        }
    }

    private Run run(UnaryOperator<Disk> bug) throws IOException {
        MemoryDisk start = new MemoryDisk().addFolder(Journals.FOLDER);
        RecordingDisk recording = new RecordingDisk(start.copy());
        Run run = new Run();
        write(recording, bug.apply(recording), run);
        run.stateCount = CrashStates.forEach(start, recording.operations(), random, state -> check(state, run));
        return run;
    }

    private static void check(CrashStates.State state, Run run) {
        if (state.operationCount() < run.existsAt) {
            return;
        }
        String where = state.operationCount() + " operations, " + state.how() + ": ";
        int promised = Run.countAt(run.promisedAt, state.operationCount());
        int written = Run.countAt(run.writtenAt, state.operationCount());
        int least = state.how().equals("the process is killed") ? written : promised;
        try {
            List<String> found = Journals.read(state.disk()).frames();
            boolean isRun = found.size() <= run.frames.size() && found.equals(run.frames.subList(0, found.size()));
            if (!isRun || found.size() < least || found.size() > written) {
                run.violations.add(where + found.size() + " frames, right " + isRun + ", at least " + least);
            }
        } catch (DatasetException | IOException e) {
            run.violations.add(where + e);
        }
    }

    @Test
    void afterACrashAllDurableCommitsAreThere() throws IOException {
        long stateCount = 0;
        for (int i = 0; i < RUN_COUNT; i++) {
            Run run = run(UnaryOperator.identity());
            assertEquals(List.of(), run.violations);
            stateCount += run.stateCount;
        }
        assertTrue(stateCount > 1000, "only " + stateCount + " states were tried");
        Figures.print("journal, crash states tried", stateCount);
    }

    private boolean isCaught(UnaryOperator<Disk> bug) throws IOException {
        for (int i = 0; i < RUN_COUNT; i++) {
            if (!run(bug).violations.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    @Test
    void aWriterThatForgetsToForceIsCaught() throws IOException {
        assertTrue(isCaught(BuggyDisks::withoutForce));
        assertTrue(isCaught(BuggyDisks::withoutForceDirectory));
    }

    @Test
    void aWriterThatDoesNotForceTheRoomWithItsLengthIsCaught() throws IOException {
        assertTrue(isCaught(BuggyDisks::withForceOfDataOnly));
    }

    @Test
    void aReaderThatDoesNotCheckFramesIsCaught() throws Exception {
        assertTrue(PlantedBug.answering(JournalReplay.class, "isChecked", true).call(Crashes.class));
    }

    @Test
    void aReaderThatTakesEveryTornTailForDamageIsCaught() throws Exception {
        assertTrue(PlantedBug.answering(JournalReplay.class, "hasDurableAfter", true)
                .call(Crashes.class));
    }

    /// A frame that a later one calls durable goes bad: an error, and never a shorter run.
    private int missedDamage() throws IOException {
        int missed = 0;
        for (int i = 0; i < 50; i++) {
            MemoryDisk disk = new MemoryDisk().addFolder(Journals.FOLDER);
            Run run = new Run();
            write(new RecordingDisk(disk), disk, run);
            byte[] bytes = disk.bytes(Journals.FILE);
            if (run.promisedAt.size() < 2 || run.promisedAt.size() == run.frames.size()) {
                continue;
            }
            bytes[(int) Journal.HEADER_SIZE + random.nextInt(48)] ^= (byte) (1 << random.nextInt(8));
            try {
                Journals.read(new MemoryDisk().put(Journals.FILE, bytes));
                missed++;
            } catch (DatasetException e) {
                // This is the expected outcome.
            }
        }
        return missed;
    }

    @Test
    void damageIsNotTakenForATornTail() throws Exception {
        assertEquals(0, missedDamage());
        PlantedBug bug = PlantedBug.answering(JournalReplay.class, "hasDurableAfter", false);
        assertTrue(bug.call(Damage.class) > 0, "the harness would not notice");
    }

    /// Whether a crash shows a bug in the reader.
    static final class Crashes implements Callable<Boolean> {
        @Override
        public Boolean call() throws IOException {
            return new JournalCrashTest().isCaught(UnaryOperator.identity());
        }
    }

    /// The number of damages that a reader misses.
    static final class Damage implements Callable<Integer> {
        @Override
        public Integer call() throws IOException {
            return new JournalCrashTest().missedDamage();
        }
    }
}
