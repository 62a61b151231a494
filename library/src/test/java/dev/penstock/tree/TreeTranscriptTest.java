// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Figures;
import dev.penstock.Json;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The questions that the original program was asked get the answers it gave, or those it documents.
class TreeTranscriptTest {
    private static final HexFormat HEX = HexFormat.of();

    /// The last file of each merge chain that transcripts speak of and that is kept.
    private static final Map<String, String> MERGED = Map.of(
            "alpha_chain", "alpha_chain.3",
            "arrow", "arrow.1",
            "dangling_base", "dangling_base.2",
            "split_line_w1", "split_line_w1.5",
            "split_line_w2", "split_line_w2.5");

    private static List<Path> transcripts(String prefix) throws IOException {
        try (Stream<Path> files = Files.list(Trees.golden("transcripts"))) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .sorted()
                    .toList();
        }
    }

    static List<Path> lookups() throws IOException {
        return transcripts("lookup_").stream()
                .filter(file -> !file.toString().contains("words_chain"))
                .toList();
    }

    static List<Path> walks() throws IOException {
        return transcripts("walk_");
    }

    static List<Path> zippers() throws IOException {
        return transcripts("zipper_");
    }

    /// The tree that the first line of a transcript names: written anew, or the file of a merge.
    private static TreeReader open(Json first) throws IOException {
        String[] words = first.get("file").text().replace(",", "").split(" ");
        if (words[0].equals("merge")) {
            return Trees.open(Files.readAllBytes(Trees.golden("merge/" + MERGED.get(words[1]) + ".act")));
        }
        SortedMap<byte[], Long> map = words[0].equals("big_logic_index")
                ? TreeKeySets.index(PathsReader.readAll(Trees.bigLogic()))
                : TreeKeySets.get(words[0]);
        return Trees.open(Trees.bytes(map, TreeKeySets.created(words[0]), Trees.options(words[1])));
    }

    private static Long valueOf(Json line) {
        return line.has("val") ? Long.parseUnsignedLong(line.get("val").text()) : null;
    }

    private static Long boxed(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }

    @ParameterizedTest
    @MethodSource("lookups")
    void lookupsAreAnsweredAlike(Path transcript) throws IOException {
        List<Json> lines = Trees.jsonLines(transcript);
        try (TreeReader tree = open(lines.getFirst())) {
            List<byte[]> keys = new ArrayList<>();
            for (Json line : lines.subList(1, lines.size())) {
                byte[] key = HEX.parseHex(line.get("key").text());
                keys.add(key);
                assertEquals(valueOf(line), boxed(tree.get(key)), () -> KeyText.of(key));
                assertEquals(line.has("val"), tree.contains(key));
            }
            long[] values = new long[keys.size()];
            tree.get(keys, values, -7);
            for (int i = 0; i < values.length; i++) {
                Long expected = valueOf(lines.get(i + 1));
                assertEquals(expected == null ? -7 : expected, values[i]);
            }
        }
        Figures.print("tree, lookups answered as by the original", lines.size() - 1);
    }

    @ParameterizedTest
    @MethodSource("walks")
    void everyPlaceHasItsValue(Path transcript) throws IOException {
        List<Json> lines = Trees.jsonLines(transcript);
        try (TreeReader tree = open(lines.getFirst())) {
            requirePlaces(lines.subList(1, lines.size()), tree);
        }
    }

    private static void requirePlaces(List<Json> places, TreeReader tree) {
        for (Json place : places) {
            TreePosition position = tree.position(HEX.parseHex(place.get("path").text()));
            assertTrue(position.exists());
            assertEquals(valueOf(place), boxed(position.value()));
        }
    }

    @ParameterizedTest
    @MethodSource("zippers")
    void positionsHaveTheSameValuesAndChildren(Path transcript) throws IOException {
        List<Json> lines = Trees.jsonLines(transcript);
        Json first = lines.getFirst();
        String root = first.get("root").text();
        try (TreeReader tree = open(first)) {
            requireState(first.get("state"), null, tree, root, "start");
            for (int i = 1; i < lines.size(); i++) {
                Json line = lines.get(i);
                Json documented = line.has("documented") ? line.get("documented") : null;
                requireState(line, documented, tree, root, transcript.getFileName() + " line " + (i + 1));
            }
        }
        Figures.print("tree, positions as of the original", lines.size());
    }

    /// Compares a place with the original's answer, or with its documentation where the original errs.
    private static void requireState(Json line, Json documented, TreeReader tree, String root, String what) {
        List<Object> expected = new ArrayList<>();
        for (String field : List.of("exists", "is_val", "val", "child_count", "children")) {
            expected.add(of(line, documented, field).plain(field));
        }
        String path = of(line, documented, "path").get("path").text();
        TreePosition position = tree.position(HEX.parseHex(root + path));
        OptionalLong value = position.value();
        byte[] children = position.children();
        List<Object> actual = new ArrayList<>();
        actual.add(position.exists());
        actual.add(value.isPresent());
        actual.add(value.isPresent() ? Long.toUnsignedString(value.getAsLong()) : null);
        actual.add((long) children.length);
        actual.add(HEX.formatHex(children));
        assertEquals(expected, actual, what);
    }

    private static Json of(Json line, Json documented, String field) {
        return documented != null && documented.names().contains(field) ? documented : line;
    }

    @Test
    void pathsOutOfOrderAreRefusedAndTheRestIsWritten() throws IOException {
        for (Json line : Trees.jsonLines(Trees.golden("transcripts/push_order.jsonl"))) {
            MemoryDisk disk = new MemoryDisk().addFolder(Trees.PATH.getParent());
            try (TreeWriter writer =
                    TreeWriter.create(Trees.PATH, Trees.options("w2").withDisk(disk))) {
                for (Json push : line.get("pushes").items()) {
                    byte[] key = HEX.parseHex(push.get("key").text());
                    long value = valueOf(push);
                    if ((boolean) push.plain("accepted")) {
                        writer.append(key, value);
                    } else {
                        assertThrows(IllegalArgumentException.class, () -> writer.append(key, value));
                    }
                }
            }
            assertArrayEquals(HEX.parseHex(line.get("file_hex").text()), disk.bytes(Trees.PATH));
        }
    }

    /// The unusual files that a strict reader refuses, because no writer makes such files.
    private static final Set<String> LENIENT_ONLY = Set.of(
            "odd/nonminimal_varints.act",
            "odd/line_reserved_bits.act",
            "odd/line_value_and_child.act",
            "odd/mask_three_children.act");

    static List<Json> odd() throws IOException {
        return Trees.jsonLines(Trees.golden("odd/answers.jsonl"));
    }

    @ParameterizedTest
    @MethodSource("odd")
    void unusualFilesAreReadAlike(Json line) throws IOException {
        String name = line.get("file").text();
        byte[] bytes = Files.readAllBytes(Trees.golden(name));
        boolean isStrict = !LENIENT_ONLY.contains(name);
        if (!isStrict) {
            assertThrows(DatasetException.Corrupt.class, () -> {
                try (TreeReader tree = Trees.open(bytes, true)) {
                    Trees.read(tree.scan());
                }
            });
        }
        try (TreeReader tree = Trees.open(bytes, isStrict)) {
            for (Json lookup : line.get("lookup").items()) {
                byte[] key = HEX.parseHex(lookup.get("key").text());
                assertEquals(valueOf(lookup), boxed(tree.get(key)), () -> name + " " + KeyText.of(key));
            }
            if (line.has("iteration")) {
                TreeScan scan = tree.scan();
                for (Json entry : line.get("iteration").items()) {
                    assertTrue(scan.next());
                    assertEquals(entry.get("key").text(), HEX.formatHex(scan.path()));
                    assertEquals(valueOf(entry), scan.value());
                }
            }
            if (line.has("locations")) {
                requirePlaces(line.get("locations").items(), tree);
            }
        }
    }
}
