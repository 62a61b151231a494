// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Progress;
import dev.penstock.file.ChildJava;
import dev.penstock.file.NewFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two processes change the same tree: no key that was reported as written is lost.
class HybridTreeLockTest {
    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void aTreeWithOneKey() throws IOException {
        file = folder.resolve("words.act");
        put("old");
    }

    private void put(String key) throws IOException {
        try (HybridTree tree = HybridTree.open(file)) {
            tree.put(TreeKeySets.bytes(key), 1);
            tree.snapshot();
        }
    }

    private Process writer() throws IOException {
        return new ProcessBuilder(ChildJava.command(folder, PausedSnapshot.class, file, "child")).start();
    }

    private String keys() throws IOException {
        try (TreeReader tree = TreeReader.open(file)) {
            StringBuilder keys = new StringBuilder();
            TreeScan scan = tree.scan();
            while (scan.next()) {
                keys.append(KeyText.of(scan.path())).append(' ');
            }
            return keys.toString();
        }
    }

    /// Without a lock both processes read the tree with one key, and the one that finishes last takes the key of
    /// the other away.
    @Test
    void keysOfTwoProcessesAreNotLost() throws Exception {
        Process process = writer();
        try (BufferedReader lines = process.inputReader()) {
            assertEquals("paused", lines.readLine());
            FileSystemException error = assertThrows(FileSystemException.class, () -> put("parent"));
            String start = file + ": it is being written by process " + process.pid() + " on ";
            assertTrue(error.getMessage().startsWith(start), error.getMessage());
            assertEquals("old ", keys(), "readers see the tree as it was");
            process.outputWriter().append('\n').flush();
            assertEquals("written", lines.readLine());
            assertEquals(0, process.waitFor());
        } finally {
            process.destroyForcibly().waitFor();
        }
        put("parent");
        assertEquals("child old parent ", keys());
        try (Stream<Path> files = Files.list(folder)) {
            assertFalse(files.anyMatch(NewFile::isTemporary), "the lock is gone");
        }
    }

    @Test
    void aKilledProcessLeavesNoLock() throws Exception {
        Process process = writer();
        try (BufferedReader lines = process.inputReader()) {
            assertEquals("paused", lines.readLine());
        } finally {
            process.destroyForcibly().waitFor();
        }
        put("parent");
        assertEquals("old parent ", keys());
    }

    @Test
    void aSecondTreeOfTheProcessIsRefusedUnderAnyNameOfTheFile() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link.act"), file);
        try (HybridTree first = HybridTree.open(file)) {
            first.put(TreeKeySets.bytes("first"), 1);
            assertThrows(FileSystemException.class, () -> HybridTree.open(file));
            assertThrows(FileSystemException.class, () -> HybridTree.open(link));
            first.snapshot();
            assertThrows(FileSystemException.class, () -> HybridTree.open(file), "the lock outlives a snapshot");
        }
        put("second");
        assertEquals("first old second ", keys());
    }

    @Test
    void aTreeThatIsOnlyCopiedTakesNoLockAndLeavesTheFileAlone() throws IOException {
        Path copy = folder.resolve("copy.act");
        try (HybridTree writing = HybridTree.open(file);
                HybridTree copying = HybridTree.openToCopy(file)) {
            copying.put(TreeKeySets.bytes("new"), 1);
            assertThrows(IllegalStateException.class, copying::snapshot);
            copying.snapshotTo(copy, TreeWriter.Options.DEFAULT, Progress.NONE);
            writing.put(TreeKeySets.bytes("other"), 1);
            writing.snapshot();
        }
        assertEquals("old other ", keys());
        file = copy;
        assertEquals("new old ", keys());
    }

    /// Otherwise the next snapshot would replace the new tree by the old one with its changes.
    @Test
    void aWriterDoesNotReplaceATreeThatIsOpenForChange() throws IOException {
        TreeWriter.Options replacing = TreeWriter.Options.DEFAULT.withReplacing(true);
        Path absent = folder.resolve("absent.act");
        try (HybridTree tree = HybridTree.open(file);
                HybridTree empty = HybridTree.open(absent)) {
            FileSystemException error =
                    assertThrows(FileSystemException.class, () -> TreeWriter.create(file, replacing));
            assertTrue(error.getMessage().startsWith(file + ": it is being written by "), error.getMessage());
            assertThrows(FileSystemException.class, () -> TreeWriter.create(absent, TreeWriter.Options.DEFAULT));
            assertThrows(FileSystemException.class, () -> tree.snapshotTo(absent, replacing, Progress.NONE));
            tree.put(TreeKeySets.bytes("changed"), 1);
            tree.snapshot();
            assertEquals("changed old ", keys());
            assertEquals(0, empty.changeCount());
        }
        TreeWriter.write(file, replacing, writer -> writer.append(TreeKeySets.bytes("built"), 1));
        assertEquals("built ", keys());
    }

    @Test
    void aTreeThatIsBeingWrittenIsNotOpenedForChange() throws IOException {
        try (TreeWriter writer = TreeWriter.create(file, TreeWriter.Options.DEFAULT.withReplacing(true))) {
            assertThrows(FileSystemException.class, () -> HybridTree.open(file));
            writer.append(TreeKeySets.bytes("built"), 1);
        }
        put("changed");
        assertEquals("built changed ", keys());
        try (Stream<Path> files = Files.list(folder)) {
            assertFalse(files.anyMatch(NewFile::isTemporary), "the lock is gone");
        }
    }

    @Test
    void aTreeThatCannotBeOpenedIsNotLocked() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, new byte[20]);
        assertThrows(dev.penstock.DatasetException.class, () -> HybridTree.open(file));
        Files.write(file, whole);
        put("new");
        assertEquals("new old ", keys());
    }
}
