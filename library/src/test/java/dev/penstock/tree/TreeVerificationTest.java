// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import dev.penstock.contract.VerificationContract;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A tree with many values that are stored in more bytes than they need, with keys out of order in the node that
/// is reached last.
class TreeVerificationTest implements VerificationContract {
    private static byte[] file(long root, byte[] arena) {
        return ByteBuffer.allocate(16 + arena.length + 8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put("ACTree03".getBytes(StandardCharsets.US_ASCII))
                .putLong(root)
                .put(arena)
                .array();
    }

    /// A chain of nodes, the last of which has two children.
    @Override
    public Verification verifyDamaged(Path folder, int warningCount, boolean hasError) throws IOException {
        ByteArrayOutputStream arena = new ByteArrayOutputStream();
        byte[] keys = hasError ? new byte[] {'b', 'a'} : new byte[] {'a', 'b'};
        arena.writeBytes(new byte[] {0x40, 1, 0x40, 2});
        arena.writeBytes(new byte[] {0x02, 4, keys[0], keys[1]});
        int childSize = 4;
        for (int i = 0; i < warningCount; i++) {
            // One child, and the value 5 as a number of two bytes.
            arena.writeBytes(new byte[] {0x41, (byte) 0xF8, 5, (byte) childSize, 'x'});
            childSize = 5;
        }
        return verify(file(16 + arena.size() - childSize, arena.toByteArray()));
    }

    private static Verification verify(byte[] file) throws IOException {
        try (TreeReader tree = Trees.open(file, false)) {
            return tree.verify(Progress.NONE);
        }
    }

    /// The root has an oddity that lenient readers accept, and behind it in the same node an error: a value of two
    /// bytes before keys out of order, once in a short list and once in a long one, and a line with unused bits
    /// that shares its last byte with its parent.
    @ParameterizedTest
    @CsvSource({
        "20, 40 01 40 02 42 f8 05 04 62 61, UNSORTED",
        "20, 40 01 40 02 42 f8 05 f8 04 62 61, UNSORTED",
        "34, 40 00 40 00 40 00 40 00 40 00 40 00 40 00 40 00 40 00 49 f8 05 12 61 62 63 64 65 66 67 68 61, UNSORTED",
        "83, 01 61 ZEROS c2 05 41 07 02 61, OVERLAP"
    })
    void anOddityDoesNotHideAnErrorInTheSameNode(long root, String arena, Reason reason) throws IOException {
        byte[] nodes =
                HexFormat.of().parseHex(arena.replace(" ", "").replace("ZEROS", "00".repeat(63)) + "00".repeat(40));
        Verification verification = verify(file(root, nodes));
        assertFalse(verification.isOk(), verification.toString());
        assertEquals(
                1,
                verification.problems().stream()
                        .filter(problem -> problem.reason().equals(reason))
                        .count(),
                verification.toString());
    }
}
