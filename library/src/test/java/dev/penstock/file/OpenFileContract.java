// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The behaviour of every open file, mapped or read.
interface OpenFileContract {
    int SIZE = 100_000;
    int READER_COUNT = 4;
    int ROUNDS = Boolean.getBoolean("penstock.long") ? 1000 : 10;

    Access access();

    default OpenFile open(Path file) throws IOException {
        return OpenFile.open(file, ReaderOptions.DEFAULT.withDisk(Disk.real()).withAccess(access()));
    }

    default byte[] content() {
        byte[] bytes = new byte[SIZE];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

    default Path file(Path folder) throws IOException {
        return Files.write(folder.resolve("file"), content());
    }

    @Test
    default void sizeAndPathAreThoseOfTheFile(@TempDir Path folder) throws IOException {
        try (OpenFile file = open(file(folder))) {
            assertEquals(SIZE, file.size());
            assertEquals(Location.of(folder.resolve("file")), file.location());
            assertEquals(access() == Access.MMAP, file.isMapped());
        }
    }

    @Test
    default void viewsAndCopiesHoldTheBytesOfTheFile(@TempDir Path folder) throws IOException {
        byte[] content = content();
        try (OpenFile file = open(file(folder))) {
            for (int offset : new int[] {0, 1, 4095, 4096, 50_000, SIZE - 1, SIZE}) {
                for (int byteCount : new int[] {0, 1, 8, 4096, SIZE - offset}) {
                    if (offset + byteCount <= SIZE) {
                        byte[] expected = Arrays.copyOfRange(content, offset, offset + byteCount);
                        byte[] copy = new byte[byteCount];
                        file.read(offset, MemorySegment.ofArray(copy));
                        assertArrayEquals(expected, copy);
                        assertArrayEquals(expected, file.view(offset, byteCount).toArray(ValueLayout.JAVA_BYTE));
                    }
                }
            }
        }
    }

    @Test
    default void viewsCannotBeWritten(@TempDir Path folder) throws IOException {
        try (OpenFile file = open(file(folder))) {
            assertTrue(file.view(0, 10).isReadOnly());
        }
    }

    @Test
    default void nothingOutsideTheFileCanBeReached(@TempDir Path folder) throws IOException {
        try (OpenFile file = open(file(folder))) {
            long[][] ranges = {{-1, 1}, {SIZE, 1}, {SIZE - 1, 2}, {0, SIZE + 1}, {SIZE + 1, 0}, {Long.MAX_VALUE, 2}};
            for (long[] range : ranges) {
                MemorySegment target = MemorySegment.ofArray(new byte[Math.toIntExact(range[1])]);
                assertThrows(IndexOutOfBoundsException.class, () -> file.view(range[0], range[1]));
                assertThrows(IndexOutOfBoundsException.class, () -> file.read(range[0], target));
            }
            assertThrows(IndexOutOfBoundsException.class, () -> file.view(0, -1));
            assertThrows(IndexOutOfBoundsException.class, () -> file.view(10, Long.MAX_VALUE));
        }
    }

    @Test
    default void anEmptyFileHasNoBytes(@TempDir Path folder) throws IOException {
        try (OpenFile file = open(Files.createFile(folder.resolve("empty")))) {
            assertEquals(0, file.size());
            assertEquals(0, file.view(0, 0).byteSize());
            file.read(0, MemorySegment.ofArray(new byte[0]));
            assertThrows(IndexOutOfBoundsException.class, () -> file.view(0, 1));
        }
    }

    @Test
    default void anAbsentFileIsNamed(@TempDir Path folder) {
        Path absent = folder.resolve("absent");
        NoSuchFileException refusal = assertThrows(NoSuchFileException.class, () -> open(absent));
        assertEquals(absent.toString(), refusal.getFile());
    }

    @Test
    default void aClosedFileIsRefused(@TempDir Path folder) throws IOException {
        OpenFile file = open(file(folder));
        file.close();
        file.close();
        MemorySegment target = MemorySegment.ofArray(new byte[8]);
        assertThrows(IllegalStateException.class, () -> file.read(0, target));
        assertThrows(IllegalStateException.class, () -> file.view(0, 8).get(ValueLayout.JAVA_BYTE, 0));
        assertThrows(IllegalStateException.class, file::acquire);
        assertThrows(IllegalStateException.class, () -> file.use(() -> 1));
    }

    @Test
    default void aLeaseKeepsTheFileOpen(@TempDir Path folder) throws IOException {
        OpenFile file = open(file(folder));
        MemorySegment view = file.view(0, 8);
        file.acquire();
        file.close();
        assertEquals(content()[0], view.get(ValueLayout.JAVA_BYTE, 0));
        // The next steps of the lease's holder belong to a call that began before the file was closed.
        byte[] copy = new byte[1000];
        file.read(5000, MemorySegment.ofArray(copy));
        assertArrayEquals(Arrays.copyOfRange(content(), 5000, 6000), copy);
        assertEquals(SIZE, file.whole().byteSize());
        assertThrows(IllegalStateException.class, file::acquire);
        file.release();
        assertThrows(IllegalStateException.class, () -> file.read(0, MemorySegment.ofArray(new byte[8])));
    }

    @Test
    default void readersSeeTheRightBytesOrThatTheFileIsClosed(@TempDir Path folder) throws Exception {
        byte[] content = content();
        Path path = file(folder);
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        for (int round = 0; round < ROUNDS; round++) {
            OpenFile file = open(path);
            CountDownLatch allRead = new CountDownLatch(READER_COUNT);
            List<Thread> readers = new ArrayList<>();
            for (int i = 0; i < READER_COUNT; i++) {
                readers.add(Thread.ofPlatform().start(() -> readUntilClosed(file, content, allRead, failures)));
            }
            allRead.await();
            file.close();
            for (Thread reader : readers) {
                reader.join();
            }
            assertEquals(List.of(), List.copyOf(failures));
        }
    }

    private static void readUntilClosed(
            OpenFile file, byte[] content, CountDownLatch allRead, Queue<Throwable> failures) {
        try {
            Random random = new Random();
            while (true) {
                readOnce(file, content, random);
                allRead.countDown();
            }
        } catch (IllegalStateException e) {
            // The file is closed, as it should be by now.
        } catch (Throwable e) {
            failures.add(e);
        }
        allRead.countDown();
    }

    private static void readOnce(OpenFile file, byte[] content, Random random) throws IOException {
        byte[] target = new byte[random.nextInt(5000)];
        int offset = random.nextInt(content.length - target.length);
        file.read(offset, MemorySegment.ofArray(target));
        assertTrue(
                Arrays.equals(content, offset, offset + target.length, target, 0, target.length), "bytes at " + offset);
    }

    @Test
    default void interruptingOneReaderDoesNotDisturbTheOthers(@TempDir Path folder) throws Exception {
        byte[] content = content();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        CountDownLatch allRead = new CountDownLatch(READER_COUNT);
        OpenFile file = open(file(folder));
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < READER_COUNT; i++) {
            readers.add(Thread.ofPlatform().start(() -> readUntilClosed(file, content, allRead, failures)));
        }
        allRead.await();
        for (int round = 0; round < ROUNDS; round++) {
            Thread interrupted = Thread.ofPlatform().start(() -> readUntilInterrupted(file, content, failures));
            Thread.sleep(0, 500_000);
            interrupted.interrupt();
            interrupted.join();
        }
        readOnce(file, content, new Random());
        file.close();
        for (Thread reader : readers) {
            reader.join();
        }
        assertEquals(List.of(), List.copyOf(failures));
    }

    private static void readUntilInterrupted(OpenFile file, byte[] content, Queue<Throwable> failures) {
        Random random = new Random();
        try {
            while (!Thread.currentThread().isInterrupted()) {
                readOnce(file, content, random);
            }
        } catch (ClosedByInterruptException | InterruptedIOException e) {
            // The interrupted thread is told so.
        } catch (Throwable e) {
            failures.add(e);
        }
    }
}
