// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Bytes that are known from the original's specification, one small case each.
class TreeVectorTest {
    private static final String K16_ARENA =
            "40 0c 40 0d 1b" + " 61".repeat(27) + " 02 20 62 63 03 72 6f 77 81 08 24 c0 00 07 03 61 61 61 03 63 63 63"
                    + " c0 0e 08 c0 0f 07 18" + " 62".repeat(24) + " 02 1f 61 63 01 77 81 06 1f c0 01 05"
                    + " 05 61 6e 6e 6f 6e 01 69 01 73 40 04 c0 05 04 01 6e 42 03 07 65 75 03 6c 75 73 c0 0b 14 81 0c 0e"
                    + " c0 06 0a 01 6d 03 0b 27 61 75 c0 07 22 40 08 04 6e 64 75 73 c0 09 25 c0 0a 08 01 63 02 08 6f 75"
                    + " 02 16 6e 72 81 08 0a 01 62 02 09 65 69 81 28 2a 81 07 09 02 8c 61 72 02 5d 62 6f c0 02 5b"
                    + " 02 11 6f 75 04 0f 61 62 63 72";

    private static byte[] file(long root, String arena) {
        byte[] nodes = HexFormat.of().parseHex(arena.replaceAll("[ |]", ""));
        return ByteBuffer.allocate(16 + nodes.length + 8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put("ACTree03".getBytes(StandardCharsets.US_ASCII))
                .putLong(root)
                .put(nodes)
                .array();
    }

    private static void requireBytes(byte[] expected, SortedMap<byte[], Long> map, String writer) throws IOException {
        byte[] actual = Trees.bytes(map, List.of(), Trees.options(writer));
        assertEquals(HexFormat.of().formatHex(expected), HexFormat.of().formatHex(actual));
        try (TreeReader tree = Trees.open(actual)) {
            assertEquals(Trees.text(map), Trees.text(Trees.read(tree.scan())));
        }
    }

    @Test
    void smallMapsHaveTheKnownBytes() throws IOException {
        requireBytes(file(0x10, "00"), TreeKeySets.empty(), "w1");
        requireBytes(file(0x10, "40 07"), TreeKeySets.of("", 7), "w1");
        requireBytes(file(0x12, "01 61 | c0 01 02"), TreeKeySets.of("a", 1), "w1");
        requireBytes(file(0x12, "40 01 | 01 02 61"), TreeKeySets.of("a", 1), "w2");
        requireBytes(file(0x18, "40 02 | 01 61 | 41 01 04 62 | 81 04 06"), TreeKeySets.of("a", 1, "ab", 2), "w1");
        requireBytes(file(0x16, "40 02 | 41 01 02 62 | 41 07 04 61"), TreeKeySets.of("", 7, "a", 1, "ab", 2), "w1");
        requireBytes(
                file(0x1e, "04 74 61 69 6c | c0 01 05 | c0 02 08 | c0 03 0b | 03 09 61 62 63"),
                TreeKeySets.get("tail3"),
                "w1");
        requireBytes(file(0xd3, K16_ARENA), TreeKeySets.get("k16"), "w1");
        requireBytes(file(0xd3, K16_ARENA), TreeKeySets.get("k16"), "w2");
    }

    @Test
    void manyChildrenAndLongLinesHaveTheKnownBytes() throws IOException {
        byte[] of31 = Trees.bytes(TreeKeySets.get("bytes31"));
        assertEquals(119, of31.length);
        assertArrayEquals(new byte[] {0x1F, 0x3E, 0, 1}, Arrays.copyOfRange(of31, 0x4E, 0x52));
        byte[] of32 = Trees.bytes(TreeKeySets.get("bytes32"));
        assertEquals(122, of32.length);
        assertArrayEquals(new byte[] {0x20, 0x40, -1, -1, -1, -1, 0}, Arrays.copyOfRange(of32, 0x50, 0x57));
        byte[] of256 = Trees.bytes(TreeKeySets.get("bytes256"));
        assertEquals(580, of256.length);
        assertEquals("70d8d414c6fe1ac7e237e7e7bd0de19d8453f2e37effc479fdaba2706894f2c6", Trees.sha256(of256));
        requireBytes(file(0x108, "f7" + "78".repeat(247) + "c0 01 f8 f8"), TreeKeySets.get("x247"), "w1");
        requireBytes(file(0x10a, "f8 f8" + "78".repeat(248) + "c0 01 f8 fa"), TreeKeySets.get("x248"), "w1");
    }

    @Test
    void pathsWithoutValuesHaveTheKnownBytes() throws IOException {
        byte[] expected = file(0x17, "01 63 | 40 01 | 80 04 | 00 | 03 05 61 62 64");
        List<byte[]> created = List.of(TreeKeySets.bytes("bc"), TreeKeySets.bytes("d"));
        byte[] actual = Trees.bytes(TreeKeySets.of("a", 1), created, TreeWriter.Options.DEFAULT);
        assertArrayEquals(expected, actual);
    }

    @Test
    void denseTreesHaveTheKnownBytes() throws IOException {
        byte[] narrow = Trees.bytes(TreeKeySets.get("narrow_200k"), List.of(), Trees.options("w2"));
        assertEquals(806_294, narrow.length);
        assertEquals("c5701e6ab63330740423a1baf51d04d5195dcd25e7b420af02b2634a5642fadd", Trees.sha256(narrow));
        byte[] wide = Trees.bytes(TreeKeySets.get("wide_200k"), List.of(), Trees.options("w2"));
        assertEquals(428_724, wide.length);
        assertEquals("0e80bab47dbf21033f24d1937636495c2a2651519dfe3c805da0e1b163593e12", Trees.sha256(wide));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 00",
        "100, 64",
        "247, f7",
        "248, f8f8",
        "255, f8ff",
        "256, f90001",
        "1000, f9e803",
        "65535, f9ffff",
        "65536, fa000001",
        "16777215, faffffff",
        "16777216, fb00000001",
        "4294967295, fbffffffff",
        "4294967296, fc0000000001",
        "1099511627776, fd000000000001",
        "281474976710656, fe00000000000001",
        "72057594037927936, ff0000000000000001",
        "18446744073709551615, ffffffffffffffffff"
    })
    void numbersHaveTheKnownBytes(String number, String hex) {
        long value = Long.parseUnsignedLong(number);
        byte[] bytes = new byte[Varint.SIZE_MAX];
        int size = Varint.write(bytes, 0, value);
        assertEquals(hex, HexFormat.of().formatHex(bytes, 0, size));
        assertEquals(size, Varint.sizeOf(value));
        assertEquals(size, Varint.sizeFrom(bytes[0] & 0xFF));
        byte[] padded = Arrays.copyOf(bytes, 40);
        TreeBytes reading = new TreeBytes(Location.of(Trees.PATH), MemorySegment.ofArray(padded), true);
        assertEquals(value, reading.varint(0));
        byte[] exact = Arrays.copyOf(bytes, size);
        assertEquals(value, new TreeBytes(Location.of(Trees.PATH), MemorySegment.ofArray(exact), true).varint(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"f805", "f9f700", "fa010000", "ff0100000000000000"})
    void aNumberOfTooManyBytesIsRefusedByAStrictReaderOnly(String hex) {
        MemorySegment bytes = MemorySegment.ofArray(HexFormat.of().parseHex(hex));
        DatasetException refusal = Assertions.assertThrows(
                DatasetException.Corrupt.class, () -> new TreeBytes(Location.of(Trees.PATH), bytes, true).varint(0));
        assertEquals(Reason.NOT_CANONICAL, refusal.reason());
        new TreeBytes(Location.of(Trees.PATH), bytes, false).varint(0);
    }

    @Test
    void absentPathsBesideAndBelowAreAbsent() throws IOException {
        try (TreeReader tree = Trees.open(Trees.bytes(TreeKeySets.get("bdf")))) {
            for (String absent : List.of("a", "c", "e", "g", "z", "bx", "")) {
                assertFalse(tree.contains(TreeKeySets.bytes(absent)), absent);
            }
            assertEquals(2, tree.get(TreeKeySets.bytes("d"), -1));
            assertEquals(-1, tree.get(TreeKeySets.bytes("c"), -1));
        }
        try (TreeReader tree = Trees.open(Trees.bytes(TreeKeySets.get("bytes256")))) {
            assertFalse(tree.contains(new byte[] {0, 0}));
            assertEquals(256, tree.children(new byte[0]).length);
        }
    }

    @Test
    void theOldVersionsSayThatTheyMustBeMadeAgain() {
        for (String version : List.of("01", "02")) {
            byte[] old = file(0x10, "00");
            System.arraycopy(version.getBytes(StandardCharsets.US_ASCII), 0, old, 6, 2);
            DatasetException.UnsupportedVersion refusal =
                    Assertions.assertThrows(DatasetException.UnsupportedVersion.class, () -> Trees.open(old));
            assertTrue(refusal.getMessage().contains("must be regenerated"), refusal.getMessage());
        }
    }

    @Test
    void keysOfTheSharedTrieTests() throws IOException {
        SortedMap<byte[], Long> map = TreeKeySets.empty();
        for (int i = 1; i < 50; i++) {
            map.put(TreeKeySets.bytes("a".repeat(37 * i)), (long) i);
        }
        try (TreeReader tree = Trees.open(Trees.bytes(map))) {
            assertEquals(Trees.text(map), Trees.text(Trees.read(tree.scan())));
            assertEquals(49, tree.count(TreeKeySets.bytes("a")));
            assertEquals(40, tree.count(TreeKeySets.bytes("a".repeat(37 * 10))));
        }
        SortedMap<byte[], Long> threeBytes = TreeKeySets.empty();
        IntStream.range(0, 65_536).forEach(i -> threeBytes.put(new byte[] {(byte) (i >> 8), (byte) i, 7}, (long) i));
        byte[] plain = Trees.bytes(threeBytes);
        try (TreeReader tree = Trees.open(plain)) {
            assertEquals(65_536, tree.count());
        }
    }
}
