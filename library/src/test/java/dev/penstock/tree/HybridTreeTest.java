// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.OpenResources;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A tree with changes over a snapshot is one map.
@ExtendWith(Seeds.class)
class HybridTreeTest {
    private final Random random = Seeds.random();

    private byte[] key() {
        byte[] key = new byte[random.nextInt(5)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(4) * 85);
        }
        return key;
    }

    @Test
    void itAnswersLikeAMapThroughSnapshotsAndReopening() throws IOException {
        int operations = TestData.isLong() ? 2_000_000 : 100_000;
        MemoryDisk disk = new MemoryDisk().addFolder(Trees.PATH.getParent());
        TreeWriter.Options options = TreeWriter.Options.DEFAULT.withDisk(disk);
        NavigableMap<byte[], Long> map = new TreeMap<>(Arrays::compareUnsigned);
        HybridTree tree = HybridTree.open(Trees.PATH, options);
        for (int i = 0; i < operations; i++) {
            byte[] key = key();
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    long value = random.nextLong();
                    tree.put(key, value);
                    map.put(key, value);
                }
                case 3 -> {
                    tree.remove(key);
                    map.remove(key);
                }
                default -> {
                    Long expected = map.get(key);
                    assertEquals(expected, tree.contains(key) ? tree.get(key).getAsLong() : null);
                }
            }
            if (random.nextInt(500) == 0) {
                assertEquals(Trees.text(map), Trees.text(HybridTrees.read(tree)));
                byte[] prefix = key();
                byte[] limit = TreeScan.afterPrefix(prefix);
                assertEquals(
                        Trees.text(limit == null ? map.tailMap(prefix) : map.subMap(prefix, limit)),
                        Trees.text(HybridTrees.read(tree, prefix)));
            }
            if (random.nextInt(2000) == 0) {
                tree.snapshot();
                assertEquals(0, tree.changeCount());
                assertTrue(Arrays.equals(Trees.bytes(map), disk.bytes(Trees.PATH)));
                if (random.nextBoolean()) {
                    tree.close();
                    tree = HybridTree.open(Trees.PATH, options);
                }
            }
        }
        tree.close();
        Figures.print("tree, operations on a hybrid tree compared with a TreeMap", operations);
    }

    @Test
    void withoutASnapshotItIsAMapInMemory(@TempDir Path folder) throws IOException {
        try (HybridTree tree = HybridTree.open(folder.resolve("none.act"))) {
            tree.put(TreeKeySets.bytes("a"), -1);
            assertEquals(-1, tree.get(TreeKeySets.bytes("a")).getAsLong());
            tree.remove(TreeKeySets.bytes("a"));
            assertFalse(tree.contains(TreeKeySets.bytes("a")));
            assertEquals("", Trees.text(HybridTrees.read(tree)));
        }
        assertFalse(Files.exists(folder.resolve("none.act")));
    }

    @Test
    void aClosedTreeRefuses(@TempDir Path folder) throws IOException {
        HybridTree tree = HybridTree.open(folder.resolve("t.act"));
        tree.put(new byte[] {1}, 1);
        tree.snapshot();
        tree.close();
        tree.close();
        assertThrows(IllegalStateException.class, () -> tree.get(new byte[] {1}));
        assertThrows(IllegalStateException.class, () -> tree.put(new byte[] {1}, 2));
        assertThrows(IllegalStateException.class, tree::snapshot);
    }

    @Test
    void aSnapshotKeepsPathsWithoutValues(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("t.act");
        TreeWriter.write(file, TreeWriter.Options.DEFAULT, writer -> {
            writer.appendPath(TreeKeySets.bytes("empty"));
            writer.append(TreeKeySets.bytes("full"), 1);
            writer.appendPath(TreeKeySets.bytes("gone"));
        });
        try (HybridTree tree = HybridTree.open(file)) {
            tree.put(TreeKeySets.bytes("new"), 2);
            tree.remove(TreeKeySets.bytes("gone"));
            tree.snapshot();
            assertEquals("full=1 new=2", text(tree));
        }
        try (TreeReader tree = TreeReader.open(file)) {
            assertTrue(tree.position(TreeKeySets.bytes("empty")).exists());
            assertFalse(tree.position(TreeKeySets.bytes("gone")).exists());
        }
    }

    private static String text(HybridTree tree) {
        List<String> entries = new ArrayList<>();
        try (HybridScan scan = tree.scan()) {
            while (scan.next()) {
                entries.add(KeyText.of(scan.path()) + "=" + scan.value());
            }
        }
        return String.join(" ", entries);
    }

    @Test
    void aSnapshotUnderAnotherNameLeavesTheTreeAsItIs(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("t.act");
        Path copy = folder.resolve("copy.act");
        try (HybridTree tree = HybridTree.open(file)) {
            tree.put(TreeKeySets.bytes("a"), 1);
            tree.snapshot();
            tree.put(TreeKeySets.bytes("b"), 2);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> tree.snapshotTo(file, TreeWriter.Options.DEFAULT, Progress.NONE));
            assertEquals(
                    2,
                    tree.snapshotTo(copy, TreeWriter.Options.DEFAULT, Progress.NONE)
                            .keyCount());
            assertEquals(1, tree.changeCount());
            assertThrows(
                    FileAlreadyExistsException.class,
                    () -> tree.snapshotTo(copy, TreeWriter.Options.DEFAULT, Progress.NONE));
        }
        try (TreeReader old = TreeReader.open(file);
                TreeReader all = TreeReader.open(copy)) {
            assertEquals(1, old.count());
            assertEquals(2, all.count());
        }
    }

    @Test
    void aScanOutlivesTheSnapshotItBeganWith(@TempDir Path folder) throws IOException {
        HybridTree tree = HybridTree.open(folder.resolve("t.act"));
        tree.put(TreeKeySets.bytes("a"), 1);
        tree.put(TreeKeySets.bytes("b"), 2);
        tree.snapshot();
        HybridScan scan = tree.scan();
        assertTrue(scan.next());
        tree.put(TreeKeySets.bytes("c"), 3);
        tree.snapshot();
        tree.close();
        assertTrue(scan.next());
        assertEquals(2, scan.value());
        scan.close();
        assertThrows(IllegalStateException.class, scan::next);
        assertEquals(List.of(), OpenResources.under(folder));
    }

    /// Each key counts up, in pairs that are put first and second: a reader that sees the second must see the
    /// first.
    @Test
    void readersNeverSeeAHalfState(@TempDir Path folder) throws Exception {
        int rounds = TestData.isLong() ? 200 : 12;
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong reads = new AtomicLong();
        byte[] first = TreeKeySets.bytes("first");
        byte[] second = TreeKeySets.bytes("second");
        try (HybridTree tree = HybridTree.open(folder.resolve("t.act"));
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            tree.put(first, 0);
            tree.put(second, 0);
            Callable<Void> reading = () -> {
                long seen = 0;
                while (!isOver.get()) {
                    long later = tree.get(second).orElseThrow();
                    long earlier = tree.get(first).orElseThrow();
                    assertTrue(earlier >= later, earlier + " before " + later);
                    assertTrue(later >= seen, "went back from " + seen + " to " + later);
                    seen = later;
                    if (reads.incrementAndGet() % 64 == 0) {
                        assertTrue(HybridTrees.read(tree).size() >= 2);
                    }
                }
                return null;
            };
            Callable<Void> writing = () -> {
                for (long i = 1; !isOver.get(); i++) {
                    tree.put(first, i);
                    tree.put(second, i);
                    tree.put(new byte[] {(byte) i, (byte) (i >> 8)}, i);
                }
                return null;
            };
            List<Future<Void>> running = new ArrayList<>();
            running.add(threads.submit(reading));
            running.add(threads.submit(reading));
            running.add(threads.submit(writing));
            try {
                for (int round = 0; round < rounds; round++) {
                    tree.snapshot();
                }
            } finally {
                isOver.set(true);
            }
            for (Future<Void> future : running) {
                future.get();
            }
        }
        assertTrue(reads.get() > 100, reads + " reads");
    }
}
