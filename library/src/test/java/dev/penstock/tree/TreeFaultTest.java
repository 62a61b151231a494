// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.FaultyDisk.Plan;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.NewFile;
import dev.penstock.file.WatchedDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Every operation of writing fails, once and for ever: there is the old tree, none, or the new one, whole.
@ExtendWith(Seeds.class)
@Tag("full")
class TreeFaultTest {
    private static final int WINDOW = 1 << 12;

    private final SortedMap<byte[], Long> oldMap = TreeKeySets.get("k16");
    private final SortedMap<byte[], Long> newMap = TreeKeySets.get("varlen_300");
    private final List<String> violations = new ArrayList<>();

    @FunctionalInterface
    private interface Writing {
        void to(Disk disk) throws IOException;
    }

    private void writeTree(Disk disk) throws IOException {
        TreeWriter.Options options = TreeWriter.Options.DEFAULT.withDisk(disk).withReplacing(true);
        TreeWriter writer = TreeWriter.create(Trees.PATH, options, null, TreeFormat.HEADER_SIZE, WINDOW);
        try {
            for (Map.Entry<byte[], Long> entry : newMap.entrySet()) {
                writer.append(entry.getKey(), entry.getValue());
            }
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
    }

    private void writeSorted(Disk disk) throws IOException {
        try (TreeSorter sorter = TreeSorter.create(Trees.PATH, TreeSorter.MEMORY_MIN, disk)) {
            byte[] filler = new byte[250_000];
            for (Map.Entry<byte[], Long> entry : newMap.reversed().entrySet()) {
                sorter.append(entry.getKey(), entry.getValue());
                if (entry.getValue() % 50 == 0) {
                    sorter.append(filler, 5);
                }
            }
            for (int i = 0; i < 10; i++) {
                sorter.append(filler, 5);
            }
            TreeWriter.Options options =
                    TreeWriter.Options.DEFAULT.withDisk(disk).withReplacing(true);
            TreeWriter writer = TreeWriter.create(Trees.PATH, options);
            try {
                sorter.writeTo(writer);
            } catch (Throwable e) {
                writer.abort();
                throw e;
            }
            writer.close();
        }
    }

    private SortedMap<byte[], Long> withFiller() {
        SortedMap<byte[], Long> map = TreeKeySets.empty();
        map.putAll(newMap);
        map.put(new byte[250_000], 5L);
        return map;
    }

    private void writePaths(Disk disk) throws IOException {
        PathsWriter writer = PathsWriter.create(Trees.PATH, true, disk);
        try {
            for (byte[] path : newMap.keySet()) {
                writer.append(path);
            }
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
    }

    @Test
    void aFaultWhileWritingLeavesTheOldTreeOrTheNewOneWhole() throws IOException {
        long attempts = sweep(Trees.bytes(newMap), UnaryOperator.identity(), this::writeTree);
        assertEquals(List.of(), violations);
        assertTrue(attempts > 30, "only " + attempts + " attempts");
        Figures.print("tree, writes with one operation failing", attempts);
    }

    @Test
    void aFaultWhileSortingLeavesTheOldTreeOrTheNewOneWhole() throws IOException {
        long attempts = sweep(Trees.bytes(withFiller()), UnaryOperator.identity(), this::writeSorted);
        assertEquals(List.of(), violations);
        assertTrue(attempts > 30, "only " + attempts + " attempts");
        Figures.print("tree, writes with one operation failing", attempts);
    }

    @Test
    void aFaultWhileWritingPathsLeavesTheOldFileOrTheNewOneWhole() throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(Trees.PATH.getParent());
        writePaths(disk);
        long attempts = sweep(disk.bytes(Trees.PATH), UnaryOperator.identity(), this::writePaths);
        assertEquals(List.of(), violations);
        Figures.print("tree, writes with one operation failing", attempts);
    }

    @Test
    void aWriterThatIgnoresAFailureIsCaught() throws IOException {
        sweep(Trees.bytes(newMap), BuggyDisks::withIgnoredWriteErrors, this::writeTree);
        assertFalse(violations.isEmpty());
        violations.clear();
        sweep(Trees.bytes(newMap), BuggyDisks::withoutDelete, this::writeTree);
        assertFalse(violations.isEmpty());
    }

    private long sweep(byte[] whole, UnaryOperator<Disk> bug, Writing writing) throws IOException {
        byte[] old = Trees.bytes(oldMap);
        return FaultyDisk.sweep(plan -> {
            MemoryDisk memory = new MemoryDisk().put(Trees.PATH, old.clone());
            FaultyDisk faulty = new FaultyDisk(memory, plan);
            WatchedDisk watched = new WatchedDisk(faulty);
            boolean isDone = attempt(writing, bug.apply(watched), plan);
            byte[] found = memory.bytes(Trees.PATH);
            boolean isNew = Arrays.equals(found, whole);
            if (!isNew && (isDone || !Arrays.equals(found, old))) {
                violations.add(plan + ": done " + isDone + ", found " + (found == null ? "none" : found.length));
            }
            if (isDone && watched.hasLostBytes()) {
                violations.add(plan + ": done, though bytes were lost");
            }
            if (watched.openCount() > 0) {
                violations.add(plan + ": " + watched.openCount() + " files stay open");
            }
            requireTidy(memory, plan, faulty);
            return faulty;
        });
    }

    /// One file may be left when its removal is what failed, and has a name by which the next writer knows it.
    private void requireTidy(MemoryDisk memory, Plan plan, FaultyDisk faulty) {
        long others = memory.files().stream()
                .filter(file -> !file.equals(Trees.PATH))
                .peek(file -> assertTrue(NewFile.isTemporary(file), file.toString()))
                .count();
        boolean canDelete = !plan.isForEver() || !faulty.hasFired();
        if (canDelete && others > (faulty.hasFired() && isSorting ? 1 : 0)) {
            violations.add(plan + ": left behind " + memory.files());
        }
    }

    private boolean isSorting;

    private boolean attempt(Writing writing, Disk disk, Plan plan) {
        isSorting = false;
        try {
            writing.to(disk);
            return true;
        } catch (IOException e) {
            if (!e.getMessage().matches("Input/output error|No space left on device")) {
                violations.add(plan + ": the fault is hidden behind " + e);
            }
            isSorting = Arrays.stream(e.getStackTrace())
                    .anyMatch(frame -> frame.getMethodName().equals("delete"));
            return false;
        } catch (RuntimeException | Error e) {
            violations.add(plan + ": " + e);
            return false;
        }
    }

    /// After a snapshot that failed all changes are there, and the next one has them too.
    @Test
    void aSnapshotThatFailsLosesNothing() throws IOException {
        byte[] old = Trees.bytes(oldMap);
        SortedMap<byte[], Long> all = TreeKeySets.empty();
        all.putAll(oldMap);
        all.putAll(newMap);
        all.put(new byte[] {1}, 2L);
        long attempts = FaultyDisk.sweep(plan -> {
            MemoryDisk memory = new MemoryDisk().put(Trees.PATH, old.clone());
            FaultyDisk faulty = new FaultyDisk(memory, plan);
            try (HybridTree tree = HybridTree.open(Trees.PATH, TreeWriter.Options.DEFAULT.withDisk(faulty))) {
                newMap.forEach(tree::put);
                try {
                    tree.snapshot();
                } catch (IOException e) {
                    assertEquals(newMap.size(), tree.changeCount());
                }
                tree.put(new byte[] {1}, 2);
                assertEquals(Trees.text(all), Trees.text(HybridTrees.read(tree)), plan.toString());
                if (!plan.isForEver()) {
                    tree.snapshot();
                    assertEquals(Trees.text(all), Trees.text(HybridTrees.read(tree)), plan.toString());
                    assertTrue(Arrays.equals(Trees.bytes(all), memory.bytes(Trees.PATH)), plan.toString());
                }
            } catch (IOException e) {
                // It could not even be opened.
            }
            return faulty;
        });
        assertTrue(attempts > 30, "only " + attempts + " attempts");
        Figures.print("tree, snapshots with one operation failing", attempts);
    }
}
