// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Random maps are written, and every question is put to the tree and to a `TreeMap`.
@ExtendWith(Seeds.class)
class TreeDifferentialTest {
    private static final int OPERATIONS = TestData.isLong() ? 40_000_000 : 600_000;

    /// The kinds of random keys.
    enum Keys {
        /// A few letters, so that most are prefixes of others.
        NESTED,
        /// Only the first and the last byte there is.
        EXTREME,
        /// Any bytes, so that branches have 256 children.
        ANY,
        /// Long stretches in common.
        LONG;

        byte[] key(Random random) {
            int size = this == LONG ? random.nextInt(600) : this == ANY ? random.nextInt(5) : random.nextInt(14);
            byte[] key = new byte[size];
            for (int i = 0; i < size; i++) {
                key[i] = switch (this) {
                    case NESTED -> (byte) ('a' + random.nextInt(3));
                    case EXTREME -> (byte) -random.nextInt(2);
                    case ANY -> (byte) random.nextInt();
                    case LONG -> random.nextInt(80) == 0 ? (byte) random.nextInt(4) : 9;
                };
            }
            return key;
        }
    }

    private final Random random = Seeds.random();

    private NavigableMap<byte[], Long> map(Keys keys) {
        NavigableMap<byte[], Long> map = new TreeMap<>(Arrays::compareUnsigned);
        int count = keys == Keys.ANY ? random.nextInt(20_000) : random.nextInt(400);
        for (int i = 0; i < count; i++) {
            map.put(keys.key(random), random.nextLong() >>> random.nextInt(64));
        }
        return map;
    }

    @ParameterizedTest
    @EnumSource
    void aTreeAnswersLikeAMap(Keys keys) throws IOException {
        long operations = 0;
        for (int round = 0; operations < OPERATIONS / Keys.values().length; round++) {
            NavigableMap<byte[], Long> map = map(keys);
            TreeWriter.Options options = TreeWriter.Options.DEFAULT
                    .withSharing(round % 3 == 1)
                    .withRootStyle(TreeWriter.RootStyle.values()[round % 2])
                    .withLineLimit(round % 5 == 4 ? random.nextInt(10) : TreeWriter.Options.UNLIMITED);
            byte[] file = Trees.bytes(map, List.of(), options);
            Access access = Access.values()[round % 2];
            TreeReader.Options reading = TreeReader.Options.DEFAULT
                    .withDisk(new MemoryDisk().put(Trees.PATH, file))
                    .withAccess(access);
            try (TreeReader tree = TreeReader.open(Trees.PATH, reading)) {
                Trees.requireEqual(map, tree.scan());
                assertEquals(map.size(), tree.count());
                assertEquals(List.of(), tree.verify(Progress.NONE).problems());
                operations += 3L * map.size() + ask(tree, map, keys);
            }
        }
        Figures.print("tree, operations compared with a TreeMap", operations);
    }

    private long ask(TreeReader tree, NavigableMap<byte[], Long> map, Keys keys) {
        List<byte[]> all = new ArrayList<>(map.keySet());
        for (int i = 0; i < 1000; i++) {
            byte[] key = pick(all, keys);
            Long expected = map.get(key);
            assertEquals(expected, tree.contains(key) ? tree.get(key).getAsLong() : null);
            assertEquals(expected == null ? 77 : expected, tree.get(key, 77));
        }
        List<byte[]> batch = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            batch.add(pick(all, keys));
        }
        if (random.nextBoolean()) {
            batch.sort(Arrays::compareUnsigned);
        }
        long[] values = new long[batch.size()];
        int found = tree.get(batch, values, 77);
        assertEquals(batch.stream().filter(map::containsKey).count(), found);
        for (int i = 0; i < values.length; i++) {
            assertEquals(map.getOrDefault(batch.get(i), 77L), values[i]);
        }
        for (int i = 0; i < 5; i++) {
            byte[] from = pick(all, keys);
            byte[] limit = pick(all, keys);
            SortedMap<byte[], Long> range = Arrays.compareUnsigned(from, limit) < 0
                    ? map.subMap(from, true, limit, false)
                    : TreeKeySets.empty();
            Trees.requireEqual(range, tree.scanRange(from, limit));
            byte[] prefix = Arrays.copyOf(from, random.nextInt(from.length + 1));
            SortedMap<byte[], Long> below = below(map, prefix);
            Trees.requireEqual(below, tree.scanPrefix(prefix));
            assertEquals(below.size(), tree.count(prefix));
            assertArrayEquals(children(below, prefix.length), tree.children(prefix));
        }
        return 3_500;
    }

    private static SortedMap<byte[], Long> below(NavigableMap<byte[], Long> map, byte[] prefix) {
        byte[] limit = TreeScan.afterPrefix(prefix);
        return limit == null ? map.tailMap(prefix, true) : map.subMap(prefix, true, limit, false);
    }

    private static byte[] children(SortedMap<byte[], Long> below, int size) {
        TreeSet<Integer> bytes = new TreeSet<>();
        below.keySet().stream().filter(key -> key.length > size).forEach(key -> bytes.add(key[size] & 0xFF));
        byte[] children = new byte[bytes.size()];
        int i = 0;
        for (int next : bytes) {
            children[i++] = (byte) next;
        }
        return children;
    }

    /// A key of the map, one that is nearly, or any.
    private byte[] pick(List<byte[]> all, Keys keys) {
        if (all.isEmpty() || random.nextInt(4) == 0) {
            return keys.key(random);
        }
        byte[] key = all.get(random.nextInt(all.size())).clone();
        if (key.length > 0 && random.nextInt(3) == 0) {
            key[random.nextInt(key.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return random.nextInt(5) == 0 ? Arrays.copyOf(key, random.nextInt(key.length + 3)) : key;
    }

    @Test
    void aWrongTreeIsNoticed() throws IOException {
        NavigableMap<byte[], Long> map = map(Keys.NESTED);
        map.put(new byte[] {1}, 5L);
        NavigableMap<byte[], Long> other = new TreeMap<>(map);
        other.remove(new byte[] {1});
        try (TreeReader tree = Trees.open(Trees.bytes(other))) {
            assertThrows(AssertionError.class, () -> Trees.requireEqual(map, tree.scan()));
            assertFalse(tree.contains(new byte[] {1}));
        }
    }

    @Test
    void megabyteKeysAreWrittenAndFound() throws IOException {
        NavigableMap<byte[], Long> map = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = 0; i < 12; i++) {
            byte[] key = new byte[(3 << 20) + i * 70_001];
            Arrays.fill(key, (byte) 'm');
            key[key.length - 1 - i * 90_000] = (byte) i;
            map.put(key, (long) i);
        }
        try (TreeReader tree = Trees.open(Trees.bytes(map))) {
            map.forEach((key, value) -> assertEquals(value, tree.get(key).getAsLong()));
            TreeScan scan = tree.scan();
            for (byte[] key : map.keySet()) {
                assertEquals(true, scan.next());
                assertArrayEquals(key, scan.path());
            }
        }
    }

    @Test
    void scansPositionsAndWritersAgreeOnPathsWithoutValues() throws IOException {
        for (int round = 0; round < 200; round++) {
            NavigableMap<byte[], Long> map = map(Keys.NESTED);
            List<byte[]> created = new ArrayList<>();
            for (int i = random.nextInt(60); i >= 0; i--) {
                created.add(Keys.NESTED.key(random));
            }
            byte[] file = Trees.bytes(map, created, TreeWriter.Options.DEFAULT);
            try (TreeReader tree = Trees.open(file)) {
                assertEquals(Trees.text(map), Trees.text(Trees.read(tree.scan())));
                for (byte[] path : created) {
                    assertEquals(true, tree.position(path).exists());
                }
                MemoryDisk disk = new MemoryDisk().addFolder(Trees.PATH.getParent());
                try (TreeWriter writer = TreeWriter.create(Trees.PATH, TreeWriter.Options.DEFAULT.withDisk(disk))) {
                    writer.appendAll(tree);
                }
                assertArrayEquals(file, disk.bytes(Trees.PATH));
            }
        }
    }
}
