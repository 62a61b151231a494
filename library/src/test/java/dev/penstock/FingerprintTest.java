// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.penstock.file.Access;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.OpenFile;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Seeds.class)
class FingerprintTest {
    private static final int BLOCK_SIZE = 4096;
    private static final int SAMPLED_SIZE = Fingerprint.SAMPLE_COUNT * BLOCK_SIZE;

    private final Random random = Seeds.random();

    private byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String all(byte[] bytes, String name, Access access) throws IOException {
        Path path = Path.of("/data", name);
        try (OpenFile file = OpenFile.open(
                path,
                ReaderOptions.DEFAULT
                        .withDisk(new MemoryDisk().put(path, bytes))
                        .withAccess(access))) {
            Fingerprint fingerprint = new Fingerprint("format 1");
            file.forEachPiece(0, bytes.length, fingerprint::add);
            return fingerprint.text();
        }
    }

    private static String sample(byte[] bytes, long offset, long byteCount) throws IOException {
        Path path = Path.of("/data/file");
        try (OpenFile file = OpenFile.open(
                path,
                ReaderOptions.DEFAULT
                        .withDisk(new MemoryDisk().put(path, bytes))
                        .withAccess(Access.READ))) {
            return new Fingerprint("format 1")
                    .addSample(byteCount, (at, target) -> file.read(offset + at, target))
                    .text();
        }
    }

    @Test
    void itIsTheFirstHalfOfASha256() throws Exception {
        byte[] bytes = bytes(10_000);
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update("format 1".getBytes());
        String expected = HexFormat.of().formatHex(digest.digest(bytes), 0, 16);
        assertEquals(expected, all(bytes, "file", Access.READ));
    }

    @Test
    void copiesElsewhereHaveTheSameOne() throws IOException {
        byte[] bytes = bytes(10_000);
        String expected = all(bytes, "here", Access.READ);
        assertEquals(expected, all(bytes.clone(), "elsewhere", Access.READ));
        assertEquals(expected, all(bytes, "here", Access.MMAP));
    }

    @Test
    void everyByteOfARangeMatters() throws IOException {
        byte[] bytes = bytes(5000);
        String expected = all(bytes, "file", Access.READ);
        for (int i = 0; i < bytes.length; i += 1 + random.nextInt(50)) {
            bytes[i]++;
            assertNotEquals(expected, all(bytes, "file", Access.READ), "byte " + i);
            bytes[i]--;
        }
    }

    @Test
    void theFormatMatters() {
        assertNotEquals(new Fingerprint("pack 1").text(), new Fingerprint("pack 2").text());
    }

    @Test
    void everyByteOfAShortRangeIsSampled() throws IOException {
        byte[] bytes = bytes(SAMPLED_SIZE);
        String expected = sample(bytes, 0, bytes.length);
        for (int i = 0; i < 100; i++) {
            int index = random.nextInt(bytes.length);
            bytes[index]++;
            assertNotEquals(expected, sample(bytes, 0, bytes.length), "byte " + index);
            bytes[index]--;
        }
    }

    @Test
    void bothEndsOfALongRangeAreSampled() throws IOException {
        int start = 1000;
        int size = 3 * SAMPLED_SIZE + 12_345;
        byte[] bytes = bytes(start + size + 1000);
        String expected = sample(bytes, start, size);
        int[] sampled = {start, start + BLOCK_SIZE - 1, start + size - BLOCK_SIZE, start + size - 1};
        for (int index : sampled) {
            bytes[index]++;
            assertNotEquals(expected, sample(bytes, start, size), "byte " + index);
            bytes[index]--;
        }
        for (int index : new int[] {start - 1, start + size}) {
            bytes[index]++;
            assertEquals(expected, sample(bytes, start, size), "byte " + index + " is outside");
            bytes[index]--;
        }
    }

    @Test
    void aShareOfALongRangeIsSampledEvenly() throws IOException {
        int size = 4 * SAMPLED_SIZE;
        byte[] bytes = bytes(size);
        String expected = sample(bytes, 0, size);
        int noticed = 0;
        int tries = 200;
        for (int i = 0; i < tries; i++) {
            int index = size / tries * i;
            bytes[index]++;
            noticed += expected.equals(sample(bytes, 0, size)) ? 0 : 1;
            bytes[index]--;
        }
        assertEquals(tries / 4.0, noticed, tries / 10.0, "of " + tries + " places a quarter is sampled");
    }
}
