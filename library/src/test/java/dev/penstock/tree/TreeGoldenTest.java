// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Json;
import dev.penstock.Progress;
import dev.penstock.TestData;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The files of the original program are read, and written again byte for byte.
class TreeGoldenTest {
    private static final List<String> WRITERS = List.of("w1", "w2", "w2_c4", "w2_c0", "w2_262144");

    /// Built so that two different segments have the same hash in the original, which then forgets the older one;
    /// ours compares content and is shorter.
    private static final Set<String> COLLIDING = Set.of("hash_collision_5");

    /// Sets of 100,000 keys and more, of which smaller ones of the same kind or the index remain.
    private static final Set<String> LARGE = Set.of(
            "words_1m",
            "tails_600k",
            "tails_100k",
            "binary_200k",
            "binary_100k",
            "alpha_200k",
            "wide_200k",
            "narrow_200k",
            "narrow_200k_index");

    static Stream<String> sets() throws IOException {
        return Json.read(Trees.golden("hashes.json")).get("sets").names().stream()
                .filter(TreeKeySets::has)
                .filter(name -> TestData.isLong() || !LARGE.contains(name));
    }

    @Test
    void everySetIsKnown() throws IOException {
        List<String> unknown = Json.read(Trees.golden("hashes.json")).get("sets").names().stream()
                .filter(name -> !TreeKeySets.has(name))
                .toList();
        assertEquals(List.of("big_logic", "big_logic_index"), unknown);
    }

    @ParameterizedTest
    @MethodSource("sets")
    void aMapBecomesTheBytesOfTheOriginal(String name) throws IOException {
        Json expected = Json.read(Trees.golden("hashes.json")).get("sets").get(name);
        SortedMap<byte[], Long> map = TreeKeySets.get(name);
        assertEquals(expected.get("keys").number(), map.size());
        Map<Long, byte[]> files = new HashMap<>();
        int fileCount = 0;
        for (String writer : WRITERS) {
            if (expected.has(writer)) {
                byte[] file = Trees.bytes(map, TreeKeySets.created(name), Trees.options(writer));
                if (COLLIDING.contains(name)) {
                    assertTrue(file.length <= expected.get(writer).get("bytes").number(), writer);
                } else {
                    assertEquals(expected.get(writer).get("sha256").text(), Trees.sha256(file), writer);
                }
                files.put((long) file.length, file);
                fileCount++;
            }
        }
        for (byte[] file : files.values()) {
            requireReadable(file, map);
        }
        Figures.print("tree, files written as the original writes them", fileCount);
    }

    /// The comparison tells apart writers that differ in nothing but the root, or in what they remember.
    @Test
    void anotherWriterIsNoticed() throws IOException {
        Json a1 = Json.read(Trees.golden("hashes.json")).get("sets").get("a1");
        byte[] streamed = Trees.bytes(TreeKeySets.get("a1"), List.of(), Trees.options("w2"));
        assertNotEquals(a1.get("w1").get("sha256").text(), Trees.sha256(streamed));
        Json tails = Json.read(Trees.golden("hashes.json")).get("sets").get("tails_1000");
        byte[] forgetful = Trees.bytes(
                TreeKeySets.get("tails_1000"), List.of(), Trees.options("w2").withLineLimit(5));
        assertNotEquals(tails.get("w2_c4").get("sha256").text(), Trees.sha256(forgetful));
    }

    private static void requireReadable(byte[] file, SortedMap<byte[], Long> map) throws IOException {
        try (TreeReader tree = Trees.open(file)) {
            Trees.requireEqual(map, tree.scan());
            assertEquals(map.size(), tree.count());
            map.forEach((key, value) -> {
                if (tree.get(key).orElseThrow() != value) {
                    throw new AssertionError(KeyText.of(key));
                }
            });
            assertEquals(List.of(), tree.verify(Progress.NONE).problems());
        }
    }

    static Stream<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(Trees.golden("files"))) {
            return files.filter(file -> file.toString().endsWith(".act")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void aFileOfTheOriginalIsReadAndWrittenAgain(Path file) throws IOException {
        String[] name = file.getFileName().toString().split("\\.");
        SortedMap<byte[], Long> map = TreeKeySets.get(name[0]);
        byte[] bytes = Files.readAllBytes(file);
        requireReadable(bytes, map);
        if (COLLIDING.contains(name[0])) {
            return;
        }
        MemoryDisk disk = new MemoryDisk().addFolder(Trees.PATH.getParent());
        try (TreeReader tree = Trees.open(bytes);
                TreeWriter writer =
                        TreeWriter.create(Trees.PATH, Trees.options(name[1]).withDisk(disk))) {
            writer.appendAll(tree);
        }
        assertArrayEquals(bytes, disk.bytes(Trees.PATH));
    }

    @Test
    void theKnowledgeBaseBecomesTheBytesOfTheOriginal() throws IOException {
        Json sets = Json.read(Trees.golden("hashes.json")).get("sets");
        List<byte[]> keys = PathsReader.readAll(Trees.bigLogic());
        for (String name : List.of("big_logic", "big_logic_index")) {
            SortedMap<byte[], Long> map = name.endsWith("index") ? TreeKeySets.index(keys) : TreeKeySets.zero(keys);
            for (String writer : List.of("w1", "w2", "w2_c4", "w2_c0")) {
                if (sets.get(name).has(writer)) {
                    byte[] file = Trees.bytes(map, List.of(), Trees.options(writer));
                    assertEquals(sets.get(name).get(writer).get("sha256").text(), Trees.sha256(file), writer);
                }
            }
        }
    }

    @Test
    void mergedFilesAreReadThroughTheirNewestRoot() throws IOException {
        Json merges = Json.read(Trees.golden("hashes.json")).get("merges");
        int fileCount = 0;
        for (String chain : merges.names()) {
            for (Json step : merges.get(chain).items()) {
                if (step.has("file")) {
                    byte[] bytes =
                            Files.readAllBytes(Trees.golden(step.get("file").text()));
                    try (TreeReader tree = Trees.open(bytes)) {
                        List<Long> history = step.get("history").items().stream()
                                .map(Json::number)
                                .toList();
                        assertEquals(history, tree.rootHistory(), chain);
                        assertTrue(tree.verify(Progress.NONE).isOk(), chain);
                        assertEquals(Trees.read(tree.scan()).size(), tree.count());
                    }
                    fileCount++;
                }
            }
        }
        assertEquals(47, fileCount);
    }
}
