// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Seeds.class)
class MappedGroupTest {
    /// A thread that writes a view to a channel keeps the arena from closing.
    @Test
    void closingWhileAViewIsBeingWrittenUnmapsAfterwards(@TempDir Path folder) throws Exception {
        Path path = Files.write(folder.resolve("file"), new byte[1 << 20]);
        int liveBefore = MappingLimit.live();
        OpenFile file =
                OpenFile.open(path, ReaderOptions.DEFAULT.withDisk(Disk.real()).withAccess(Access.MMAP));
        ByteBuffer view = file.view(0, file.size()).asByteBuffer();
        Pipe pipe = Pipe.open();
        Thread writer = Thread.ofPlatform().start(() -> {
            try {
                pipe.sink().write(view);
                pipe.sink().close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        ByteBuffer target = ByteBuffer.allocate(1 << 16);
        pipe.source().read(target);
        file.close();
        assertThrows(IllegalStateException.class, file::acquire);
        while (pipe.source().read(target.clear()) >= 0) {
            // The writer continues when there is room.
        }
        writer.join();
        pipe.source().close();
        for (int i = 0; i < 60_000 && MappingLimit.live() > liveBefore; i++) {
            Thread.sleep(5);
        }
        assertEquals(liveBefore, MappingLimit.live());
    }

    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final int FILE_COUNT = Boolean.getBoolean("penstock.long") ? 20_000 : 3000;

    private final int liveBefore = MappingLimit.live();

    private static List<Path> files(Path folder, int count) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            files.add(Files.writeString(folder.resolve("file" + i), "file" + i));
        }
        return files;
    }

    private static List<Path> filesInMemory(MemoryDisk disk, int count) {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            files.add(Path.of("/data/file" + i));
            disk.put(files.get(i), ("file" + i).getBytes());
        }
        return files;
    }

    private static String text(MemorySegment segment) {
        return new String(segment.toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void eachSegmentHoldsTheBytesOfItsFile(@TempDir Path folder) throws IOException {
        try (MappedGroup mapping = MappedGroup.open(Disk.real(), files(folder, 3))) {
            assertEquals("file0", text(mapping.segment(0)));
            assertEquals("file2", text(mapping.segment(2)));
            assertEquals(liveBefore + 3, MappingLimit.live());
        }
        assertEquals(liveBefore, MappingLimit.live());
    }

    @Test
    void aLeaseOutlivesTheOwner(@TempDir Path folder) throws IOException {
        MappedGroup mapping = MappedGroup.open(Disk.real(), files(folder, 2));
        assertTrue(mapping.acquire());
        assertTrue(mapping.isLent());
        mapping.close();
        mapping.close();
        assertEquals("file1", text(mapping.segment(1)));
        assertFalse(mapping.acquire(), "a lease was given after the owner had closed");
        mapping.release();
        assertThrows(IllegalStateException.class, () -> text(mapping.segment(1)));
        assertEquals(liveBefore, MappingLimit.live());
    }

    @Test
    void aClosedMappingIsRefused(@TempDir Path folder) throws IOException {
        MappedGroup mapping = MappedGroup.open(Disk.real(), files(folder, 1));
        mapping.close();
        mapping.close();
        assertFalse(mapping.acquire());
        assertThrows(IllegalStateException.class, () -> text(mapping.segment(0)));
        assertEquals(liveBefore, MappingLimit.live());
    }

    @Test
    void aGroupThatCannotBeMappedLeavesNoneOfIts(@TempDir Path folder) throws IOException {
        List<Path> files = new ArrayList<>(files(folder, 5));
        files.add(folder.resolve("absent"));
        assertThrows(NoSuchFileException.class, () -> MappedGroup.open(Disk.real(), files));
        assertEquals(liveBefore, MappingLimit.live());
        assertEquals(0, linesNaming(folder));
    }

    @Test
    void everyFaultWhileMappingGivesTheCountBack() throws IOException {
        MemoryDisk memory = new MemoryDisk();
        List<Path> files = filesInMemory(memory, 4);
        long attemptCount = FaultyDisk.sweep(plan -> {
            FaultyDisk disk = new FaultyDisk(memory, plan);
            try (MappedGroup mapping = MappedGroup.open(disk, files)) {
                assertEquals("file3", text(mapping.segment(3)));
                assertFalse(disk.hasFired());
            } catch (IOException e) {
                assertTrue(disk.hasFired());
            }
            assertEquals(liveBefore, MappingLimit.live());
            return disk;
        });
        // Four operations and a run without a fault, for faults that pass and for those that stay.
        assertEquals(10, attemptCount);
    }

    @Test
    void theCapIsEnforcedAndSaysWhatToDo() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        List<Path> files = filesInMemory(disk, MappingLimit.LIVE_MAX - liveBefore);
        try (MappedGroup all = MappedGroup.open(disk, files)) {
            IOException refusal = assertThrows(IOException.class, () -> MappedGroup.open(disk, files.subList(0, 1)));
            assertEquals(
                    "cannot map 1 more files: 4096 of at most 4096 are mapped; close datasets that are not needed",
                    refusal.getMessage());
            assertEquals(MappingLimit.LIVE_MAX, MappingLimit.live());
            assertEquals("file0", text(all.segment(0)));
        }
        assertEquals(liveBefore, MappingLimit.live());
        MappedGroup.open(disk, files.subList(0, 1)).close();
    }

    @Test
    void aRefusalDoesNotDisturbOtherGroups() throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        Thread greedy = Thread.ofPlatform().start(() -> {
            while (!isOver.get()) {
                assertThrows(IOException.class, () -> MappingLimit.take(MappingLimit.LIVE_MAX + 1));
            }
        });
        try {
            for (int i = 0; i < 100_000; i++) {
                MappingLimit.take(1);
                MappingLimit.give(1);
            }
        } finally {
            isOver.set(true);
            greedy.join();
        }
        assertEquals(liveBefore, MappingLimit.live());
    }

    @Test
    void thousandsOfFilesAreServedWithinTheLimit(@TempDir Path folder) throws IOException {
        Random random = Seeds.random();
        List<Path> files = files(folder, FILE_COUNT);
        try (MappingCache mapped = MappingCache.open(Disk.real(), files, 16, 60)) {
            for (int i = 0; i < FILE_COUNT; i++) {
                int fileIndex = i % 3 == 0 ? i : random.nextInt(FILE_COUNT);
                MappedGroup mapping = mapped.acquire(fileIndex);
                assertEquals("file" + fileIndex, text(mapping.segment(mapped.indexInGroup(fileIndex))));
                mapping.release();
                assertTrue(mapped.liveGroupCount() <= 4);
                assertTrue(MappingLimit.live() <= liveBefore + 64);
            }
            assertEquals(4, mapped.liveGroupCount());
        }
        assertEquals(liveBefore, MappingLimit.live());
    }

    @Test
    void theGroupUsedLongestAgoIsDropped() throws IOException {
        AtomicInteger mapCount = new AtomicInteger();
        MemoryDisk memory = new MemoryDisk();
        List<Path> files = filesInMemory(memory, 4);
        Disk counting = new ForwardingDisk(memory) {
            @Override
            public MemorySegment map(Path file, Arena arena) throws IOException {
                mapCount.incrementAndGet();
                return super.map(file, arena);
            }
        };
        try (MappingCache mapped = MappingCache.open(counting, files, 1, 2)) {
            for (int fileIndex : new int[] {0, 1, 0, 2, 0, 1}) {
                mapped.acquire(fileIndex).release();
            }
            assertEquals(4, mapCount.get(), "0, 1, 2 and, since 2 came in its place, 1 again");
        }
    }

    @Test
    void aLeasedGroupIsNeverDropped() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        List<Path> files = filesInMemory(disk, 10);
        MappingCache mapped = MappingCache.open(disk, files, 1, 2);
        MappedGroup held = mapped.acquire(0);
        for (int i = 1; i < 10; i++) {
            mapped.acquire(i).release();
        }
        assertEquals("file0", text(held.segment(0)));
        MappedGroup second = mapped.acquire(5);
        IOException refusal = assertThrows(IOException.class, () -> mapped.acquire(6));
        assertEquals(
                "all 2 groups of mapped files are in use at the same time; use fewer threads", refusal.getMessage());
        second.release();
        mapped.acquire(6).release();
        mapped.close();
        assertEquals("file0", text(held.segment(0)));
        assertThrows(IllegalStateException.class, () -> mapped.acquire(0));
        held.release();
        assertEquals(liveBefore, MappingLimit.live());
    }

    @Test
    void aGroupThatFailedOnceIsServedLater() throws IOException {
        MemoryDisk memory = new MemoryDisk();
        List<Path> files = filesInMemory(memory, 2);
        FaultyDisk disk = new FaultyDisk(memory, new FaultyDisk.Plan(1, FaultyDisk.Fault.EIO, false));
        try (MappingCache mapped = MappingCache.open(disk, files, 2, 2)) {
            assertThrows(IOException.class, () -> mapped.acquire(0));
            MappedGroup mapping = mapped.acquire(1);
            assertEquals("file1", text(mapping.segment(1)));
            mapping.release();
        }
    }

    @Test
    void nothingIsLeftWhenEverythingIsClosed(@TempDir Path folder) throws IOException {
        Assumptions.assumeTrue(Files.exists(MAPS), "needs /proc");
        List<Path> files = files(folder, 50);
        try (MappedGroup mapping = MappedGroup.open(Disk.real(), files);
                OpenFile read = OpenFile.open(
                        files.get(0),
                        ReaderOptions.DEFAULT.withDisk(Disk.real()).withAccess(Access.READ));
                NewFile file = NewFile.create(Disk.real(), folder.resolve("new"), false)) {
            assertEquals(50, linesNaming(folder));
            assertEquals(3, descriptorsTo(folder), "one for reading, two for writing, none for mappings");
            file.publish();
            assertEquals(5, read.size());
            assertEquals("file7", text(mapping.segment(7)));
        }
        assertEquals(0, linesNaming(folder));
        assertEquals(0, descriptorsTo(folder));
    }

    private static long linesNaming(Path folder) throws IOException {
        return Files.readAllLines(MAPS).stream()
                .filter(line -> line.contains(folder + "/"))
                .count();
    }

    private static long descriptorsTo(Path folder) throws IOException {
        try (Stream<Path> descriptors = Files.list(DESCRIPTORS)) {
            return descriptors.filter(descriptor -> leadsTo(descriptor, folder)).count();
        }
    }

    private static boolean leadsTo(Path descriptor, Path folder) {
        try {
            return Files.readSymbolicLink(descriptor).startsWith(folder);
        } catch (IOException e) {
            return false;
        }
    }
}
