// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.penstock.file.Crc32c;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Any bytes at all are read as a run: a [dev.penstock.DatasetException] is the worst that may come.
///
/// A normal run replays the inputs below `src/test/resources`; `./check --fuzz` looks for new ones.
class RunFuzzTest {
    private static final String INPUTS = "/dev/penstock/game2048/RunFuzzTestInputs/";

    @FuzzTest(maxDuration = "30s")
    void anyBytesAreARunOfVersion2OrRefused(byte[] bytes) {
        RunProbe.isRefused(bytes);
    }

    /// With a magic and a checksum that fit, so that the search gets past them.
    @FuzzTest(maxDuration = "30s")
    void anyBytesAreARunOfVersion1OrRefused(byte[] bytes) {
        if (bytes.length >= RunFormat.V1_HEADER_SIZE + RunFormat.CRC_SIZE) {
            RunBytes.U32.set(bytes, 0, RunFormat.V1_MAGIC);
            int limit = bytes.length - RunFormat.CRC_SIZE;
            RunBytes.U32.set(
                    bytes, limit, Crc32c.of(MemorySegment.ofArray(bytes).asSlice(0, limit)));
        }
        RunProbe.isRefused(bytes);
    }

    /// Inputs in the wrong folder would never be replayed.
    @Test
    void theInputsAreWhereTheyAreReplayedFrom() throws Exception {
        for (String target :
                new String[] {"anyBytesAreARunOfVersion2OrRefused", "anyBytesAreARunOfVersion1OrRefused"}) {
            assertNotNull(RunFuzzTest.class.getDeclaredMethod(target, byte[].class));
            Path folder = Path.of(RunFuzzTest.class.getResource(INPUTS + target).toURI());
            try (Stream<Path> inputs = Files.list(folder)) {
                assertTrue(inputs.count() > 5, folder.toString());
            }
        }
    }
}
