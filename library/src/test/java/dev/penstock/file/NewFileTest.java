// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Publishing on the real disk.
class NewFileTest {
    @Test
    void filesThatOnlyLookTemporaryAreLeftAlone(@TempDir Path folder) throws IOException {
        for (String name : List.of(".file.tmp-0", ".file.tmp", "file.tmp", ".penstock", ".penstock-1.tmp")) {
            Path file = Files.writeString(folder.resolve(name), "mine");
            assertFalse(NewFile.isTemporary(file), name);
            try (NewFile target = NewFile.create(Disk.real(), folder.resolve("file"), true)) {
                target.publish();
            }
            assertEquals("mine", Files.readString(file));
        }
        assertTrue(NewFile.isTemporary(NewFile.temporary(folder.resolve("file"), 12)));
    }

    @Test
    void theLongestNameThereIsCanBeWritten(@TempDir Path folder) throws IOException {
        Path target = folder.resolve("x".repeat(255));
        try (NewFile file = NewFile.create(Disk.real(), target, false)) {
            file.publish();
        }
        assertTrue(Files.exists(target));
    }

    @Test
    void aNameThatNoFileCanHaveIsRefusedBeforeAnythingIsWritten(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        for (Path target : List.of(folder.resolve("x".repeat(256)), file.resolve("below"))) {
            FileSystemException refusal = assertThrows(
                    FileSystemException.class,
                    () -> NewFile.create(Disk.real(), target, false).close());
            assertEquals(target.toString(), refusal.getFile());
        }
    }

    @Test
    void errorsNameTheDatasetAndNotItsLock(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        Path dataset = file.resolve("t.act");
        FileSystemException refusal = assertThrows(
                FileSystemException.class,
                () -> NewFile.createAlone(Disk.real(), file.resolve("t.act.lock"), dataset)
                        .close());
        assertEquals(dataset + ": Not a directory", refusal.getMessage());
    }

    @Test
    void whoeverFindsAFolderIsNotAdvisedToReplaceIt(@TempDir Path folder) throws IOException {
        Path target = Files.createDirectory(folder.resolve("t.npy"));
        FileAlreadyExistsException refusal = assertThrows(
                FileAlreadyExistsException.class,
                () -> NewFile.create(Disk.real(), target, false).close());
        assertEquals(target.toString(), refusal.getFile());
        assertTrue(refusal.getReason().startsWith("it is a folder"), refusal.getReason());
    }

    private static final int KILLED = 9;
    private static final int WRITER_COUNT = 4;
    private static final int ROUNDS = Boolean.getBoolean("penstock.long") ? 3000 : 150;

    @TempDir
    private Path folder;

    private final Disk disk = Disk.real();
    private Path target;

    @BeforeEach
    void nameTheTarget() {
        target = folder.resolve("file");
    }

    private static MemorySegment text(String text) {
        return MemorySegment.ofArray(text.getBytes());
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aPublishedFileHasAllItsBytesAndNoCompanion() throws IOException {
        try (NewFile file = NewFile.create(disk, target, false)) {
            file.write(text("world"), 6);
            file.write(text("hello "), 0);
            assertFalse(Files.exists(target), "the name appeared before the file was published");
            file.publish();
        }
        assertEquals("hello world", Files.readString(target));
        assertEquals(List.of("file"), names());
    }

    @Test
    void whatWasWrittenCanBeReadBack() throws IOException {
        try (NewFile file = NewFile.create(disk, target, false)) {
            file.write(text("hello"), 0);
            byte[] bytes = new byte[4];
            file.read(1, MemorySegment.ofArray(bytes));
            assertArrayEquals("ello".getBytes(), bytes);
            assertThrows(EOFException.class, () -> file.read(2, MemorySegment.ofArray(bytes)));
        }
    }

    @Test
    void aHoleReadsAsZeros() throws IOException {
        try (NewFile file = NewFile.create(disk, target, false)) {
            file.write(text("x"), 3);
            file.publishUnforced();
        }
        assertArrayEquals(new byte[] {0, 0, 0, 'x'}, Files.readAllBytes(target));
    }

    @Test
    void closingWithoutPublishingLeavesNothing() throws IOException {
        NewFile file = NewFile.create(disk, target, false);
        file.write(text("never seen"), 0);
        file.close();
        file.close();
        assertEquals(List.of(), names());
    }

    @Test
    void closingWithoutPublishingKeepsTheOldFile() throws IOException {
        Files.writeString(target, "old");
        try (NewFile file = NewFile.create(disk, target, true)) {
            file.write(text("never seen"), 0);
        }
        assertEquals("old", Files.readString(target));
        assertEquals(List.of("file"), names());
    }

    @Test
    void anExistingFileIsReplacedOnlyOnRequest() throws IOException {
        Files.writeString(target, "old");
        assertThrows(FileAlreadyExistsException.class, () -> NewFile.create(disk, target, false));
        try (NewFile file = NewFile.create(disk, target, true)) {
            file.write(text("new"), 0);
            file.publish();
        }
        assertEquals("new", Files.readString(target));
    }

    @Test
    void aFileThatAppearedMeanwhileIsNotReplaced() throws IOException {
        try (NewFile file = NewFile.create(disk, target, false)) {
            file.write(text("late"), 0);
            Files.writeString(target, "first");
            assertThrows(FileAlreadyExistsException.class, file::publish);
        }
        assertEquals("first", Files.readString(target));
        assertEquals(List.of("file"), names());
    }

    @Test
    void aMissingFolderIsNamed() {
        Path inNoFolder = folder.resolve("missing").resolve("file");
        NoSuchFileException refusal =
                assertThrows(NoSuchFileException.class, () -> NewFile.create(disk, inNoFolder, false));
        assertEquals(folder.resolve("missing").toString(), refusal.getMessage());
    }

    @Test
    void aMappingOfTheOldFileKeepsItsBytes() throws IOException {
        Files.writeString(target, "old");
        try (OpenFile old = OpenFile.open(
                        target, ReaderOptions.DEFAULT.withDisk(disk).withAccess(Access.MMAP));
                NewFile file = NewFile.create(disk, target, true)) {
            file.publish();
            byte[] bytes = new byte[3];
            old.read(0, MemorySegment.ofArray(bytes));
            assertArrayEquals("old".getBytes(), bytes);
        }
    }

    @Test
    void discardingRemovesTheUnfinishedFile() throws IOException {
        try (NewFile file = NewFile.create(disk, target, false)) {
            file.write(text("half"), 0);
            assertEquals(1, names().size());
            NewFile.discardAll();
            assertEquals(List.of(), names());
        }
    }

    @Test
    void twoWritersOfOneNameDoNotDeleteEachOthersFile() throws IOException {
        try (NewFile first = NewFile.create(disk, target, true);
                NewFile second = NewFile.create(disk, target, true)) {
            first.write(text("first"), 0);
            second.write(text("second"), 0);
            assertEquals(2, names().size());
            first.publish();
            assertEquals("first", Files.readString(target));
            second.publish();
            assertEquals("second", Files.readString(target));
        }
        assertEquals(List.of("file"), names());
    }

    /// A writer that is just creating its file, or just naming it, is as alive as one that is writing.
    @Test
    void manyWritersOfOneNameAllPublish() throws Exception {
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < WRITER_COUNT; i++) {
            writers.add(Thread.ofPlatform().start(() -> publishAgainAndAgain(failures)));
        }
        for (Thread writer : writers) {
            writer.join();
        }
        assertEquals(List.of(), List.copyOf(failures));
        assertEquals("content", Files.readString(target));
        assertEquals(List.of("file"), names());
    }

    private void publishAgainAndAgain(Queue<Throwable> failures) {
        for (int i = 0; i < ROUNDS; i++) {
            try (NewFile file = NewFile.create(disk, target, true)) {
                file.write(text("content"), 0);
                if (i % 2 == 0) {
                    file.publishUnforced();
                } else {
                    file.publish();
                }
            } catch (Throwable e) {
                failures.add(e);
            }
        }
    }

    @Test
    void whatAKilledProcessLeftIsRemovedByTheNextWriter(@TempDir Path reports) throws Exception {
        ChildJava.Result killed =
                ChildJava.run(reports, ChildJava.command(reports, KilledWriter.class, target, "unfinished"));
        assertEquals(KILLED, killed.exitCode(), killed.output());
        assertEquals(1, names().size(), "the killed process left no file to remove");
        NewFile.create(disk, target, false).close();
        assertEquals(List.of(), names());
    }

    @Test
    void theFileOfALivingProcessIsLeftAlone(@TempDir Path reports) throws Exception {
        Process living = new ProcessBuilder(ChildJava.command(reports, KilledWriter.class, target, "wait"))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertEquals('.', living.getInputStream().read());
            NewFile.create(disk, target, false).close();
            assertEquals(1, names().size());
        } finally {
            living.destroyForcibly().waitFor();
        }
        NewFile.create(disk, target, false).close();
        assertEquals(List.of(), names());
    }

    /// A program that begins a file and is killed before it is published.
    static final class KilledWriter {
        private KilledWriter() {}

        public static void main(String[] arguments) throws Exception {
            NewFile file = NewFile.create(Disk.real(), Path.of(arguments[0]), false);
            file.write(text(arguments[1]), 0);
            file.read(0, MemorySegment.ofArray(new byte[4]));
            if (arguments[1].equals("wait")) {
                System.out.print('.');
                System.out.flush();
                Thread.sleep(Long.MAX_VALUE);
            }
            Runtime.getRuntime().halt(KILLED);
        }
    }
}
