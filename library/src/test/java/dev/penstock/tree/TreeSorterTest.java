// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Paths in any order become the tree of the map that they make up.
@ExtendWith(Seeds.class)
class TreeSorterTest {
    private final Random random = Seeds.random();

    /// Few keys stay in memory, more are sorted in files, and many files are merged in several passes.
    @ParameterizedTest
    @CsvSource({"0, 10", "1, 10", "5000, 20", "40000, 60", "120000, 300"})
    void theLastValueOfEachPathIsWritten(int count, int size) throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(Trees.PATH.getParent());
        SortedMap<byte[], Long> map = TreeKeySets.empty();
        long duplicates = 0;
        TreeSorter.Result result;
        try (TreeSorter sorter = TreeSorter.create(Trees.PATH, TreeSorter.MEMORY_MIN, disk)) {
            for (int i = 0; i < count; i++) {
                byte[] key = new byte[random.nextInt(size)];
                random.nextBytes(key);
                for (int j = 0; j < Math.min(key.length, 9); j++) {
                    key[j] &= 1;
                }
                duplicates += map.put(key, (long) i) == null ? 0 : 1;
                sorter.append(key, i);
            }
            try (TreeWriter writer = TreeWriter.create(Trees.PATH, TreeWriter.Options.DEFAULT.withDisk(disk))) {
                result = sorter.writeTo(writer);
            }
        }
        assertArrayEquals(Trees.bytes(map), disk.bytes(Trees.PATH));
        assertEquals(map.size(), result.keyCount());
        assertEquals(duplicates, result.duplicateCount());
        assertEquals(count >= 40_000, result.runCount() > 1);
        assertEquals(count >= 120_000, result.runCount() > 17, result.toString());
        assertEquals(List.of(Trees.PATH), disk.files());
    }

    @Test
    void tooLittleMemoryAndTooLongPathsAreRefused() throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(Trees.PATH.getParent());
        assertThrows(IllegalArgumentException.class, () -> TreeSorter.create(Trees.PATH, 1000, disk));
        try (TreeSorter sorter = TreeSorter.create(Trees.PATH, TreeSorter.MEMORY_MIN, disk)) {
            IllegalArgumentException refusal =
                    assertThrows(IllegalArgumentException.class, () -> sorter.append(new byte[300_000], 1));
            assertTrue(refusal.getMessage().contains("allow four times"), refusal.getMessage());
        }
    }
}
