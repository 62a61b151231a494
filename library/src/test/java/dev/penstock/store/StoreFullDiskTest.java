// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.Layouts;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A disk of 50 MB becomes full under a writer: the caller is told, everything committed stays and is read, and
/// the same writer goes on when there is room again.
@Tag("full")
class StoreFullDiskTest {
    private static final int MEGABYTES = 50;
    private static final int BALLAST_BYTES = 8 << 20;

    @TempDir
    Path folder;

    private static byte[] value(long index, int size) {
        byte[] value = new byte[size];
        MemorySegment.ofArray(value).set(Layouts.U64, 0, index);
        return value;
    }

    private static void requireRecords(Path path, long count, int size) throws IOException {
        try (StoreReader reader = StoreReader.open(path)) {
            assertEquals(count, reader.count());
            for (long index = 0; index < count; index++) {
                assertArrayEquals(value(index, size), reader.get(index).value(0).toArray(Layouts.U8));
            }
            assertTrue(reader.verify(Progress.NONE).isOk());
        }
    }

    @Test
    void closingSaysThatCommitsAreSafeWhenTablesCannotBeWritten() throws IOException {
        AtomicBoolean isFull = new AtomicBoolean();
        Disk disk = new ForwardingDisk(new MemoryDisk().addFolder(StoreModel.FOLDER)) {
            @Override
            public Writable create(Path file) throws IOException {
                if (isFull.get()) {
                    throw new IOException("No space left on device");
                }
                return super.create(file);
            }
        };
        StoreOptions options = StoreOptions.DEFAULT.withDisk(disk);
        StoreWriter.create(StoreModel.STORE, List.of(StoreField.bytes("A")), options)
                .close();
        try (StoreWriter store = StoreWriter.open(StoreModel.STORE, options)) {
            store.append(List.of(value(1, 8)));
        }
        StoreWriter store = StoreWriter.open(StoreModel.STORE, options);
        store.update(0, "A", value(2, 8));
        isFull.set(true);
        String message = assertThrows(IOException.class, store::close).getMessage();
        assertTrue(message.contains("all changes are committed, but the tables"), message);
        assertTrue(message.endsWith("No space left on device"), message);
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, disk)) {
            assertArrayEquals(value(2, 8), reader.get(0).value(0).toArray(Layouts.U8));
        }
    }

    private static void fill(Path path, int size, int recordsPerCommit, Path ballast) throws IOException {
        Files.write(ballast, new byte[BALLAST_BYTES]);
        StoreOptions options = StoreOptions.DEFAULT.withRotateBytes(100_000);
        long committed;
        try (StoreWriter store = StoreWriter.create(path, List.of(StoreField.bytes("A")), options)) {
            IOException failure = assertThrows(IOException.class, () -> appendForEver(store, size, recordsPerCommit));
            assertTrue(failure.getMessage().contains("space"), failure.getMessage());
            store.rollback();
            committed = store.count();
            assertTrue(committed > 0);
            requireRecords(path, committed, size);
            assertArrayEquals(value(0, size), store.get(0, "A"));
            Files.delete(ballast);
            store.append(List.of(value(committed, size)));
            store.commit();
        }
        requireRecords(path, committed + 1, size);
    }

    private static void appendForEver(StoreWriter store, int size, int recordsPerCommit) throws IOException {
        while (true) {
            for (int i = 0; i < recordsPerCommit; i++) {
                store.append(List.of(value(store.count(), size)));
            }
            store.commit();
        }
    }

    @Test
    void aDiskFullOfValuesIsACleanError() throws IOException, InterruptedException {
        try (MountedDisk disk = MountedDisk.inMemory(folder, MEGABYTES)) {
            fill(disk.folder().resolve("store"), 200_000, 3, disk.folder().resolve("ballast"));
        }
    }

    @Test
    void aDiskFullOfSmallRecordsIsACleanError() throws IOException, InterruptedException {
        try (MountedDisk disk = MountedDisk.ext4(folder, MEGABYTES)) {
            fill(disk.folder().resolve("store"), 1000, 500, disk.folder().resolve("ballast"));
        }
    }
}
