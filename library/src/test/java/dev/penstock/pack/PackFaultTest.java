// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.FaultyDisk.Plan;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.WatchedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Every operation of writing a pack fails, once and for ever: there is the old pack, none, or the new one, whole.
@ExtendWith(Seeds.class)
@Tag("full")
class PackFaultTest {
    private static final Path FOLDER = Packs.PATH.getParent();

    private final List<PackRecord> records = records();
    private final List<String> violations = new ArrayList<>();

    private static List<PackRecord> records() {
        List<PackRecord> records = new ArrayList<>(PackRecord.random(Seeds.random(), 20, 3000, false));
        records.add(3, PackRecord.of(new byte[700_000]));
        return Packs.named(records);
    }

    @FunctionalInterface
    private interface Writing {
        void to(Disk disk) throws IOException;
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void aFaultWhileWritingLeavesTheOldPackOrTheNewOneWhole(boolean isReplacing, boolean isExpecting)
            throws IOException {
        long attempts = sweepWriter(isReplacing, isExpecting, UnaryOperator.identity());
        assertEquals(List.of(), violations);
        assertTrue(attempts > 60, "only " + attempts + " attempts");
        Figures.print("pack, writes with one operation failing", attempts);
    }

    @Test
    void aWriterThatIgnoresAFailedWriteIsCaught() throws IOException {
        sweepWriter(false, true, BuggyDisks::withIgnoredWriteErrors);
        assertFalse(violations.isEmpty());
    }

    @Test
    void aWriterThatIgnoresAFailedForceIsCaught() throws IOException {
        sweepWriter(false, true, PackFaultTest::withIgnoredForceErrors);
        assertFalse(violations.isEmpty());
    }

    @Test
    void aWriterThatLeavesItsTemporaryFileIsCaught() throws IOException {
        sweepWriter(false, true, BuggyDisks::withoutDelete);
        assertFalse(violations.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aFaultWhilePackingAFolderLeavesTheOldPackOrTheNewOneWhole(int workers, @TempDir Path input)
            throws IOException {
        for (int i = 0; i < 6; i++) {
            Files.write(input.resolve("file" + i), records.get(i).bytes());
        }
        Files.write(input.resolve("large"), new byte[(int) PackBuilder.BUFFERED_SIZE_MAX + 1]);
        byte[] whole = built(input, new MemoryDisk().addFolder(FOLDER), workers);
        long attempts = sweep(true, whole, UnaryOperator.identity(), disk -> {
            PackWriter.Options options = Packs.options().withReplacing(true).withDisk(withInput(disk, input));
            PackBuilder.build(input, Packs.PATH, true, options, workers, Progress.NONE);
        });
        assertEquals(List.of(), violations);
        assertTrue(attempts > 60, "only " + attempts + " attempts");
        Figures.print("pack, folders packed with one operation failing", attempts);
    }

    private static byte[] built(Path input, MemoryDisk disk, int workers) throws IOException {
        PackWriter.Options options = Packs.options().withDisk(withInput(disk, input));
        PackBuilder.build(input, Packs.PATH, true, options, workers, Progress.NONE);
        return disk.bytes(Packs.PATH);
    }

    /// The files to be packed are on the real disk, since their size and time are looked up there; reading them
    /// still counts as an operation of the other disk.
    private static Disk withInput(Disk disk, Path input) {
        return new ForwardingDisk(disk) {
            @Override
            public Readable open(Path file) throws IOException {
                if (!file.startsWith(input)) {
                    return super.open(file);
                }
                disk.exists(file);
                return Disk.real().open(file);
            }
        };
    }

    private static Disk withIgnoredForceErrors(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public Writable create(Path file) throws IOException {
                Writable writable = super.create(file);
                return new ForwardingWriter(writable) {
                    @Override
                    public void force() {
                        try {
                            writable.force();
                        } catch (IOException e) {
                            // The planted bug.
                        }
                    }
                };
            }
        };
    }

    private long sweepWriter(boolean isReplacing, boolean isExpecting, UnaryOperator<Disk> bug) throws IOException {
        PackWriter.Options options = Packs.options().withReplacing(isReplacing);
        byte[] whole = Packs.bytes(options, records, new byte[9], isExpecting);
        return sweep(
                isReplacing,
                whole,
                bug,
                disk -> Packs.write(Packs.PATH, options.withDisk(disk), records, new byte[9], isExpecting));
    }

    private long sweep(boolean isReplacing, byte[] whole, UnaryOperator<Disk> bug, Writing writing) throws IOException {
        byte[] old = isReplacing ? Packs.bytes(Packs.options(), Packs.SAMPLE) : null;
        return FaultyDisk.sweep(plan -> {
            MemoryDisk memory = new MemoryDisk().addFolder(FOLDER);
            if (isReplacing) {
                memory.put(Packs.PATH, old.clone());
            }
            FaultyDisk faulty = new FaultyDisk(memory, plan);
            WatchedDisk watched = new WatchedDisk(faulty);
            boolean isDone = attempt(writing, bug.apply(watched), plan);
            check(memory, faulty, isDone, plan, whole, old);
            if (isDone && watched.hasLostBytes()) {
                violations.add(plan + ": done, though bytes were lost");
            }
            if (watched.openCount() > 0) {
                violations.add(plan + ": " + watched.openCount() + " files stay open");
            }
            return faulty;
        });
    }

    private boolean attempt(Writing writing, Disk disk, Plan plan) {
        try {
            writing.to(disk);
            return true;
        } catch (IOException e) {
            if (!e.getMessage().matches("Input/output error|No space left on device")) {
                violations.add(plan + ": the fault is hidden behind " + e);
            }
            return false;
        } catch (RuntimeException | Error e) {
            violations.add(plan + ": " + e);
            return false;
        }
    }

    private void check(MemoryDisk memory, FaultyDisk faulty, boolean isDone, Plan plan, byte[] whole, byte[] old) {
        byte[] found = memory.bytes(Packs.PATH);
        boolean isNew = Arrays.equals(found, whole);
        if (!isNew && (isDone || !Arrays.equals(found, old))) {
            violations.add(plan + ": done " + isDone + ", found " + (found == null ? "none" : found.length));
        }
        boolean canDelete = !plan.isForEver() || !faulty.hasFired();
        boolean isOtherLeft = memory.files().stream().anyMatch(file -> !file.equals(Packs.PATH));
        if (isOtherLeft && canDelete) {
            violations.add(plan + ": left behind " + memory.files());
        }
    }
}
