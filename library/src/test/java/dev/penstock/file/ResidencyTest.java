// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResidencyTest {
    private static final Path MAPS = Path.of("/proc/self/smaps");
    private static final long SIZE = 4L << 20;
    private static final long LARGE_SIZE = 200L << 20;
    private static final long PLENTY = 1L << 40;

    @TempDir
    private Path folder;

    private Path path;

    @BeforeEach
    void makeFile() throws IOException {
        path = Files.write(folder.resolve("file"), new byte[Math.toIntExact(SIZE)]);
    }

    private OpenFile open(long memoryBytes) throws IOException {
        return OpenFile.open(path, ReaderOptions.DEFAULT.withMemoryBytes(memoryBytes));
    }

    @Test
    void openingReadsNothing() throws IOException {
        try (OpenFile file = open(PLENTY)) {
            assertEquals(0, residentBytes());
            assertEquals(SIZE, file.size());
        }
    }

    @Test
    void aFileThatFitsIsBroughtInAtOnce() throws IOException {
        try (OpenFile file = open(SIZE)) {
            file.prepare();
            assertEquals(SIZE, residentBytes());
            assertFalse(file.isStreamed());
        }
    }

    @Test
    void aFileThatDoesNotFitIsLeftWhereItIs() throws IOException {
        try (OpenFile file = open(SIZE - 1)) {
            file.prepare();
            assertTrue(file.isStreamed());
            assertEquals(0, residentBytes());
        }
    }

    @Test
    void askingDecidesByTheBudgetOfTheOptions() throws IOException {
        try (OpenFile file = open(0)) {
            assertTrue(file.isStreamed());
            assertEquals(0, residentBytes());
        }
        Assumptions.assumeTrue(AvailableMemory.bytes() > 2 * SIZE, "needs a little memory");
        try (OpenFile file = open(ReaderOptions.AUTOMATIC)) {
            assertFalse(file.isStreamed());
            assertEquals(SIZE, residentBytes());
        }
    }

    @Test
    void everyFileOfAGroupIsAnnouncedAtItsOwnPlace() throws IOException {
        Path second = Files.write(folder.resolve("second"), new byte[Math.toIntExact(SIZE)]);
        ReaderOptions options = ReaderOptions.DEFAULT.withMemoryBytes(SIZE);
        try (OpenFiles files = OpenFiles.open(List.of(Location.of(path), Location.of(second)), options)) {
            OpenFile last = files.files().getLast();
            assertTrue(last.isStreamed(), "the budget is that of both files together");
            last.willNeed(SIZE - 1, 1);
            byte[] end = new byte[1];
            last.read(SIZE - 1, MemorySegment.ofArray(end));
            assertEquals(0, end[0]);
        }
    }

    @Test
    void negativeMemoryIsRefused() {
        for (long memoryBytes : new long[] {-1, -2, Long.MIN_VALUE + 1}) {
            IllegalArgumentException refusal = assertThrows(
                    IllegalArgumentException.class, () -> ReaderOptions.DEFAULT.withMemoryBytes(memoryBytes));
            assertEquals("the memory budget must not be negative, got " + memoryBytes, refusal.getMessage());
        }
        assertThrows(IllegalArgumentException.class, () -> ReaderOptions.DEFAULT.withThreads(0));
    }

    @Test
    void announcingChangesNoByte() throws IOException {
        OpenFile file = open(0);
        byte[] before = new byte[100];
        file.read(1000, MemorySegment.ofArray(before));
        long[][] ranges = {{0, SIZE}, {1, 1}, {SIZE - 1, 1}, {SIZE, 0}, {4095, 2}, {0, 0}};
        for (long[] range : ranges) {
            file.willNeed(range[0], range[1]);
        }
        byte[] after = new byte[100];
        file.read(1000, MemorySegment.ofArray(after));
        assertArrayEquals(before, after);
        file.close();
        file.willNeed(0, SIZE);
    }

    @Test
    void aFileThatIsReadNeedsNoAnnouncement() throws IOException {
        try (OpenFile file =
                OpenFile.open(path, ReaderOptions.DEFAULT.withDisk(Disk.real()).withAccess(Access.READ))) {
            assertFalse(file.isStreamed());
            file.willNeed(0, SIZE);
        }
    }

    @Test
    void closingStopsTheFilling() throws Exception {
        try (RandomAccessFile sparse = new RandomAccessFile(path.toFile(), "rw")) {
            sparse.setLength(LARGE_SIZE);
        }
        int liveBefore = MappingLimit.live();
        OpenFile file = open(PLENTY);
        file.prepare();
        file.close();
        for (int i = 0; i < 30_000 && MappingLimit.live() > liveBefore; i++) {
            Thread.sleep(10);
        }
        assertEquals(liveBefore, MappingLimit.live(), "the file is still mapped five minutes after it was closed");
    }

    /// Bytes of the file that are mapped in by now, as the kernel counts them.
    private long residentBytes() throws IOException {
        Assumptions.assumeTrue(Files.exists(MAPS), "needs /proc");
        List<String> lines = Files.readAllLines(MAPS);
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).endsWith(path.toString())) {
                return lines.subList(i, lines.size()).stream()
                        .filter(line -> line.startsWith("Rss:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                        .findFirst()
                        .orElseThrow();
            }
        }
        throw new AssertionError("the file is not mapped");
    }
}
