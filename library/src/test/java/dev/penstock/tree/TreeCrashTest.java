// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.CrashStates;
import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.RecordingDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A tree is written, sorted or snapshot, and the process is killed, or the power is cut, after every operation.
@ExtendWith(Seeds.class)
@Tag("full")
class TreeCrashTest {
    private static final int WINDOW = 1 << 12;

    private final Random random = Seeds.random();
    private final SortedMap<byte[], Long> oldMap = TreeKeySets.get("k16");
    private final SortedMap<byte[], Long> newMap = TreeKeySets.get("varlen_300");

    /// The ways in which the new tree is made.
    enum Way {
        CREATE,
        REPLACE,
        SORT,
        SNAPSHOT;

        boolean isReplacing() {
            return this == REPLACE || this == SNAPSHOT;
        }
    }

    private void write(Way way, Disk disk) throws IOException {
        TreeWriter.Options options = TreeWriter.Options.DEFAULT.withDisk(disk).withReplacing(way.isReplacing());
        switch (way) {
            case CREATE, REPLACE -> {
                try (TreeWriter writer = TreeWriter.create(Trees.PATH, options, null, TreeFormat.HEADER_SIZE, WINDOW)) {
                    for (Map.Entry<byte[], Long> entry : newMap.entrySet()) {
                        writer.append(entry.getKey(), entry.getValue());
                    }
                }
            }
            case SORT -> {
                try (TreeSorter sorter = TreeSorter.create(Trees.PATH, TreeSorter.MEMORY_MIN, disk)) {
                    for (int round = 0; round < 2; round++) {
                        for (Map.Entry<byte[], Long> entry : newMap.entrySet()) {
                            sorter.append(entry.getKey(), entry.getValue() + 1 - round);
                        }
                        // More than fits, so that files are written; the last value wins.
                        byte[] filler = new byte[200_000];
                        for (int i = 0; i < 5; i++) {
                            sorter.append(filler, i);
                        }
                    }
                    try (TreeWriter writer = TreeWriter.create(Trees.PATH, options)) {
                        assertTrue(sorter.writeTo(writer).runCount() > 1);
                    }
                }
            }
            case SNAPSHOT -> {
                try (HybridTree tree = HybridTree.open(Trees.PATH, options)) {
                    oldMap.keySet().forEach(tree::remove);
                    newMap.forEach(tree::put);
                    tree.snapshot();
                }
            }
        }
    }

    private byte[] expected(Way way) throws IOException {
        SortedMap<byte[], Long> map = TreeKeySets.empty();
        map.putAll(newMap);
        if (way == Way.SORT) {
            map.put(new byte[200_000], 4L);
        }
        return Trees.bytes(map);
    }

    @ParameterizedTest
    @EnumSource
    void afterACrashTheOldTreeIsThereOrTheNewOneWhole(Way way) throws IOException {
        Run run = run(way, UnaryOperator.identity());
        assertEquals(List.of(), run.violations);
        assertTrue(run.newCount > 0, "no state showed the new tree");
        assertTrue(run.stateCount > 10, "only " + run.stateCount + " states");
        Figures.print("tree, crash states tried", run.stateCount);
    }

    @Test
    void awriterThatForgetsSomethingIsCaught() throws IOException {
        assertFalse(run(Way.CREATE, BuggyDisks::withoutForce).violations.isEmpty());
        assertFalse(run(Way.SNAPSHOT, BuggyDisks::withoutForce).violations.isEmpty());
        assertFalse(
                run(Way.REPLACE, BuggyDisks::withoutForceDirectory).violations.isEmpty());
        assertFalse(
                run(Way.SNAPSHOT, BuggyDisks::withDeleteBeforeMove).violations.isEmpty());
        assertFalse(
                run(Way.CREATE, BuggyDisks::withCopyInsteadOfMove).violations.isEmpty());
        assertFalse(run(Way.REPLACE, disk -> BuggyDisks.withoutTemporary(disk, Trees.PATH))
                .violations
                .isEmpty());
    }

    private static final class Run {
        private final List<String> violations = new ArrayList<>();
        private long stateCount;
        private long newCount;
    }

    private Run run(Way way, UnaryOperator<Disk> bug) throws IOException {
        byte[] oldBytes = way.isReplacing() ? Trees.bytes(oldMap) : null;
        byte[] newBytes = expected(way);
        MemoryDisk start = new MemoryDisk().addFolder(Trees.PATH.getParent());
        if (oldBytes != null) {
            start.put(Trees.PATH, oldBytes);
        }
        RecordingDisk disk = new RecordingDisk(start.copy());
        write(way, bug.apply(disk));
        int promisedAt = disk.operationCount();
        Run run = new Run();
        run.stateCount = CrashStates.forEach(start, disk.operations(), random, state -> {
            byte[] found = state.disk().bytes(Trees.PATH);
            boolean isNew = Arrays.equals(found, newBytes);
            run.newCount += isNew ? 1 : 0;
            boolean isOld = Arrays.equals(found, oldBytes);
            if (!isNew && (!isOld || state.operationCount() >= promisedAt)) {
                run.violations.add("after " + state.operationCount() + " operations " + state.how());
            } else if (found != null && !isSound(state.disk())) {
                run.violations.add("unsound after " + state.operationCount() + " operations " + state.how());
            }
        });
        return run;
    }

    private static boolean isSound(Disk disk) {
        try (TreeReader tree = TreeReader.open(Trees.PATH, TreeReader.Options.DEFAULT.withDisk(disk))) {
            return tree.verify(Progress.NONE).problems().isEmpty();
        } catch (IOException | DatasetException e) {
            return false;
        }
    }

    @Test
    void theNextSorterRemovesFilesOfACrash() throws IOException {
        MemoryDisk start = new MemoryDisk().addFolder(Trees.PATH.getParent());
        RecordingDisk disk = new RecordingDisk(start.copy());
        write(Way.SORT, disk);
        List<String> violations = new ArrayList<>();
        CrashStates.forEach(start, disk.operations(), random, state -> {
            try {
                state.disk().delete(Trees.PATH);
                write(Way.SORT, state.disk());
                if (!state.disk().files().equals(List.of(Trees.PATH))) {
                    violations.add(state.how() + " left " + state.disk().files());
                }
            } catch (IOException e) {
                violations.add(state.how() + ": " + e);
            }
        });
        assertEquals(List.of(), violations);
    }
}
