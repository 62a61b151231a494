// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.penstock.DatasetException;
import dev.penstock.file.Access;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Any bytes at all as a shard, a safetensors file or a manifest: a [DatasetException] is the worst that may come.
///
/// A normal run replays the inputs below `src/test/resources`; `./check --fuzz` looks for new ones.
class ShardFuzzTest {
    private static final String INPUTS = "/dev/penstock/shards/ShardFuzzTestInputs/";
    private static final Path FOLDER = Path.of("/memory/corpus");

    @FuzzTest(maxDuration = "30s")
    void anyBytesAreAShardOrRefused(byte[] bytes) throws IOException {
        MemoryDisk disk = new MemoryDisk().put(FOLDER.resolve("a.shard"), bytes);
        ShardReader.Options lenient = ShardReader.Options.DEFAULT.withLenient(true);
        boolean isMapped = ShardProbe.read(disk, FOLDER, lenient);
        assertEquals(isMapped, ShardProbe.read(disk, FOLDER, lenient.withAccess(Access.READ)));
        ShardProbe.read(disk, FOLDER, ShardReader.Options.DEFAULT);
    }

    @FuzzTest(maxDuration = "30s")
    void anyBytesAreTensorsOrRefused(byte[] bytes) throws IOException {
        Path file = FOLDER.resolve("a.safetensors");
        ReaderOptions options = ReaderOptions.DEFAULT.withDisk(new MemoryDisk().put(file, bytes));
        try {
            for (FileRows input : Safetensors.open(Location.of(file), null, options)) {
                input.close();
            }
        } catch (DatasetException e) {
            assertNotNull(e.getMessage());
        }
    }

    @FuzzTest(maxDuration = "30s")
    void anyBytesAreAManifestOrRefused(byte[] bytes) throws IOException {
        MemoryDisk disk = new MemoryDisk()
                .put(FOLDER.resolve("manifest.json"), bytes)
                .put(FOLDER.resolve("corpus.json"), bytes)
                .put(FOLDER.resolve("stats.json"), bytes)
                .put(FOLDER.resolve("a.shard"), Shards.counting(2, 2, 0))
                .put(FOLDER.resolve("shard_00000.bf16"), new byte[12]);
        try {
            for (FileRows input : ResidualFolder.open(Location.of(FOLDER), ReaderOptions.DEFAULT.withDisk(disk))) {
                input.close();
            }
        } catch (DatasetException e) {
            assertNotNull(e.getMessage());
        }
        ShardProbe.read(disk, FOLDER, ShardReader.Options.DEFAULT);
        ShardReader.Options lenient = ShardReader.Options.DEFAULT.withDisk(disk).withLenient(true);
        try (ShardReader reader = ShardReader.open(FOLDER, lenient)) {
            ShardStats.read(reader);
        } catch (DatasetException e) {
            assertNotNull(e.getMessage());
        }
    }

    /// Inputs in the wrong folder would never be replayed.
    @Test
    void theInputsAreWhereTheyAreReplayedFrom() throws Exception {
        for (String target : new String[] {
            "anyBytesAreAShardOrRefused", "anyBytesAreTensorsOrRefused", "anyBytesAreAManifestOrRefused"
        }) {
            assertNotNull(ShardFuzzTest.class.getDeclaredMethod(target, byte[].class));
            Path folder =
                    Path.of(ShardFuzzTest.class.getResource(INPUTS + target).toURI());
            try (Stream<Path> inputs = Files.list(folder)) {
                assertTrue(inputs.count() >= 5, folder.toString());
            }
        }
    }
}
