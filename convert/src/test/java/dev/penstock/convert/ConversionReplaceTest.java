// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.TestData;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.SampleDatasets;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.FaultyDisk.Fault;
import dev.penstock.file.FaultyDisk.Plan;
import dev.penstock.file.ForwardingDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A conversion replaces a dataset that is a folder, and the disk fails at every operation: the old dataset or
/// the new one is there.
class ConversionReplaceTest {
    @TempDir
    Path folder;

    /// The operations from shortly before the target gets its name to the removal of the first old files.
    private static final long PUBLISHING_COUNT = 15;

    private static final long OLD_COUNT = 5;
    private static final long NEW_COUNT = 7;

    private Path oldStore;
    private Path newStore;
    private Path target;

    @BeforeEach
    void writeSources() throws IOException {
        oldStore = SampleDatasets.store(folder.resolve("old"), (int) OLD_COUNT, new Random(1));
        newStore = SampleDatasets.store(folder.resolve("new"), (int) NEW_COUNT, new Random(2));
        target = folder.resolve("work").resolve("target");
    }

    /// A file system that cannot exchange two names in one step.
    private static final class PlainDisk extends ForwardingDisk {
        PlainDisk() {
            super(Disk.real());
        }

        @Override
        public boolean exchange(Path one, Path other) {
            return false;
        }
    }

    /// Remembers the number of the first operation that gives the target another file or folder.
    private final class WatchingDisk extends ForwardingDisk {
        private final FaultyDisk counting;
        private long publishingAt;

        WatchingDisk(FaultyDisk disk) {
            super(disk);
            this.counting = disk;
        }

        private void remember(Path one, Path other) {
            if (publishingAt == 0 && (one.equals(target) || other.equals(target))) {
                publishingAt = counting.operationCount() + 1;
            }
        }

        @Override
        public void move(Path from, Path to) throws IOException {
            remember(from, to);
            super.move(from, to);
        }

        @Override
        public boolean exchange(Path one, Path other) throws IOException {
            remember(one, other);
            return super.exchange(one, other);
        }
    }

    /// @return whether the conversion returned
    private boolean replace(String format, Disk disk) {
        TargetOptions options = TargetOptions.DEFAULT.withReplacing(true);
        RecordChoice choice = RecordChoice.ALL.withFields(List.of("x"));
        try (RecordSource records = Sources.open(newStore, SourceOptions.DEFAULT.withChoice(choice))) {
            Conversion.of(records, target, format, options, disk).run(Progress.NONE, Progress.NONE);
            return true;
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    /// Copies the old store to the target.
    private void writeOld() throws IOException {
        deleteAll(target.getParent());
        Files.createDirectories(target.getParent());
        try (Stream<Path> all = Files.walk(oldStore)) {
            for (Path one : all.toList()) {
                Files.copy(one, target.resolve(oldStore.relativize(one)));
            }
        }
    }

    private static void deleteAll(Path path) throws IOException {
        if (Files.exists(path)) {
            try (Stream<Path> all = Files.walk(path)) {
                for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(one);
                }
            }
        }
    }

    private static String found(Path path) throws IOException {
        try (Dataset dataset = Catalog.open(path)) {
            assertTrue(dataset.verify(Progress.NONE).isOk());
            return dataset.count() == OLD_COUNT ? "old" : dataset.count() == NEW_COUNT ? "new" : "other";
        } catch (DatasetException | IOException e) {
            return "nothing: " + e;
        }
    }

    /// A disk that fails for ever leaves what a killed process leaves.
    @ParameterizedTest
    @CsvSource({"store, true", "store, false", "pack, true", "pack, false"})
    @Tag("full")
    void aFaultLeavesTheOldDatasetOrTheNewOne(String format, boolean isExchanging) throws IOException {
        Disk disk = isExchanging ? Disk.real() : new PlainDisk();
        writeOld();
        FaultyDisk sound = new FaultyDisk(disk, new Plan(Long.MAX_VALUE, Fault.EIO, false));
        WatchingDisk watching = new WatchingDisk(sound);
        assertTrue(replace(format, watching));
        assertTrue(watching.publishingAt > 0);
        long first = TestData.isLong() ? 1 : watching.publishingAt - PUBLISHING_COUNT / 3;
        long last = TestData.isLong() ? sound.operationCount() : first + PUBLISHING_COUNT;
        List<String> violations = new ArrayList<>();
        for (long i = first; i <= last; i++) {
            check(format, disk, new Plan(i, Fault.EIO, false), violations);
            check(format, disk, new Plan(i, Fault.EIO, true), violations);
        }
        assertEquals(List.of(), violations);
    }

    private void check(String format, Disk disk, Plan plan, List<String> violations) throws IOException {
        writeOld();
        boolean isDone = replace(format, new FaultyDisk(disk, plan));
        String found = found(target);
        // The process may end between two renames. Then the old dataset has another name.
        if (disk instanceof PlainDisk && plan.isForEver() && !Files.exists(target)) {
            found = found(WorkFolder.folder(target).resolve("replaced"));
        }
        if (!found.equals("new") && (isDone || !found.equals("old"))) {
            violations.add(plan + ": done " + isDone + ", found " + found);
        }
        if (!replace(format, disk) || !found(target).equals("new")) {
            violations.add(plan + ": the next conversion leaves " + found(target));
        }
        if (!ConversionSamples.names(target.getParent()).equals(List.of("target"))) {
            violations.add(plan + ": " + ConversionSamples.names(target.getParent()));
        }
    }

    @Test
    void theOldDatasetComesBackBeforeTheNextConversion() throws IOException {
        writeOld();
        Path work = Files.createDirectories(WorkFolder.folder(target));
        Files.move(target, work.resolve("replaced"));
        WorkFolder.open(Disk.real(), target).close();
        assertEquals("old", found(target));
        assertFalse(Files.exists(work.resolve("replaced")));
    }

    @Test
    void aTargetThatIsALinkStaysALink() throws IOException {
        writeOld();
        Path other = Files.createDirectory(folder.resolve("other")).resolve("data");
        Files.move(target, other);
        Files.createSymbolicLink(target, other);
        assertTrue(replace("store", Disk.real()));
        assertTrue(Files.isSymbolicLink(target));
        assertEquals("new", found(target));
        assertEquals(List.of("data"), ConversionSamples.names(other.getParent()));
        assertEquals(List.of("target"), ConversionSamples.names(target.getParent()));
    }

    @Test
    void aLinkToTheSourceIsNotReplaced() throws IOException {
        Files.createDirectory(target.getParent());
        Files.createSymbolicLink(target, newStore);
        assertThrows(IllegalArgumentException.class, () -> replace("store", Disk.real()));
        assertEquals("new", found(newStore));
    }

    @Test
    void aFileOfSomebodyElseInTheWorkFolderIsNotDeleted() throws IOException {
        writeOld();
        Path data = Files.createDirectories(WorkFolder.folder(target).resolve("target/chunk"));
        Path precious = Files.writeString(data.resolve("precious"), "mine");
        assertFalse(replace("store", Disk.real()));
        assertEquals("mine", Files.readString(precious));
        assertEquals("old", found(target));
    }
}
