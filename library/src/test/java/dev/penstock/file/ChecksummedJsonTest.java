// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChecksummedJsonTest {
    private static final Path FILE = Path.of("/data/file.json");

    private final MemoryDisk disk = new MemoryDisk().addFolder(FILE.getParent());

    private static Map<String, Object> values() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("name", "größe");
        values.put("numbers", List.of(1L, 2L));
        return values;
    }

    @Test
    void whatWasPublishedIsRead() throws IOException {
        assertNull(ChecksummedJson.read(disk, FILE));
        assertNull(ChecksummedJson.read(disk, FILE.getParent()));
        ChecksummedJson.publish(disk, FILE, ChecksummedJson.write(values()));
        byte[] bytes = ChecksummedJson.read(disk, FILE);
        assertArrayEquals(ChecksummedJson.write(values()), bytes);
        Map<?, ?> read = ChecksummedJson.parse(bytes);
        assertEquals("größe", read.get("name"));
        assertEquals(List.of(1L, 2L), read.get("numbers"));
        ChecksummedJson.publish(disk, FILE, ChecksummedJson.write(Map.of()));
        assertTrue(ChecksummedJson.isIntact(ChecksummedJson.read(disk, FILE)));
    }

    /// Another process may take the file away for a moment while it changes other files.
    @Test
    void aFileThatIsAbsentForAMomentIsRead() throws IOException {
        Path path = Path.of("/folder/file.json");
        MemoryDisk memory = new MemoryDisk().addFolder(path.getParent());
        ChecksummedJson.publish(memory, path, ChecksummedJson.write(Map.of("a", 1L)));
        Disk changing = new ForwardingDisk(memory) {
            private boolean wasOpened;

            @Override
            public Readable open(Path file) throws IOException {
                if (!wasOpened) {
                    wasOpened = true;
                    throw new NoSuchFileException(file.toString());
                }
                return super.open(file);
            }
        };
        assertEquals(
                1L, ChecksummedJson.parse(ChecksummedJson.read(changing, path)).get("a"));
    }

    /// The form of files that other versions of this program wrote.
    @Test
    void theBytesAreFixed() {
        String text = "{\"a\":1,\"crc32c\":\"9f4b3a2d\"}\n";
        byte[] bytes = ChecksummedJson.write(Map.of("a", 1));
        assertEquals(text.replaceAll("[0-9a-f]{8}", "x"), new String(bytes).replaceAll("[0-9a-f]{8}", "x"));
        int crc = Crc32c.of(java.lang.foreign.MemorySegment.ofArray("{\"a\":1,".getBytes(StandardCharsets.UTF_8)));
        assertTrue(new String(bytes).contains("\"" + ChecksummedJson.hex(crc) + "\""));
    }

    @Test
    void everyFlippedBitOfTheValuesAndTheChecksumIsNoticed() {
        byte[] bytes = ChecksummedJson.write(values());
        int end = new String(bytes, StandardCharsets.ISO_8859_1).lastIndexOf("\"}") + 2;
        for (int i = 0; i < end * 8; i++) {
            byte[] flipped = bytes.clone();
            flipped[i / 8] ^= (byte) (1 << i % 8);
            assertFalse(ChecksummedJson.isIntact(flipped), "bit " + i);
            assertThrows(IllegalArgumentException.class, () -> ChecksummedJson.parse(flipped));
        }
    }

    @Test
    void everyTruncationIsNoticed() {
        byte[] bytes = ChecksummedJson.write(values());
        for (int size = 0; size < bytes.length - 1; size++) {
            byte[] cut = java.util.Arrays.copyOf(bytes, size);
            assertFalse(ChecksummedJson.isIntact(cut), size + " bytes");
        }
    }

    @Test
    void whatCouldNotBeReadAgainIsRefused() {
        Map<String, Object> large = Map.of("text", "x".repeat(Json.SIZE_MAX));
        assertThrows(IllegalArgumentException.class, () -> ChecksummedJson.write(large));
    }
}
