// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.penstock.file.Access;
import dev.penstock.pack.PackProbe.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Any bytes at all are opened as a pack and read in every way: a [dev.penstock.DatasetException] is the worst
/// that may come.
///
/// A normal run replays the inputs below `src/test/resources`; `./check --fuzz` looks for new ones.
class PackReaderFuzzTest {
    private static final String INPUTS = "/dev/penstock/pack/PackReaderFuzzTestInputs/";

    @FuzzTest(maxDuration = "30s")
    void anyBytesAreReadOrRefused(byte[] bytes) throws IOException {
        requireReadOrRefused(bytes);
    }

    /// With checksums that fit, so that the search gets past them.
    @FuzzTest(maxDuration = "30s")
    void anyBytesWithFittingChecksumsAreReadOrRefused(byte[] bytes) throws IOException {
        Packs.repair(bytes);
        requireReadOrRefused(bytes);
    }

    private static void requireReadOrRefused(byte[] bytes) throws IOException {
        try (PackProbe probe = new PackProbe()) {
            Outcome mapped = probe.read(() -> Packs.open(bytes, Access.MMAP), null);
            Outcome read = probe.read(() -> Packs.open(bytes, Access.READ), null);
            assertTrue(mapped == read, "mapped and read differ");
        }
    }

    /// Inputs in the wrong folder would never be replayed.
    @Test
    void theInputsAreWhereTheyAreReplayedFrom() throws Exception {
        for (String target :
                new String[] {"anyBytesAreReadOrRefused", "anyBytesWithFittingChecksumsAreReadOrRefused"}) {
            assertNotNull(PackReaderFuzzTest.class.getDeclaredMethod(target, byte[].class));
            Path folder = Path.of(
                    PackReaderFuzzTest.class.getResource(INPUTS + target).toURI());
            try (Stream<Path> inputs = Files.list(folder)) {
                assertTrue(inputs.count() > 10, folder.toString());
            }
        }
    }
}
