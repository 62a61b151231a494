// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Seeds.class)
class Crc32cTest {
    private static final int CHECK = 0xE3069283;
    private static final int PIECE_SIZE = 4096;

    private final Random random = Seeds.random();

    private byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    @Test
    void theCheckValueIsThatOfTheCatalogue() {
        assertEquals(CHECK, Crc32c.of(MemorySegment.ofArray("123456789".getBytes())));
        assertEquals(0, Crc32c.of(MemorySegment.ofArray(new byte[0])));
    }

    @Test
    void piecesOfAnySizeGiveTheSameValue() {
        MemorySegment whole = MemorySegment.ofArray(bytes(20_000));
        int expected = Crc32c.of(whole);
        Crc32c crc = new Crc32c();
        for (int round = 0; round < 50; round++) {
            crc.reset();
            long offset = 0;
            while (offset < whole.byteSize()) {
                long size = Math.min(random.nextInt(6000), whole.byteSize() - offset);
                crc.update(whole.asSlice(offset, size));
                offset += size;
            }
            assertEquals(expected, crc.value());
        }
    }

    @Test
    void theAddressOfTheBytesDoesNotMatter() {
        byte[] content = bytes(1000);
        int expected = Crc32c.of(MemorySegment.ofArray(content));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment room = arena.allocate(2000);
            for (long offset = 0; offset < 70; offset++) {
                MemorySegment place = room.asSlice(offset, content.length).copyFrom(MemorySegment.ofArray(content));
                assertEquals(expected, Crc32c.of(place), "at offset " + offset);
            }
        }
    }

    @Test
    void everyFlippedBitChangesTheValue() {
        byte[] content = bytes(64);
        int expected = Crc32c.of(MemorySegment.ofArray(content));
        for (int bit = 0; bit < content.length * 8; bit++) {
            content[bit / 8] ^= (byte) (1 << bit % 8);
            assertTrue(Crc32c.of(MemorySegment.ofArray(content)) != expected, "bit " + bit);
            content[bit / 8] ^= (byte) (1 << bit % 8);
        }
    }

    @Test
    void mappedBytesGiveTheValueOfTheSameBytesInTheHeap(@TempDir Path folder) throws IOException {
        byte[] content = bytes(3 * PIECE_SIZE + 17);
        Path file = Files.write(folder.resolve("file"), content);
        int[] sizes = {0, 1, PIECE_SIZE - 1, PIECE_SIZE, PIECE_SIZE + 1, 2 * PIECE_SIZE, 3 * PIECE_SIZE + 17};
        try (OpenFile mapped =
                OpenFile.open(file, ReaderOptions.DEFAULT.withDisk(Disk.real()).withAccess(Access.MMAP))) {
            for (int size : sizes) {
                for (int offset : new int[] {0, 1, 7, content.length - size}) {
                    if (offset + size <= content.length) {
                        MemorySegment heap = MemorySegment.ofArray(content).asSlice(offset, size);
                        assertTrue(mapped.view(offset, size).isMapped());
                        assertEquals(Crc32c.of(heap), Crc32c.of(mapped.view(offset, size)));
                    }
                }
            }
        }
    }

    @Test
    void twoChecksumsCombineToThatOfBothRuns() {
        Random random = new Random(1);
        for (int round = 0; round < 300; round++) {
            byte[] bytes = new byte[random.nextInt(5000)];
            random.nextBytes(bytes);
            int cut = random.nextInt(bytes.length + 1);
            MemorySegment all = MemorySegment.ofArray(bytes);
            int first = Crc32c.of(all.asSlice(0, cut));
            int second = Crc32c.of(all.asSlice(cut));
            assertEquals(Crc32c.of(all), Crc32c.combine(first, second, bytes.length - cut));
        }
    }

    /// Appending a huge number of zeros at once gives the same result as appending them in several steps.
    @Test
    void checksumsOfVeryLongRunsCombine() {
        long length = (1L << 40) + 12_345;
        int zeros = Crc32c.of(MemorySegment.ofArray(new byte[1 << 20]));
        int doubled = zeros;
        for (int i = 20; i < 40; i++) {
            doubled = Crc32c.combine(doubled, doubled, 1L << i);
        }
        int rest = Crc32c.of(MemorySegment.ofArray(new byte[12_345]));
        int once = Crc32c.combine(0x12345678, Crc32c.combine(doubled, rest, 12_345), length);
        int twice = Crc32c.combine(Crc32c.combine(0x12345678, doubled, 1L << 40), rest, 12_345);
        assertEquals(once, twice);
    }
}
