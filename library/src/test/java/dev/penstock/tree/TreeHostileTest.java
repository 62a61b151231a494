// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Hostile trees: reading each of them ends quickly, with an error or an answer.
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class TreeHostileTest {
    private static byte[] file(long root, byte[] arena) {
        return ByteBuffer.allocate(16 + arena.length + 8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put("ACTree03".getBytes(StandardCharsets.US_ASCII))
                .putLong(root)
                .put(arena)
                .array();
    }

    private static byte[] file(long root, String arena) {
        return file(root, HexFormat.of().parseHex(arena.replace(" ", "")));
    }

    /// Nodes, the offset of the root, and why the tree is refused.
    @ParameterizedTest
    @CsvSource({
        "18, 40 00 02 02 00 01, OVERLAP",
        "16, 21 00 61, UNKNOWN_KIND",
        "16, 3f 00 61, UNKNOWN_KIND",
        "16, 01 00 61, OUT_OF_RANGE",
        "16, 01 01 61, OUT_OF_RANGE",
        "16, 01 ff ff ff ff ff ff ff ff ff 61, OUT_OF_RANGE",
        "18, 40 00 02 02 62 61, UNSORTED",
        "20, 40 00 40 00 02 04 61 61, UNSORTED",
        "18, 00 00 80 02, OUT_OF_RANGE",
        "18, 09 61 80 02, OUT_OF_RANGE",
        "18, 01 61 c2 05 02, UNKNOWN_FLAGS",
        "20, 01 61 40 01 c1 05 02 04, NOT_CANONICAL",
        "18, 40 00 20 02 00 01, NOT_CANONICAL",
        "16, 40 f8 05, NOT_CANONICAL",
        "9, 00, OUT_OF_RANGE",
        "0, 00, TRUNCATED",
        "9223372036854775807, 00, OUT_OF_RANGE",
        "-1, 00, OUT_OF_RANGE"
    })
    void aHostileNodeIsRefused(long root, String arena, Reason reason) {
        DatasetException refusal = assertThrows(DatasetException.Corrupt.class, () -> {
            byte[] padding = new byte[40];
            byte[] file = file(root, arena + HexFormat.of().formatHex(padding));
            try (TreeReader tree = Trees.open(file)) {
                Trees.read(tree.scan());
            }
        });
        assertEquals(reason, refusal.reason(), refusal.getMessage());
        assertTrue(refusal.getMessage().startsWith(Trees.PATH + ": "), refusal.getMessage());
    }

    @Test
    void lookupsRefuseALoopToo() throws IOException {
        byte[] file = file(18, "40 00 02 02 00 01");
        for (boolean isStrict : new boolean[] {true, false}) {
            try (TreeReader tree = Trees.open(file, isStrict)) {
                assertEquals(0, tree.get(new byte[] {0}).getAsLong());
                assertThrows(DatasetException.Corrupt.class, () -> tree.get(new byte[] {1, 1, 1, 1}));
                assertThrows(
                        DatasetException.Corrupt.class, () -> tree.get(List.of(new byte[] {1, 1}), new long[1], 0));
                assertThrows(DatasetException.Corrupt.class, () -> tree.children(new byte[] {1, 1, 1}));
            }
        }
    }

    @Test
    void aScanThatFailedFailsAgain() throws IOException {
        try (TreeReader tree = Trees.open(file(30, "04 7461696c c00105 c002f7 c0030b 0309616263"))) {
            TreeScan scan = tree.scan();
            assertTrue(scan.next());
            assertThrows(DatasetException.Corrupt.class, scan::next);
            assertThrows(DatasetException.Corrupt.class, scan::next);
        }
    }

    /// Each level has 256 children that are the same run: more paths than a number holds.
    private static byte[] bomb(int levels) {
        ByteArrayOutputStream arena = new ByteArrayOutputStream();
        for (int i = 0; i < 256; i++) {
            arena.writeBytes(new byte[] {0x40, 0});
        }
        int runSize = 512;
        byte[] number = new byte[Varint.SIZE_MAX];
        for (int level = 0; level <= levels; level++) {
            int runStart = arena.size() - runSize;
            int start = arena.size();
            for (int i = 0; i < (level == levels ? 1 : 256); i++) {
                arena.write(0x20);
                arena.write(number, 0, Varint.write(number, 0, arena.size() - 1 - runStart));
                for (int j = 0; j < 32; j++) {
                    arena.write(0xFF);
                }
            }
            runSize = arena.size() - start;
        }
        return file(16 + arena.size() - runSize, arena.toByteArray());
    }

    @Test
    void moreSharedPathsThanCanBeCountedAreCountedAtOnce() throws IOException {
        try (TreeReader tree = Trees.open(bomb(3))) {
            assertEquals(1L << 32, tree.count());
            assertEquals(4, tree.stats().longestPathSize());
            assertEquals(1L << 8, tree.count(new byte[] {1, 2, 3}));
        }
        try (TreeReader tree = Trees.open(bomb(100))) {
            assertEquals(Long.MAX_VALUE, tree.count());
            assertTrue(tree.verify(Progress.NONE).isOk());
            assertEquals(101, tree.stats().longestPathSize());
            assertEquals(0, tree.get(new byte[101]).getAsLong());
            assertTrue(tree.scan().next());
        }
    }

    @Test
    void linesThatShareTheirDataCannotAskForAnEndlessPath() throws IOException {
        ByteArrayOutputStream arena = new ByteArrayOutputStream();
        byte[] number = new byte[Varint.SIZE_MAX];
        int segmentSize = 1 << 20;
        arena.write(number, 0, Varint.write(number, 0, segmentSize));
        arena.writeBytes(new byte[segmentSize]);
        int last = arena.size();
        arena.writeBytes(new byte[] {0x40, 1});
        for (int i = 0; i < 200; i++) {
            int here = arena.size();
            arena.write(0x81);
            arena.write(number, 0, Varint.write(number, 0, here - last));
            arena.write(number, 0, Varint.write(number, 0, here));
            last = here;
        }
        try (TreeReader tree = Trees.open(file(16 + last, arena.toByteArray()))) {
            DatasetException refusal = assertThrows(
                    DatasetException.Corrupt.class, () -> tree.scan().next());
            assertEquals(Reason.SIZE_OVERFLOW, refusal.reason());
            assertEquals(1, tree.count());
        }
    }

    @Test
    void aChainOfAMillionNodesIsFollowed() throws IOException {
        ByteArrayOutputStream arena = new ByteArrayOutputStream();
        arena.writeBytes(new byte[] {0x40, 1});
        arena.writeBytes(new byte[] {1, 2, 'x'});
        for (int i = 0; i < 1_000_000; i++) {
            arena.writeBytes(new byte[] {1, 3, 'x'});
        }
        try (TreeReader tree = Trees.open(file(16 + arena.size() - 3, arena.toByteArray()))) {
            TreeScan scan = tree.scan();
            assertTrue(scan.next());
            assertEquals(1_000_001, scan.pathSize());
            assertFalse(scan.next());
            assertEquals(1, tree.count());
            assertEquals(1, tree.get(scan.path()).getAsLong());
            assertTrue(tree.position(scan.path()).exists());
            assertTrue(tree.verify(Progress.NONE).isOk());
        }
    }

    @Test
    void verifyTellsWhatCanBeReadFromWhatCannot() throws IOException {
        byte[] odd = file(18, "01 61 c2 05 02");
        try (TreeReader tree = Trees.open(odd, false)) {
            Verification verification = tree.verify(Progress.NONE);
            assertTrue(verification.isOk());
            assertEquals(
                    Reason.UNKNOWN_FLAGS, verification.problems().getFirst().reason());
        }
        byte[] loop = file(18, "40 00 02 02 00 01");
        try (TreeReader tree = Trees.open(loop)) {
            Verification verification = tree.verify(Progress.NONE);
            assertFalse(verification.isOk());
            assertEquals(Reason.OVERLAP, verification.problems().getFirst().reason());
        }
        byte[] padding = file(16, "40 07");
        padding[padding.length - 1] = 1;
        assertThrows(DatasetException.Corrupt.class, () -> Trees.open(padding));
        try (TreeReader tree = Trees.open(padding, false)) {
            assertEquals(7, tree.get(new byte[0]).getAsLong());
            assertEquals(
                    Reason.NONZERO_PADDING,
                    tree.verify(Progress.NONE).problems().getFirst().reason());
        }
    }
}
