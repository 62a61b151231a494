// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Any bytes at all are opened as a tree and read in every way: a [dev.penstock.DatasetException] is the worst
/// that may come.
///
/// A normal run replays the inputs below `src/test/resources`; `./check --fuzz` looks for new ones.
class TreeReaderFuzzTest {
    private static final String INPUTS = "/dev/penstock/tree/TreeReaderFuzzTestInputs/";
    private static final List<byte[]> KEYS =
            List.of(new byte[0], new byte[] {'a'}, new byte[] {'a', 'b', 'c'}, new byte[] {-1, 0, 1}, new byte[300]);

    @FuzzTest(maxDuration = "30s")
    void anyBytesAreReadOrRefused(byte[] bytes) throws IOException {
        new TreeProbe(KEYS).read(bytes, true);
        new TreeProbe(KEYS).read(bytes, false);
    }

    /// With a header and padding that fit, so that the search gets past them: the last node is the root.
    @FuzzTest(maxDuration = "30s")
    void anyArenaIsReadOrRefused(byte[] bytes) throws IOException {
        if (bytes.length < 2) {
            return;
        }
        byte[] arena = Arrays.copyOf(bytes, bytes.length - 1);
        int back = 1 + (bytes[bytes.length - 1] & 0xFF) % arena.length;
        byte[] file = ByteBuffer.allocate(16 + arena.length + 8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put("ACTree03".getBytes(StandardCharsets.US_ASCII))
                .putLong(16L + arena.length - back)
                .put(arena)
                .array();
        new TreeProbe(KEYS).read(file, true);
        new TreeProbe(KEYS).read(file, false);
    }

    /// Inputs in the wrong folder would never be replayed.
    @Test
    void theInputsAreWhereTheyAreReplayedFrom() throws Exception {
        for (String target : List.of("anyBytesAreReadOrRefused", "anyArenaIsReadOrRefused")) {
            assertNotNull(TreeReaderFuzzTest.class.getDeclaredMethod(target, byte[].class));
            Path folder = Path.of(
                    TreeReaderFuzzTest.class.getResource(INPUTS + target).toURI());
            try (Stream<Path> inputs = Files.list(folder)) {
                assertTrue(inputs.count() > 10, folder.toString());
            }
        }
    }
}
