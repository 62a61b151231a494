// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Figures;
import dev.penstock.Reason;
import dev.penstock.Seeds;
import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Files of paths are read and written; damage is told.
@ExtendWith(Seeds.class)
class PathsTest {
    private static List<byte[]> read(byte[] file) throws IOException {
        List<byte[]> paths = new ArrayList<>();
        try (PathsReader reader = PathsReader.open(Trees.PATH, new MemoryDisk().put(Trees.PATH, file))) {
            while (reader.next()) {
                paths.add(reader.path());
            }
        }
        return paths;
    }

    private static byte[] write(Iterable<byte[]> paths) throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(Trees.PATH.getParent());
        try (PathsWriter writer = PathsWriter.create(Trees.PATH, false, disk)) {
            for (byte[] path : paths) {
                writer.append(path);
            }
        }
        return disk.bytes(Trees.PATH);
    }

    private static void requireEqual(List<byte[]> expected, List<byte[]> actual) {
        assertEquals(
                expected.stream().map(HexFormat.of()::formatHex).toList(),
                actual.stream().map(HexFormat.of()::formatHex).toList());
    }

    static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(Trees.golden("files"))) {
            return files.filter(file -> file.toString().endsWith(".paths"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void theFilesOfTheOriginalAreReadAndWrittenAgain(Path file) throws IOException {
        String name = file.getFileName().toString().replace(".paths", "");
        List<byte[]> expected = TreeKeySets.get(name).keySet().stream()
                .filter(key -> key.length > 0)
                .toList();
        List<byte[]> paths = PathsReader.readAll(file);
        requireEqual(expected, paths);
        requireEqual(expected, read(write(paths)));
    }

    @Test
    void noPathsHaveTheKnownBytes() throws IOException {
        assertArrayEquals(HexFormat.of().parseHex("78da030000000001"), write(List.of()));
    }

    @Test
    void sizesAroundTheBuffersGoBothWays() throws IOException {
        Random random = Seeds.random();
        List<byte[]> paths = new ArrayList<>();
        for (int size : new int[] {0, 7, 2049, 4097, 24_000, 65_535, 65_536, 65_537, 1 << 20, 0, 1}) {
            byte[] path = new byte[size];
            random.nextBytes(path);
            paths.add(path);
        }
        for (int i = 0; i < 4000; i++) {
            paths.add(new byte[10 * (i % 10)]);
        }
        requireEqual(paths, read(write(paths)));
    }

    @Test
    void everyTruncationIsTold() throws IOException {
        byte[] whole = write(TreeKeySets.get("k16").keySet());
        for (int size = 0; size < whole.length; size++) {
            byte[] cut = Arrays.copyOf(whole, size);
            DatasetException refusal = assertThrows(DatasetException.Corrupt.class, () -> read(cut));
            assertEquals(Reason.TRUNCATED, refusal.reason(), "cut to " + size);
        }
        Figures.print("tree, truncations of a .paths file", whole.length);
    }

    @Test
    void everyBitFlipIsToldOrChangesNothing() throws IOException {
        List<byte[]> paths = List.copyOf(TreeKeySets.get("k16").keySet());
        byte[] whole = write(paths);
        int harmless = 0;
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                requireEqual(paths, read(flipped));
                harmless++;
            } catch (DatasetException.Corrupt e) {
                // This is the expected outcome.
            }
        }
        assertTrue(harmless < 8, harmless + " flips, where only the unused bits of one byte are harmless");
        Figures.print("tree, single-bit flips of a .paths file", 8L * whole.length);
    }

    @Test
    void trailingBytesAndInvalidStreamsAreReported() throws IOException {
        byte[] whole = write(List.of(new byte[] {1}));
        assertThrows(DatasetException.Corrupt.class, () -> read(Arrays.copyOf(whole, whole.length + 1)));
        assertThrows(DatasetException.Corrupt.class, () -> read("no zlib at all".getBytes()));
        assertThrows(DatasetException.Corrupt.class, () -> read(deflated(new byte[] {5, 0, 0, 0, 1, 2})));
        assertThrows(DatasetException.Corrupt.class, () -> read(deflated(new byte[] {5, 0, 0})));
        DatasetException refusal =
                assertThrows(DatasetException.Corrupt.class, () -> read(deflated(new byte[] {-1, -1, -1, -1, 1})));
        assertEquals(Reason.OUT_OF_RANGE, refusal.reason());
        assertTrue(refusal.getMessage().contains("4294967295"), refusal.getMessage());
    }

    private static byte[] deflated(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(out)) {
            deflater.write(bytes);
        }
        return out.toByteArray();
    }

    @Test
    void theKnowledgeBaseIsReadWhole() throws IOException {
        List<byte[]> paths = PathsReader.readAll(Trees.bigLogic());
        assertEquals(91_692, paths.size());
        assertEquals(4_965_877, paths.stream().mapToLong(path -> path.length).sum());
        requireEqual(paths.subList(0, 10), read(write(paths.subList(0, 10))));
        assertTrue(Disk.real().exists(Trees.bigLogic()));
    }
}
