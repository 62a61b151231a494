// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.file.Access;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Crc32c;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Any bytes at all as one of the files of a store, which is read, verified, recovered and changed: a
/// [DatasetException] or an error of the disk is the worst that may come.
///
/// A normal run replays the inputs below `src/test/resources`; `./check --fuzz` looks for new ones.
class StoreFuzzTest {
    private static final String INPUTS = "/dev/penstock/store/StoreFuzzTestInputs/";
    private static final Path META = StoreModel.STORE.resolve(StoreFormat.META);
    private static final MemoryDisk STORE = store();

    private static MemoryDisk store() {
        MemoryDisk disk = new MemoryDisk().addFolder(StoreModel.FOLDER);
        StoreOptions options = StoreOptions.DEFAULT.withDisk(disk).withRotateBytes(400);
        List<StoreField> fields =
                List.of(StoreField.bytes("A"), StoreField.bytes("B").withCompression(StoreCompression.ZSTD));
        try {
            StoreWriter store = StoreWriter.create(StoreModel.STORE, fields, options);
            for (int i = 0; i < 4; i++) {
                store.append(List.of(new byte[] {(byte) i}, new byte[10 * i]));
                store.commit();
            }
            store.checkpoint();
            store.update(0, "A", "two".getBytes(StandardCharsets.US_ASCII));
            store.delete(2);
            store.commit();
            // The commits since the checkpoint stay in the journal.
            store.abort();
            return disk;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// The first byte chooses the file, the others are its content.
    @FuzzTest(maxDuration = "30s")
    void anyBytesAreAFileOrRefused(byte[] bytes) {
        List<Path> files = STORE.files().stream().sorted().toList();
        if (bytes.length > 0) {
            Path file = files.get((bytes[0] & 0xFF) % files.size());
            use(STORE.copy().put(file, Arrays.copyOfRange(bytes, 1, bytes.length)));
        }
    }

    /// With a checksum that fits, so that the search gets past it.
    @FuzzTest(maxDuration = "30s")
    void anyBytesWithAFittingChecksumAreMetadataOrRefused(byte[] bytes) {
        String start = new String(bytes, StandardCharsets.UTF_8);
        int crc = Crc32c.of(MemorySegment.ofArray(start.getBytes(StandardCharsets.UTF_8)));
        String text = start + "\"crc32c\": \"" + ChecksummedJson.hex(crc) + "\"}";
        use(STORE.copy().put(META, text.getBytes(StandardCharsets.UTF_8)));
    }

    private static void use(MemoryDisk disk) {
        boolean isMapped = isRead(disk, Access.MMAP);
        assertEquals(isMapped, isRead(disk, Access.READ), "mapped and read differ");
        isChanged(disk);
    }

    private static boolean isRead(MemoryDisk disk, Access access) {
        StoreReader.Options options = StoreReader.Options.DEFAULT.withDisk(disk).withAccess(access);
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, options)) {
            StoreModel.read(reader);
            reader.verify(Progress.NONE);
            return true;
        } catch (DatasetException | IOException e) {
            assertNotNull(e.getMessage());
            return false;
        }
    }

    private static void isChanged(MemoryDisk disk) {
        try (StoreWriter store = StoreWriter.open(StoreModel.STORE, StoreOptions.DEFAULT.withDisk(disk))) {
            store.append(List.of(new byte[] {1}, new byte[] {2}));
            store.commit();
            store.checkpoint();
        } catch (DatasetException | IllegalArgumentException | IOException e) {
            assertNotNull(e.getMessage());
        }
    }

    /// Inputs in the wrong folder would never be replayed.
    @Test
    void theInputsAreWhereTheyAreReplayedFrom() throws Exception {
        for (String target : List.of("anyBytesAreAFileOrRefused", "anyBytesWithAFittingChecksumAreMetadataOrRefused")) {
            assertNotNull(StoreFuzzTest.class.getDeclaredMethod(target, byte[].class));
            Path folder =
                    Path.of(StoreFuzzTest.class.getResource(INPUTS + target).toURI());
            try (Stream<Path> inputs = Files.list(folder)) {
                assertTrue(inputs.count() > 1, folder.toString());
            }
        }
    }
}
