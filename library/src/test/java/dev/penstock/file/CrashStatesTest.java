// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Simulated crashes with files that are written in place, linked, or made in new folders.
@ExtendWith(Seeds.class)
class CrashStatesTest {
    private static final Path FOLDER = Path.of("/data");
    private static final Path FILE = FOLDER.resolve("file");

    private final Random random = Seeds.random();
    private final MemoryDisk start = new MemoryDisk().put(FILE, "aaaa".getBytes());

    /// The operations of a writer.
    @FunctionalInterface
    private interface Writing {
        void run(Disk disk) throws IOException;
    }

    /// The files that can be found after a crash behind the last operation.
    private Set<String> foundAfter(Writing writing, Function<MemoryDisk, String> look) throws IOException {
        RecordingDisk disk = new RecordingDisk(start.copy());
        writing.run(disk);
        Set<String> found = new HashSet<>();
        CrashStates.forEach(start, disk.operations(), random, state -> {
            if (state.operationCount() == disk.operationCount()) {
                found.add(look.apply(state.disk()));
            }
        });
        return found;
    }

    private static String text(MemoryDisk disk, Path file) {
        byte[] bytes = disk.bytes(file);
        return bytes == null ? null : new String(bytes);
    }

    private static void write(Disk disk, String text, long offset, boolean isForced) throws IOException {
        try (Disk.Writable file = disk.openForWriting(FILE)) {
            file.write(MemorySegment.ofArray(text.getBytes()), offset);
            if (isForced) {
                file.forceData();
            }
        }
    }

    @Test
    void aWriteInPlaceMayBeLostUntilItIsForced() throws IOException {
        Set<String> found = foundAfter(disk -> write(disk, "bb", 1, false), disk -> text(disk, FILE));
        assertTrue(found.containsAll(Set.of("aaaa", "abba")), found.toString());
        assertEquals(Set.of("abba"), foundAfter(disk -> write(disk, "bb", 1, true), disk -> text(disk, FILE)));
    }

    @Test
    void forcingTheContentDoesNotMakeALengthDurable() throws IOException {
        Set<String> found = foundAfter(disk -> write(disk, "bb", 3, true), disk -> text(disk, FILE));
        assertTrue(found.containsAll(Set.of("aaaa", "aaabb")), found.toString());
    }

    @Test
    void whatWasWrittenUnderAnEarlierNumberIsForcedTogether() throws IOException {
        Set<String> found = foundAfter(
                disk -> {
                    write(disk, "b", 0, false);
                    write(disk, "c", 1, true);
                },
                disk -> text(disk, FILE));
        assertEquals(Set.of("bcaa"), found);
    }

    @Test
    void aCrashMayLoseAFolderWithItsFiles() throws IOException {
        Path folder = FOLDER.resolve("new");
        Writing writing = disk -> {
            disk.createDirectory(folder);
            disk.create(folder.resolve("file")).close();
            disk.forceDirectory(folder);
        };
        Function<MemoryDisk, String> look =
                disk -> disk.isDirectory(folder) + " " + (disk.bytes(folder.resolve("file")) != null);
        assertEquals(Set.of("true true", "false false"), foundAfter(writing, look));
        Set<String> forced = foundAfter(
                disk -> {
                    writing.run(disk);
                    disk.forceDirectory(FOLDER);
                },
                look);
        assertEquals(Set.of("true true"), forced);
    }

    @Test
    void aLinkIsDurableWhenItsFolderIsForced() throws IOException {
        Path other = FOLDER.resolve("other");
        Writing writing = disk -> disk.link(FILE, other);
        Set<String> found = foundAfter(writing, disk -> String.valueOf(text(disk, other)));
        assertEquals(Set.of("null", "aaaa"), found);
        Set<String> forced = foundAfter(
                disk -> {
                    writing.run(disk);
                    disk.forceDirectory(FOLDER);
                },
                disk -> text(disk, other));
        assertEquals(Set.of("aaaa"), forced);
        assertFalse(found.equals(forced));
    }
}
