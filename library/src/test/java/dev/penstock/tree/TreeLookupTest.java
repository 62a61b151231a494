// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The tables that lookups remember change no answer, and memory that is read ahead is freed with the tree.
class TreeLookupTest {
    private static final long MISSING = -1;

    private static SortedMap<byte[], Long> keys(String kind) {
        return TreeKeySets.index(
                switch (kind) {
                    case "narrow" -> TreeKeySets.narrow(20_000);
                    case "wide" -> TreeKeySets.wide(20_000);
                    case "binary" -> TreeKeySets.binary(20_000, 5, 20);
                    case "words" -> TreeKeySets.words(20_000, 5);
                    case "few letters" -> TreeKeySets.alpha(20_000, 5, "ab", 1, 40);
                    default -> behind(kind.replaceAll("\\D", ""), TreeKeySets.alpha(5_000, 5, "abc", 1, 40));
                });
    }

    private static List<byte[]> behind(String count, List<byte[]> keys) {
        String prefix = "x".repeat(Integer.parseInt(count));
        return keys.stream()
                .map(key -> TreeKeySets.bytes(prefix + new String(key, StandardCharsets.ISO_8859_1)))
                .toList();
    }

    /// Keys and, for each, one that differs from it a little.
    private static List<byte[]> questions(SortedMap<byte[], Long> map, Random random) {
        List<byte[]> questions = new ArrayList<>();
        for (byte[] key : map.keySet()) {
            questions.add(key);
            byte[] other = Arrays.copyOf(key, Math.max(1, key.length + random.nextInt(3) - 1));
            other[random.nextInt(other.length)] ^= (byte) (1 << random.nextInt(8));
            questions.add(other);
        }
        Collections.shuffle(questions, random);
        return questions;
    }

    private static void requireAnswers(TreeReader tree, SortedMap<byte[], Long> map, List<byte[]> questions) {
        long[] values = new long[questions.size()];
        tree.get(questions, values, MISSING);
        for (int i = 0; i < values.length; i++) {
            byte[] question = questions.get(i);
            long expected = map.getOrDefault(question, MISSING);
            assertEquals(expected, tree.get(question, MISSING), () -> KeyText.of(question));
            assertEquals(expected, values[i], () -> KeyText.of(question));
            assertEquals(expected != MISSING, tree.contains(question), () -> KeyText.of(question));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"narrow", "wide", "binary", "words", "few letters", "behind 1", "behind 63", "behind 70"})
    void askingAgainGivesTheSameAnswer(String kind) throws Exception {
        SortedMap<byte[], Long> map = keys(kind);
        Random random = Seeds.random();
        try (TreeReader tree = Trees.open(Trees.bytes(map));
                ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Callable<Void>> work = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                List<byte[]> questions = questions(map, random);
                work.add(() -> {
                    for (int round = 0; round < 3; round++) {
                        requireAnswers(tree, map, questions);
                    }
                    return null;
                });
            }
            for (Future<Void> future : threads.invokeAll(work)) {
                future.get();
            }
        }
    }

    /// Each lookup of a batch in order continues from the branches of the one before.
    @ParameterizedTest
    @ValueSource(strings = {"wide", "words", "few letters", "behind 500"})
    void keysInOrderGetTheSameAnswers(String kind) throws IOException {
        SortedMap<byte[], Long> map = keys(kind);
        List<byte[]> questions = questions(map, Seeds.random());
        questions.sort(Arrays::compareUnsigned);
        try (TreeReader tree = Trees.open(Trees.bytes(map))) {
            requireAnswers(tree, map, questions);
        }
    }

    @Test
    void aBranchBeyondATebibyteIsNotTakenForAnother() {
        long far = 1L << 40;
        ChildSteps steps = new ChildSteps(2 * far);
        steps.put(1000, 5, 900, false);
        assertEquals(ChildSteps.NONE, steps.find(far + 1000, 5));
        ChildSteps near = new ChildSteps(far);
        near.put(1000, 5, 900, true);
        assertEquals(900, ChildSteps.child(1000, near.find(1000, 5)));
        assertTrue(ChildSteps.isLine(near.find(1000, 5)));
        assertEquals(ChildSteps.NONE, near.find(1000, 6));
    }

    @Test
    void aClosedTreeAnswersNothing() throws IOException {
        TreeReader tree = Trees.open(Trees.bytes(TreeKeySets.zero(TreeKeySets.wide(1000))));
        TreeScan scan = tree.scan();
        assertTrue(scan.next());
        assertTrue(scan.next());
        tree.close();
        byte[] foreign = {77, 1, 1};
        assertThrows(IllegalStateException.class, () -> tree.get(foreign));
        assertThrows(IllegalStateException.class, () -> tree.get(foreign, 1));
        assertThrows(IllegalStateException.class, () -> tree.contains(foreign));
        assertThrows(IllegalStateException.class, scan::next);
    }

    @ParameterizedTest
    @ValueSource(ints = {128, 1000, 70_000})
    void aSmallWindowChangesNoByte(int windowSize) throws IOException {
        SortedMap<byte[], Long> map = TreeKeySets.index(TreeKeySets.words(8_000, 9));
        MemoryDisk disk = new MemoryDisk().addFolder(Trees.PATH.getParent());
        TreeWriter.Options options = TreeWriter.Options.DEFAULT.withDisk(disk);
        try (TreeWriter writer = TreeWriter.create(Trees.PATH, options, null, TreeFormat.HEADER_SIZE, windowSize)) {
            for (Map.Entry<byte[], Long> entry : map.entrySet()) {
                writer.append(entry.getKey(), entry.getValue());
            }
        }
        assertArrayEquals(Trees.bytes(map), disk.bytes(Trees.PATH));
    }

    @Test
    @Tag("full")
    void aTreeThatDoesNotFitIntoMemoryIsScannedAndAsked(@TempDir Path folder) throws IOException {
        SortedMap<byte[], Long> map = keys("words");
        Path file = folder.resolve("large.act");
        TreeWriter.write(file, map, value -> value, TreeWriter.Options.DEFAULT);
        TreeReader.Options options = TreeReader.Options.DEFAULT.withMemoryBytes(Files.size(file) - 1);
        try (TreeReader tree = TreeReader.open(file, options)) {
            assertFalse(tree.isScattered(), "opening decides nothing");
            for (Map.Entry<byte[], Long> entry : map.entrySet()) {
                assertEquals(entry.getValue(), tree.get(entry.getKey()).getAsLong());
            }
            assertTrue(tree.isScattered());
            Trees.requireEqual(map, tree.scan());
        }
        try (TreeReader tree = TreeReader.open(file, options.withMemoryBytes(Files.size(file)))) {
            map.keySet().forEach(tree::get);
            assertFalse(tree.isScattered(), "it fits");
        }
    }
}
