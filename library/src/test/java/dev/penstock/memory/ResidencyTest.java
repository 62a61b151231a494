// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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

    private OpenFile open() throws IOException {
        return OpenFile.open(Disk.real(), path, Access.MMAP);
    }

    @Test
    void openingDecidesAndReadsNothing() throws IOException {
        try (OpenFile file = open()) {
            assertEquals(0, residentBytes());
            file.residency().decide(SIZE - 1);
            assertTrue(file.residency().isStreamed(), "it was decided before the memory was known");
        }
    }

    @Test
    void aFileThatFitsIsBroughtInAtOnce() throws IOException {
        try (OpenFile file = open()) {
            file.residency().decide(SIZE);
            assertFalse(file.residency().isStreamed());
            assertEquals(SIZE, residentBytes());
        }
    }

    @Test
    void aFileThatDoesNotFitIsLeftWhereItIs() throws IOException {
        try (OpenFile file = open()) {
            file.residency().decide(SIZE - 1);
            assertTrue(file.residency().isStreamed());
            assertEquals(0, residentBytes());
        }
    }

    @Test
    void theFirstDecisionStays() throws IOException {
        try (OpenFile file = open()) {
            file.residency().decide(0);
            file.residency().decide(PLENTY);
            assertTrue(file.residency().isStreamed());
        }
        try (OpenFile file = open()) {
            file.residency().decide(PLENTY);
            file.residency().decide(0);
            assertFalse(file.residency().isStreamed());
        }
    }

    @Test
    void askingDecidesByTheMemoryThereIs() throws IOException {
        Assumptions.assumeTrue(AvailableMemory.bytes() > 2 * SIZE, "needs a little memory");
        try (OpenFile file = open()) {
            assertFalse(file.residency().isStreamed());
            assertEquals(SIZE, residentBytes());
        }
    }

    @Test
    void announcingChangesNoByte() throws IOException {
        OpenFile file = open();
        byte[] before = new byte[100];
        file.read(1000, MemorySegment.ofArray(before));
        long[][] ranges = {{0, SIZE}, {1, 1}, {SIZE - 1, 1}, {SIZE, 0}, {4095, 2}, {0, 0}};
        for (long[] range : ranges) {
            file.residency().willNeed(range[0], range[1]);
        }
        byte[] after = new byte[100];
        file.read(1000, MemorySegment.ofArray(after));
        assertArrayEquals(before, after);
        file.close();
        file.residency().willNeed(0, SIZE);
    }

    @Test
    void aFileThatIsReadNeedsNoAnnouncement() throws IOException {
        try (OpenFile file = OpenFile.open(Disk.real(), path, Access.READ)) {
            file.residency().decide(0);
            assertFalse(file.residency().isStreamed());
            file.residency().willNeed(0, SIZE);
        }
    }

    @Test
    void closingStopsTheFilling() throws Exception {
        try (RandomAccessFile sparse = new RandomAccessFile(path.toFile(), "rw")) {
            sparse.setLength(LARGE_SIZE);
        }
        int liveBefore = MappingLimit.live();
        OpenFile file = open();
        file.residency().decide(PLENTY);
        file.close();
        for (int i = 0; i < 500 && MappingLimit.live() > liveBefore; i++) {
            Thread.sleep(10);
        }
        assertEquals(liveBefore, MappingLimit.live(), "the file is still mapped 5 seconds after it was closed");
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
