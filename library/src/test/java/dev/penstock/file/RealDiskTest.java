// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealDiskTest implements DiskContract {
    /// Enough bytes that the operating system begins to write before the last of them.
    @Test
    void whatIsWrittenOutEarlyIsAllThere(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("large");
        MemorySegment piece = MemorySegment.ofArray(new byte[40 << 20]);
        try (Disk.Writable file = Disk.real().create(path)) {
            for (int i = 0; i < 5; i++) {
                piece.fill((byte) (i + 1));
                file.write(piece, i * piece.byteSize());
            }
            file.force();
        }
        assertEquals(5 * piece.byteSize(), Files.size(path));
        try (Disk.Readable file = Disk.real().open(path)) {
            for (int i = 0; i < 5; i++) {
                MemorySegment ends = MemorySegment.ofArray(new byte[1]);
                file.read((i + 1) * piece.byteSize() - 1, ends);
                assertEquals(i + 1, ends.get(Layouts.U8, 0));
            }
        }
    }

    /// Between the creation of a temporary file and its lock, another process takes it for an abandoned one.
    @Test
    void aTemporaryFileThatAnotherProcessHasReplacedIsNotUsed(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("temporary");
        StandardOpenOption[] options = {StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE
        };
        FileChannel deleted = FileChannel.open(path, options);
        Files.delete(path);
        assertThrows(FileAlreadyExistsException.class, () -> RealDisk.locked(path, deleted));
        assertFalse(deleted.isOpen());
        FileChannel replaced = FileChannel.open(path, options);
        Files.delete(path);
        Files.writeString(path, "of another process");
        assertThrows(FileAlreadyExistsException.class, () -> RealDisk.locked(path, replaced));
        assertFalse(replaced.isOpen());
        assertEquals("of another process", Files.readString(path));
        Files.delete(path);
        FileChannel own = FileChannel.open(path, options);
        RealDisk.locked(path, own).close();
        assertFalse(own.isOpen());
    }

    /// On a read-only file system, or when the file belongs to another user.
    @Test
    void aLockFileThatCannotBeWrittenHasSharedLocksOnly(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        try (Disk.Locks locks = ChannelLocks.open(file, false);
                Disk.Lock shared = locks.tryShared(0)) {
            assertNotNull(shared);
            AccessDeniedException refused = assertThrows(AccessDeniedException.class, () -> locks.tryExclusive(1, 1));
            assertTrue(refused.getMessage().contains("cannot be locked"), refused.getMessage());
        }
    }

    @Test
    void threadsCanCreateTheSameFolder(@TempDir Path folder) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(2);
        Callable<Void> creating = () -> {
            for (int i = 0; i < 200; i++) {
                barrier.await();
                Disk.real().createDirectory(folder.resolve("folder" + i));
            }
            return null;
        };
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (Future<Void> created : threads.invokeAll(List.of(creating, creating))) {
                created.get();
            }
        }
        assertEquals(200, Disk.real().list(folder).size());
    }

    @Test
    void aFolderIsNotMapped(@TempDir Path folder) {
        try (Arena arena = Arena.ofConfined()) {
            FileSystemException refusal =
                    assertThrows(FileSystemException.class, () -> Disk.real().map(folder, arena));
            assertEquals(folder + ": Is a directory", refusal.getMessage());
        }
    }

    private static final Path FULL = Path.of("/dev/full");

    @Override
    public Disk disk(Path folder) {
        return Disk.real();
    }

    /// The operating system may call a force a success after the one that failed, though the bytes are
    /// lost.
    @Test
    void afterAFailedWriteNothingIsAcknowledged() throws IOException {
        Assumptions.assumeTrue(Files.exists(FULL), "needs /dev/full");
        FileChannel channel = FileChannel.open(FULL, StandardOpenOption.WRITE);
        try (ChannelWritable writable = new ChannelWritable(FULL, channel, null)) {
            MemorySegment bytes = MemorySegment.ofArray(new byte[10]);
            IOException first = assertThrows(IOException.class, () -> writable.write(bytes, 0));
            IOException second = assertThrows(IOException.class, writable::force);
            IOException third = assertThrows(IOException.class, () -> writable.write(bytes, 0));
            assertEquals("/dev/full: No space left on device", first.getMessage());
            assertEquals(first, second.getCause());
            assertEquals(first, third.getCause());
        }
    }

    @Test
    void twoNamesAreExchangedInOneStep(@TempDir Path folder) throws IOException {
        Path one = Files.createDirectory(folder.resolve("one"));
        Path other = folder.resolve("other \u00e4");
        Files.writeString(one.resolve("file"), "of one");
        Files.writeString(other, "other");
        if (Disk.real().exchange(one, other)) {
            assertEquals("other", Files.readString(one));
            assertEquals("of one", Files.readString(other.resolve("file")));
        }
        assertFalse(Disk.real().exchange(one, folder.resolve("absent")));
    }

    @Test
    void aFileLikeAnotherHasItsModeOwnerAndGroup(@TempDir Path folder) throws IOException {
        Path like = Files.createFile(folder.resolve("like"));
        boolean isRoot = "root".equals(Files.getOwner(like).getName());
        if (isRoot) {
            Files.setAttribute(like, "unix:uid", 1234);
            Files.setAttribute(like, "unix:gid", 1235);
        }
        for (String mode : List.of("rw-------", "rw-rw----", "r--r-----", "rwxr-x--x")) {
            Files.setPosixFilePermissions(like, PosixFilePermissions.fromString(mode));
            Path file = folder.resolve(mode);
            Disk.real().create(file, like).close();
            for (String attribute : List.of("permissions", "owner", "group")) {
                assertEquals(
                        Files.getAttribute(like, "posix:" + attribute), Files.getAttribute(file, "posix:" + attribute));
            }
        }
    }

    @Test
    void aFolderLikeAFileCanBeSearched(@TempDir Path folder) throws IOException {
        Path like = Files.createFile(folder.resolve("like"));
        Files.setPosixFilePermissions(like, PosixFilePermissions.fromString("rw-r-----"));
        Path made = Files.createDirectory(folder.resolve("made"));
        Disk.real().giveAccess(like, made);
        assertEquals("rwxr-x---", PosixFilePermissions.toString(Files.getPosixFilePermissions(made)));
        Disk.real().giveAccess(made, like);
        assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(like)));
        Disk.real().makePrivate(made);
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(made)));
    }

    @Test
    void nothingIsWrittenOrDeletedThroughALink(@TempDir Path folder) throws IOException {
        Path outside = Files.createDirectory(folder.resolve("outside"));
        Path file = Files.writeString(outside.resolve("file"), "mine");
        Path dataset = Files.createDirectory(folder.resolve("dataset"));
        Path toFile = Files.createSymbolicLink(dataset.resolve("file"), file);
        Path toFolder = Files.createSymbolicLink(dataset.resolve("folder"), outside);
        Disk disk = Disk.real();
        assertThrows(FileSystemException.class, () -> disk.openForWriting(toFile));
        assertThrows(FileSystemException.class, () -> disk.locks(toFile));
        assertThrows(FileSystemException.class, () -> disk.deleteAbandoned(toFile));
        assertThrows(FileSystemException.class, () -> disk.createDirectory(toFolder));
        assertThrows(FileSystemException.class, () -> NewFile.create(disk, toFile, true));
        disk.deleteAll(dataset);
        assertFalse(Files.exists(dataset));
        assertEquals("mine", Files.readString(file));
    }
}
