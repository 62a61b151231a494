// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Progress;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

/// Equal subtrees that are stored once make a smaller file that says the same.
class TreeSharingTest {
    private static final TreeWriter.Options SHARING = TreeWriter.Options.DEFAULT.withSharing(true);

    /// All words of a length over some letters, each followed by one of the endings.
    private static SortedMap<byte[], Long> words(String letters, int size, String endings) {
        List<String> words = new ArrayList<>(List.of(""));
        for (int i = 0; i < size; i++) {
            List<String> longer = new ArrayList<>();
            for (String word : words) {
                letters.chars().forEach(letter -> longer.add(word + (char) letter));
            }
            words = longer;
        }
        SortedMap<byte[], Long> map = TreeKeySets.empty();
        for (String word : words) {
            endings.chars().forEach(end -> map.put(TreeKeySets.bytes(word + (char) end), (long) end));
        }
        return map;
    }

    @Test
    void sharedSubtreesAreStoredOnce() throws IOException {
        SortedMap<byte[], Long> map = words("abcd", 6, "xyz");
        MemoryDisk disk = new MemoryDisk().addFolder(Trees.PATH.getParent());
        TreeWriter.Summary summary = Trees.write(map, List.of(), SHARING.withDisk(disk));
        byte[] shared = disk.bytes(Trees.PATH);
        byte[] plain = Trees.bytes(map);
        assertTrue(shared.length * 50 < plain.length, shared.length + " of " + plain.length);
        assertTrue(summary.sharedBytes() > plain.length * 9 / 10, summary.toString());
        try (TreeReader tree = Trees.open(shared)) {
            Trees.requireEqual(map, tree.scan());
            assertEquals(map.size(), tree.count());
            assertEquals(List.of(), tree.verify(Progress.NONE).problems());
            TreeStats stats = tree.stats();
            assertEquals(map.size(), stats.keyCount());
            assertEquals(7, stats.longestPathSize());
            assertTrue(stats.sharedRunCount() > 0);
            MemoryDisk again = new MemoryDisk().addFolder(Trees.PATH.getParent());
            try (TreeWriter writer = TreeWriter.create(Trees.PATH, TreeWriter.Options.DEFAULT.withDisk(again))) {
                writer.appendAll(tree);
            }
            assertArrayEquals(plain, again.bytes(Trees.PATH));
        }
    }

    @Test
    void wideAndRealTreesBecomeSmaller() throws IOException {
        byte[] wide = Trees.bytes(TreeKeySets.get("wide_200k"), List.of(), SHARING);
        assertTrue(wide.length < 20_000, wide.length + " bytes");
        SortedMap<byte[], Long> keys = TreeKeySets.zero(PathsReader.readAll(Trees.bigLogic()));
        byte[] plain = Trees.bytes(keys);
        byte[] shared = Trees.bytes(keys, List.of(), SHARING);
        assertTrue(shared.length < plain.length, shared.length + " of " + plain.length);
        try (TreeReader tree = Trees.open(shared)) {
            Trees.requireEqual(keys, tree.scan());
        }
    }

    @Test
    void aTreeWithoutEqualSubtreesIsCanonical() throws IOException {
        SortedMap<byte[], Long> map = TreeKeySets.get("k16");
        assertArrayEquals(Trees.bytes(map), Trees.bytes(map, List.of(), SHARING));
    }

    /// Line data that has left memory is compared with what is in the file.
    @Test
    void aSmallWindowChangesNoByte() throws IOException {
        for (String name : List.of("tails_1000", "longtails_4k", "nested_60", "long_mixed")) {
            SortedMap<byte[], Long> map = TreeKeySets.get(name);
            for (boolean isSharing : new boolean[] {false, true}) {
                MemoryDisk disk = new MemoryDisk().addFolder(Trees.PATH.getParent());
                TreeWriter.Options options = TreeWriter.Options.DEFAULT.withSharing(isSharing);
                try (TreeWriter writer =
                        TreeWriter.create(Trees.PATH, options.withDisk(disk), null, TreeFormat.HEADER_SIZE, 1 << 10)) {
                    for (Map.Entry<byte[], Long> entry : map.entrySet()) {
                        writer.append(entry.getKey(), entry.getValue());
                    }
                }
                assertArrayEquals(Trees.bytes(map, List.of(), options), disk.bytes(Trees.PATH), name);
            }
        }
    }
}
