// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What every disk does, so that tests on the one in memory say something about the real one.
interface DiskContract {
    /// A disk on which the folder exists.
    Disk disk(Path folder);

    private static void write(Disk disk, Path file, String text) throws IOException {
        try (Disk.Writable writable = disk.create(file)) {
            writable.write(MemorySegment.ofArray(text.getBytes()), 0);
        }
    }

    private static String read(Disk disk, Path file) throws IOException {
        try (Disk.Readable readable = disk.open(file)) {
            byte[] bytes = new byte[Math.toIntExact(readable.size())];
            assertEquals(bytes.length, readable.read(0, MemorySegment.ofArray(bytes)));
            return new String(bytes);
        }
    }

    @Test
    default void whatWasWrittenIsRead(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path file = folder.resolve("file");
        try (Disk.Writable writable = disk.create(file);
                Arena arena = Arena.ofShared()) {
            writable.write(MemorySegment.ofArray("world".getBytes()), 7);
            writable.write(MemorySegment.ofArray("hello".getBytes()), 0);
            byte[] back = new byte[20];
            assertEquals(4, writable.read(8, MemorySegment.ofArray(back)));
            assertEquals(0, writable.read(100, MemorySegment.ofArray(back)));
            writable.force();
            assertEquals("hello\0\0world", read(disk, file));
            MemorySegment mapped = disk.map(file, arena);
            assertTrue(mapped.isReadOnly());
            assertArrayEquals("hello\0\0world".getBytes(), mapped.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    default void mappedMemoryDiesWithItsArena(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        write(disk, folder.resolve("file"), "text");
        Arena arena = Arena.ofShared();
        MemorySegment mapped = disk.map(folder.resolve("file"), arena);
        arena.close();
        assertThrows(IllegalStateException.class, () -> mapped.get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    default void readingEndsWhereTheFileDoes(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        write(disk, folder.resolve("file"), "text");
        try (Disk.Readable readable = disk.open(folder.resolve("file"))) {
            MemorySegment target = MemorySegment.ofArray(new byte[10]);
            assertEquals(3, readable.read(1, target));
            assertEquals(0, readable.read(4, target));
            assertEquals(0, readable.read(1000, target));
        }
    }

    @Test
    default void aTakenNameCannotBeCreated(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        write(disk, folder.resolve("file"), "text");
        assertThrows(FileAlreadyExistsException.class, () -> disk.create(folder.resolve("file")));
        assertThrows(FileAlreadyExistsException.class, () -> disk.create(folder));
        assertEquals("text", read(disk, folder.resolve("file")));
    }

    @Test
    default void anAbsentNameIsRefused(@TempDir Path folder) {
        Disk disk = disk(folder);
        Path absent = folder.resolve("absent");
        assertThrows(NoSuchFileException.class, () -> disk.open(absent));
        assertThrows(NoSuchFileException.class, () -> disk.create(absent.resolve("file")));
        assertThrows(NoSuchFileException.class, () -> disk.move(absent, folder.resolve("file")));
        assertThrows(NoSuchFileException.class, () -> disk.forceDirectory(absent));
        try (Arena arena = Arena.ofShared()) {
            assertThrows(NoSuchFileException.class, () -> disk.map(absent, arena));
        }
    }

    @Test
    default void namesAreMovedAndDeleted(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path first = folder.resolve("first");
        Path second = folder.resolve("second");
        write(disk, first, "one");
        write(disk, second, "two");
        assertTrue(disk.exists(folder));
        assertTrue(disk.exists(first) && disk.exists(second));
        disk.move(first, second);
        assertFalse(disk.exists(first));
        assertEquals("one", read(disk, second));
        disk.forceDirectory(folder);
        disk.delete(second);
        disk.delete(second);
        assertFalse(disk.exists(second));
    }

    @Test
    default void anOpenFileOutlivesItsName(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path file = folder.resolve("file");
        write(disk, file, "old");
        write(disk, folder.resolve("new"), "new");
        try (Disk.Readable old = disk.open(file)) {
            disk.move(folder.resolve("new"), file);
            byte[] bytes = new byte[3];
            assertEquals(3, old.read(0, MemorySegment.ofArray(bytes)));
            assertArrayEquals("old".getBytes(), bytes);
        }
    }

    @Test
    default void onlyAFileWithoutWriterIsAbandoned(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path file = folder.resolve("file");
        try (Disk.Writable writable = disk.create(file)) {
            disk.deleteAbandoned(file);
            assertTrue(disk.exists(file));
            writable.force();
        }
        disk.deleteAbandoned(file);
        assertFalse(disk.exists(file));
        disk.deleteAbandoned(file);
    }

    @Test
    default void aClosedWriterWritesNothing(@TempDir Path folder) throws IOException {
        Disk.Writable writable = disk(folder).create(folder.resolve("file"));
        writable.close();
        writable.close();
        assertThrows(ClosedChannelException.class, () -> writable.write(MemorySegment.ofArray(new byte[1]), 0));
    }
}
