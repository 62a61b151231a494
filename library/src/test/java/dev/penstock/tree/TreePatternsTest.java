// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Project;
import dev.penstock.file.Disk;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the examples of `docs/trees.md` as they are printed.
class TreePatternsTest {
    @TempDir
    Path folder;

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aCompiledArtefactIsOpenedInstantly() throws IOException {
        Path path = folder.resolve("compiled.act");
        SortedMap<byte[], Long> terms = new TreeMap<>(Arrays::compareUnsigned);
        terms.put(utf8("animal/cat"), 1L);
        terms.put(utf8("animal/dog"), 2L);
        // [compile]
        TreeWriter.write(path, terms, value -> value, TreeWriter.Options.DEFAULT);
        // [compile]
        // [open]
        try (TreeReader tree = TreeReader.open(path)) {
            long value = tree.get(utf8("animal/cat")).orElseThrow();
            TreeScan animals = tree.scanPrefix(utf8("animal/"));
            while (animals.next()) {
                System.out.println(KeyText.of(animals.path()) + " " + Long.toUnsignedString(animals.value()));
            }
            // [open]
            assertEquals(1, value);
        }
    }

    @Test
    void moreThanMemoryHoldsIsSortedAndAsked() throws IOException {
        Path path = folder.resolve("large.act");
        List<byte[]> anyOrder = List.of(utf8("b"), utf8("a"), utf8("c"));
        List<byte[]> queries = List.of(utf8("c"), utf8("x"));
        // [large]
        try (TreeSorter sorter = TreeSorter.create(path, 64 << 20, Disk.real())) {
            long index = 0;
            for (byte[] key : anyOrder) {
                sorter.append(key, index++);
            }
            sorter.write(TreeWriter.Options.DEFAULT);
        }
        try (TreeReader tree = TreeReader.open(path)) {
            long[] values = new long[queries.size()];
            int found = tree.get(queries, values, -1);
            // [large]
            assertEquals(1, found);
            assertEquals(2, values[0]);
        }
    }

    @Test
    void changesGoOverASnapshot() throws IOException {
        Path path = folder.resolve("hybrid.act");
        // [hybrid]
        try (HybridTree tree = HybridTree.open(path)) {
            tree.put(utf8("session/1"), 17);
            tree.remove(utf8("session/0"));
            tree.snapshot();
            tree.put(utf8("session/2"), 18);
            try (HybridScan sessions = tree.scanPrefix(utf8("session/"))) {
                while (sessions.next()) {
                    System.out.println(KeyText.of(sessions.path()) + " " + sessions.value());
                }
            }
        }
        // [hybrid]
        try (HybridTree tree = HybridTree.open(path)) {
            assertTrue(tree.contains(utf8("session/1")));
            assertEquals(false, tree.contains(utf8("session/2")), "it was not snapshot");
        }
    }

    @Test
    void aValueIsTheIndexOfARecord() throws IOException {
        Path packPath = folder.resolve("pages.a2pack");
        Path treePath = folder.resolve("pages.act");
        SortedMap<String, byte[]> pages = new TreeMap<>();
        pages.put("index.html", utf8("<h1>"));
        pages.put("about.html", utf8("<p>"));
        // [records]
        try (PackWriter pack = PackWriter.create(packPath, PackWriter.Options.DEFAULT);
                TreeWriter tree = TreeWriter.create(treePath, TreeWriter.Options.DEFAULT)) {
            for (String name : pages.keySet()) {
                long index = pack.append(PackKind.OPAQUE, MemorySegment.ofArray(pages.get(name)));
                tree.append(utf8(name), index);
            }
        }
        try (TreeReader tree = TreeReader.open(treePath);
                PackReader pack = PackReader.open(packPath)) {
            long index = tree.get(utf8("index.html")).orElseThrow();
            byte[] page = pack.get(index).value(0).toArray(ValueLayout.JAVA_BYTE);
            // [records]
            assertEquals("<h1>", new String(page, StandardCharsets.UTF_8));
        }
    }

    @Test
    void thePageShowsTheCodeOfThisTest() {
        int lineCount =
                Project.requireShown("docs/trees.md", "library/src/test/java/dev/penstock/tree/TreePatternsTest.java");
        assertTrue(lineCount > 25, lineCount + " lines");
    }
}
