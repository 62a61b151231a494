// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
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

/// The behaviour of every disk. The disk in memory stands for the real one because both pass these tests.
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

    @Test
    default void anExistingFileIsWrittenInPlaceAndGrows(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path file = folder.resolve("file");
        write(disk, file, "hello world");
        try (Disk.Writable writable = disk.openForWriting(file)) {
            assertEquals(11, writable.size());
            writable.write(MemorySegment.ofArray("W".getBytes()), 6);
            writable.write(MemorySegment.ofArray("!".getBytes()), 12);
            assertEquals(13, writable.size());
            writable.forceData();
            writable.force();
        }
        assertEquals("hello World\0!", read(disk, file));
        assertThrows(NoSuchFileException.class, () -> disk.openForWriting(folder.resolve("absent")));
    }

    @Test
    default void aRangeOfAFileIsMapped(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path file = folder.resolve("file");
        write(disk, file, "hello world");
        try (Arena arena = Arena.ofShared()) {
            MemorySegment range = disk.map(file, 3, 5, arena);
            assertTrue(range.isReadOnly());
            assertArrayEquals("lo wo".getBytes(), range.toArray(ValueLayout.JAVA_BYTE));
            assertEquals(0, disk.map(file, 11, 0, arena).byteSize());
            assertThrows(EOFException.class, () -> disk.map(file, 3, 9, arena));
            assertThrows(EOFException.class, () -> disk.map(file, 12, 0, arena));
            assertThrows(EOFException.class, () -> disk.map(file, 3, Long.MAX_VALUE, arena));
            assertThrows(IllegalArgumentException.class, () -> disk.map(file, -1, 1, arena));
            assertThrows(NoSuchFileException.class, () -> disk.map(folder.resolve("absent"), 0, 1, arena));
        }
    }

    @Test
    default void aLinkIsASecondNameForTheSameBytes(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path file = folder.resolve("file");
        Path other = folder.resolve("other");
        write(disk, file, "text");
        disk.link(file, other);
        assertThrows(FileAlreadyExistsException.class, () -> disk.link(file, other));
        assertThrows(NoSuchFileException.class, () -> disk.link(folder.resolve("absent"), folder.resolve("third")));
        try (Disk.Writable writable = disk.openForWriting(other)) {
            writable.write(MemorySegment.ofArray("T".getBytes()), 0);
        }
        assertEquals("Text", read(disk, file));
        disk.delete(file);
        assertEquals("Text", read(disk, other));
    }

    @Test
    default void anExclusiveLockKeepsOutEverybodyElse(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path file = folder.resolve("lock");
        try (Disk.Locks first = disk.locks(file);
                Disk.Locks second = disk.locks(file)) {
            Disk.Lock lock = first.tryExclusive(10, 5);
            assertNotNull(lock);
            assertNull(second.tryExclusive(14, 1));
            assertNull(second.tryExclusive(8, 3));
            assertNull(second.tryExclusive(0, 100));
            assertNull(second.tryShared(12));
            assertNull(first.tryExclusive(10, 5), "a holder has a lock once");
            assertNotNull(second.tryExclusive(15, 1));
            assertNotNull(second.tryShared(9));
            lock.close();
            lock.close();
            assertNotNull(second.tryExclusive(10, 5));
            assertThrows(IllegalArgumentException.class, () -> first.tryExclusive(-1, 1));
            assertThrows(IllegalArgumentException.class, () -> first.tryExclusive(0, 0));
        }
        assertTrue(disk.exists(file));
    }

    @Test
    default void sharedLocksKeepOutOnlyExclusiveOnes(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path file = folder.resolve("lock");
        try (Disk.Locks first = disk.locks(file);
                Disk.Locks second = disk.locks(file)) {
            Disk.Lock one = first.tryShared(7);
            Disk.Lock two = second.tryShared(7);
            assertNotNull(one);
            assertNotNull(two);
            assertNull(first.tryExclusive(0, 8));
            assertNotNull(first.tryExclusive(0, 7));
            one.close();
            one.close();
            assertNull(first.tryExclusive(7, 1), "the other holder is still there");
            two.close();
            assertNotNull(first.tryExclusive(7, 1));
        }
    }

    @Test
    default void closingEndsTheLocksOfOneHolderOnly(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path file = folder.resolve("lock");
        Disk.Locks first = disk.locks(file);
        try (Disk.Locks second = disk.locks(file);
                Disk.Locks third = disk.locks(file)) {
            first.tryExclusive(1, 1);
            second.tryExclusive(2, 1);
            first.close();
            first.close();
            assertThrows(IllegalStateException.class, () -> first.tryShared(1));
            assertNotNull(third.tryExclusive(1, 1));
            assertNull(third.tryExclusive(2, 1));
        }
    }

    @Test
    default void aLockFileCarriesAText(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path file = folder.resolve("lock");
        try (Disk.Locks first = disk.locks(file);
                Disk.Locks second = disk.locks(file)) {
            assertEquals("", second.text());
            first.tryExclusive(1 << 20, 1);
            first.setText("a long text");
            assertEquals("a long text", second.text());
            second.setText("short");
            assertEquals("short", first.text());
            assertThrows(IllegalArgumentException.class, () -> first.setText("x".repeat(513)));
        }
        try (Disk.Locks later = disk.locks(file)) {
            assertEquals("short", later.text());
        }
    }

    @Test
    default void rangeLocksOutliveOtherHandlesOfTheFile(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path file = folder.resolve("data");
        assertThrows(NoSuchFileException.class, () -> disk.rangeLocks(file).close());
        write(disk, file, "content");
        try (Disk.RangeLocks first = disk.rangeLocks(file);
                Disk.RangeLocks second = disk.rangeLocks(file)) {
            Disk.Lock lock = first.tryExclusive(1 << 30, 3);
            assertNotNull(lock);
            assertEquals("content", read(disk, file));
            disk.openForWriting(file).close();
            assertNull(second.tryShared((1 << 30) + 2));
            assertNull(second.tryExclusive((1 << 30) + 1, 1));
            assertNotNull(second.tryExclusive((1 << 30) + 3, 1));
            lock.close();
            assertNotNull(first.tryShared(1 << 30));
            assertNotNull(second.tryShared(1 << 30));
            assertNull(second.tryExclusive(0, (1 << 30) + 1));
        }
        try (Disk.RangeLocks later = disk.rangeLocks(file)) {
            assertNotNull(later.tryExclusive(0, 1L << 31), "closing releases all locks");
        }
    }

    @Test
    default void rangeLocksTellWhetherTheFileWasReplaced(@TempDir Path folder) throws IOException {
        Disk disk = disk(folder);
        Path file = folder.resolve("data");
        write(disk, file, "old");
        try (Disk.RangeLocks locks = disk.rangeLocks(file)) {
            assertTrue(locks.isCurrent());
            write(disk, folder.resolve("new"), "new");
            disk.move(folder.resolve("new"), file);
            assertFalse(locks.isCurrent());
            disk.delete(file);
            assertFalse(locks.isCurrent());
        }
    }
}
