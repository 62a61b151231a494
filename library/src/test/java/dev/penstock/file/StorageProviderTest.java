// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// A service on the classpath adds a scheme, and options choose the storage of a location.
class StorageProviderTest {
    private static final Location OBJECT = Location.parse("shared-memory://host/StorageProviderTest");
    private final byte[] bytes = {1, 2, 3, 4};

    @Test
    void aLocationIsReadFromTheStorageOfItsScheme() throws IOException {
        SharedMemory.CONTENT.put(OBJECT, bytes);
        try (OpenFile file = OpenFile.open(OBJECT, ReaderOptions.DEFAULT)) {
            byte[] read = new byte[bytes.length];
            file.read(0, MemorySegment.ofArray(read));
            assertArrayEquals(bytes, read);
            assertTrue(file.isRanged());
        }
    }

    @Test
    void aSchemeIsRecognisedInCapitalsToo() {
        Location capitals = Location.parse("Shared-Memory://host/a");
        assertSame(ReaderOptions.DEFAULT.storageOf(OBJECT), ReaderOptions.DEFAULT.storageOf(capitals));
    }

    @Test
    void anExplicitStorageReplacesAllOthers() {
        MemoryStorage storage = new MemoryStorage();
        ReaderOptions options = ReaderOptions.DEFAULT.withStorage(storage);
        assertSame(storage, options.storageOf(OBJECT));
        assertSame(storage, options.storageOf(Location.of(Path.of("x"))));
        assertFalse(options.isOnDisk(Location.of(Path.of("x"))));
    }
}
