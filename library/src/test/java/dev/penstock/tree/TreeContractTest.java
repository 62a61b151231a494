// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.OpenResources;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.file.Access;
import dev.penstock.file.MappingLimit;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Threads, closing and cleaning up, for readers and writers of trees.
class TreeContractTest {
    @TempDir
    Path folder;

    private Path write(String name, SortedMap<byte[], Long> map) throws IOException {
        Path file = folder.resolve(name);
        TreeWriter.write(file, map, value -> value, TreeWriter.Options.DEFAULT);
        return file;
    }

    @ParameterizedTest
    @EnumSource
    void openingAndClosingLeavesNothing(Access access) throws IOException {
        Path file = write("t.act", TreeKeySets.get("k16"));
        Path bad = Files.write(folder.resolve("bad.act"), Arrays.copyOf(Files.readAllBytes(file), 100));
        int liveBefore = MappingLimit.live();
        for (int round = 0; round < 1000; round++) {
            try (TreeReader tree = TreeReader.open(file, TreeReader.Options.DEFAULT.withAccess(access))) {
                assertTrue(tree.contains(TreeKeySets.bytes("bow")));
            }
            assertThrows(DatasetException.class, () -> TreeReader.open(bad));
        }
        assertEquals(List.of(), OpenResources.under(folder));
        assertEquals(liveBefore, MappingLimit.live());
    }

    @ParameterizedTest
    @EnumSource
    void aCallUnderWayFinishesWhenTheReaderIsClosed(Access access) throws IOException {
        SortedMap<byte[], Long> map = new TreeMap<>(Arrays::compareUnsigned);
        // More nodes than are verified between two reports of progress.
        for (int i = 0; i < 140_000; i++) {
            map.put(new byte[] {(byte) (i >>> 16), (byte) (i >>> 8), (byte) i}, (long) i);
        }
        TreeReader tree = TreeReader.open(write("t.act", map), TreeReader.Options.DEFAULT.withAccess(access));
        List<Long> reports = new ArrayList<>();
        Verification verification = tree.verify((done, total) -> {
            reports.add(done);
            tree.close();
        });
        assertTrue(reports.size() > 1, "the reader was closed while nodes were left to verify");
        assertTrue(verification.isOk());
        assertThrows(IllegalStateException.class, tree::count);
        assertEquals(List.of(), OpenResources.under(folder));
    }

    @ParameterizedTest
    @EnumSource
    void aClosedTreeRefuses(Access access) throws IOException {
        TreeReader tree =
                TreeReader.open(write("t.act", TreeKeySets.get("k16")), TreeReader.Options.DEFAULT.withAccess(access));
        TreeScan scan = tree.scan();
        TreePosition position = tree.position(new byte[0]);
        tree.close();
        tree.close();
        byte[] key = TreeKeySets.bytes("bow");
        List<Runnable> uses = List.of(
                () -> tree.get(key),
                () -> tree.contains(key),
                () -> tree.get(List.of(key), new long[1], 0),
                tree::count,
                tree::stats,
                () -> tree.verify(Progress.NONE),
                scan::next,
                position::value,
                () -> tree.children(key));
        for (Runnable use : uses) {
            IllegalStateException refusal = assertThrows(IllegalStateException.class, use::run);
            assertTrue(refusal.getMessage().endsWith(" is closed"), refusal.getMessage());
        }
    }

    @Test
    void manyThreadsReadOneTree() throws IOException {
        // Long enough for the tables that all threads share, and more of them than these have places.
        List<byte[]> keys = new ArrayList<>(TreeKeySets.words(40_000, 9));
        SortedMap<byte[], Long> map = TreeKeySets.index(keys);
        try (TreeReader tree = TreeReader.open(write("t.act", map))) {
            Parallel.run(4, 4, part -> {
                List<byte[]> shuffled = new ArrayList<>(keys);
                Collections.shuffle(shuffled, new Random(part));
                for (byte[] key : shuffled) {
                    if (tree.get(key, -1) != map.get(key)) {
                        throw new AssertionError(KeyText.of(key));
                    }
                }
                long[] values = new long[shuffled.size()];
                assertEquals(shuffled.size(), tree.get(shuffled, values, -1));
                Trees.requireEqual(map, tree.scan());
            });
        }
    }

    @Test
    void writersPublishOnceAndLeaveNothingWhenGivenUp() throws IOException {
        Path file = write("t.act", TreeKeySets.get("k16"));
        assertThrows(FileAlreadyExistsException.class, () -> TreeWriter.create(file, TreeWriter.Options.DEFAULT));
        assertThrows(
                NoSuchFileException.class,
                () -> TreeWriter.create(folder.resolve("none/t.act"), TreeWriter.Options.DEFAULT));
        TreeWriter writer = TreeWriter.create(folder.resolve("other.act"), TreeWriter.Options.DEFAULT);
        writer.append(new byte[] {1}, 1);
        writer.abort();
        writer.close();
        assertThrows(IllegalStateException.class, writer::summary);
        assertThrows(IllegalStateException.class, () -> writer.append(new byte[] {2}, 1));
        assertFalse(Files.exists(folder.resolve("other.act")));
        assertEquals(List.of(), OpenResources.under(folder));
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(file), left.toList());
        }
    }

    @Test
    void aMapInAnotherOrderIsRefusedAndNothingIsWritten() {
        SortedMap<byte[], Long> signed = new TreeMap<>(Arrays::compare);
        signed.put(new byte[] {-1}, 1L);
        signed.put(new byte[] {1}, 2L);
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> write("signed.act", signed));
        assertTrue(refusal.getMessage().contains("ascending order of unsigned bytes"), refusal.getMessage());
        assertFalse(Files.exists(folder.resolve("signed.act")));
    }

    @Test
    void pathsThatAreTooLongAreRefused() throws IOException {
        byte[] tooLong = new byte[TreeFormat.KEY_SIZE_MAX + 1];
        try (TreeWriter writer = TreeWriter.create(folder.resolve("t.act"), TreeWriter.Options.DEFAULT)) {
            assertThrows(IllegalArgumentException.class, () -> writer.append(tooLong, 1));
            writer.append(new byte[] {1}, 1);
        }
        try (TreeReader tree = TreeReader.open(folder.resolve("t.act"))) {
            assertEquals(1, tree.count());
        }
    }

    @Test
    void theFingerprintIsThatOfTheFile() throws IOException {
        try (TreeReader one = TreeReader.open(write("one.act", TreeKeySets.get("k16")));
                TreeReader same = TreeReader.open(write("same.act", TreeKeySets.get("k16")));
                TreeReader other = TreeReader.open(write("other.act", TreeKeySets.get("bdf")))) {
            assertEquals(one.fingerprint(), same.fingerprint());
            assertFalse(one.fingerprint().equals(other.fingerprint()));
        }
    }
}
