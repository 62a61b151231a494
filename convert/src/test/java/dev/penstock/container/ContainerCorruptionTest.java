// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.DatasetException;
import dev.penstock.Seeds;
import dev.penstock.convert.BadInput;
import dev.penstock.convert.BadRecords;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Truncated and damaged files of other libraries end in an error that names them, or in other values; never in a
/// crash.
class ContainerCorruptionTest {
    private static final int CHANGES = 100;

    /// Reads a file with other bytes, decoding everything, with bad records as errors and left out.
    private static void probe(MemoryDisk disk, Path file, Path source, byte[] bytes) throws IOException {
        disk.put(file, bytes);
        SourceOptions options = SourceOptions.DEFAULT;
        for (BadRecords bad : List.of(BadRecords.REFUSED, BadRecords.skipped())) {
            for (Set<String> decoded : List.of(Set.<String>of(), Set.of("all"), Set.of("raw"))) {
                try {
                    Containers.read(disk, source, options.withBad(bad).withDecoded(decoded));
                } catch (DatasetException | BadInput | IllegalArgumentException | NoSuchFileException e) {
                    // Refused. An illegal argument is a word that the kind does not decode, or a wrong combination.
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "samples.tar",
                "pax.tar.zst",
                "gnu.tar.gz",
                "ustar.tar",
                "examples.tfrecord",
                "sequences.tfrecord",
                "raw.tfrecord",
                "tokens.idx",
                "sentences.idx",
                "sentences.bin",
                "mds/index.json",
                "mds/shard.00000.mds",
                "mds-zstd/shard.00000.mds.zstd",
                "litdata/index.json",
                "litdata/chunk-0-0.bin"
            })
    void changedBytesAreReadOrRefused(String name) throws IOException {
        MemoryDisk disk = Containers.disk();
        Path file = Containers.FOLDER.resolve(name);
        Path source = name.contains("/") ? file.getParent() : file;
        byte[] good = disk.bytes(file);
        Random random = Seeds.random();
        for (int i = 0; i < CHANGES; i++) {
            byte[] bytes = good.clone();
            int flips = 1 + random.nextInt(3);
            for (int j = 0; j < flips; j++) {
                bytes[random.nextInt(bytes.length)] = (byte) (random.nextBoolean() ? random.nextInt() : -1);
            }
            probe(
                    disk,
                    file,
                    source,
                    random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes);
        }
    }

    @Test
    void truncationAtEveryByteIsRefused() throws IOException {
        for (String name : List.of("raw.tfrecord", "examples.tfrecord", "sequences.tfrecord")) {
            MemoryDisk disk = Containers.disk();
            Path file = Containers.FOLDER.resolve(name);
            byte[] good = disk.bytes(file);
            List<String> all = Containers.read(disk, file, SourceOptions.DEFAULT);
            for (int size = 12; size < good.length; size++) {
                disk.put(file, Arrays.copyOf(good, size));
                try {
                    // Between two records a file may end.
                    assertNotEquals(all, Containers.read(disk, file, SourceOptions.DEFAULT), name + " " + size);
                } catch (DatasetException e) {
                    continue;
                }
            }
        }
        for (String name : List.of("samples.tar", "gnu.tar.gz", "tokens.idx", "pax.tar.zst")) {
            MemoryDisk disk = Containers.disk();
            Path file = Containers.FOLDER.resolve(name);
            byte[] good = disk.bytes(file);
            int last = name.equals("samples.tar") ? 20 * 512 : good.length;
            for (int size = 512; size < last; size += name.equals("samples.tar") ? 173 : 1) {
                disk.put(file, Arrays.copyOf(good, size));
                assertThrows(
                        DatasetException.class,
                        () -> Containers.read(disk, file, SourceOptions.DEFAULT),
                        name + " cut to " + size);
            }
        }
    }
}
