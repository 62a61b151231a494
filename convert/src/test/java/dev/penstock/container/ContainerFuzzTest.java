// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.penstock.DatasetException;
import dev.penstock.convert.BadInput;
import dev.penstock.convert.BadRecords;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Any bytes at all are read as the files of other libraries: an error that names the file is the worst that may
/// come.
///
/// A normal run replays the inputs below `src/test/resources`; `./check --fuzz` looks for new ones.
class ContainerFuzzTest {
    private static final Path FOLDER = Path.of("/data");

    private static void read(MemoryDisk disk, Path path, String decoded) throws IOException {
        try {
            SourceOptions options = SourceOptions.DEFAULT.withBad(BadRecords.skipped());
            Containers.read(disk, path, decoded == null ? options : options.withDecoded(Set.of(decoded)));
        } catch (DatasetException | BadInput e) {
            // Refused.
        }
    }

    @FuzzTest(maxDuration = "30s")
    void anyTarIsReadOrRefused(byte[] bytes) throws IOException {
        Path file = FOLDER.resolve("x.tar");
        read(new MemoryDisk().put(file, bytes), file, null);
        // With the checksum that its first header needs, so that the search need not find it.
        if (bytes.length >= TarHeader.SIZE) {
            byte[] fixed = bytes.clone();
            int sum = 8 * ' ';
            for (int i = 0; i < TarHeader.SIZE; i++) {
                sum += i >= 148 && i < 156 ? 0 : fixed[i] & 0xff;
            }
            byte[] digits = String.format("%06o\0 ", sum).getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(digits, 0, fixed, 148, digits.length);
            read(new MemoryDisk().put(file, fixed), file, "all");
        }
    }

    /// The bytes are the data of a record with both CRCs.
    @FuzzTest(maxDuration = "30s")
    void anyExampleIsReadOrRefused(byte[] bytes) throws IOException {
        Path file = FOLDER.resolve("x.tfrecord");
        read(new MemoryDisk().put(file, TfFrames.frame(bytes)), file, null);
        read(new MemoryDisk().put(file, bytes), file, null);
    }

    @FuzzTest(maxDuration = "30s")
    void anyShardOfMdsIsReadOrRefused(byte[] bytes) throws IOException {
        MemoryDisk disk = Containers.disk();
        disk.put(Containers.FOLDER.resolve("mds/shard.00000.mds"), bytes);
        read(disk, Containers.FOLDER.resolve("mds"), null);
    }

    @FuzzTest(maxDuration = "30s")
    void anyIndexOfMegatronIsReadOrRefused(byte[] bytes) throws IOException {
        MemoryDisk disk = Containers.disk();
        disk.put(Containers.FOLDER.resolve("tokens.idx"), bytes);
        read(disk, Containers.FOLDER.resolve("tokens.bin"), null);
    }

    @Test
    void theFilesThatAreSearchedFromAreRecognised() throws IOException {
        for (String name : Containers.ALL) {
            Path path = Containers.FOLDER.resolve(name);
            assertTrue(
                    Containers.read(Containers.disk(), path, SourceOptions.DEFAULT)
                                    .size()
                            > 1,
                    name);
        }
    }
}
