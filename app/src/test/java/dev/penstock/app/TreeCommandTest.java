// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.tree.HybridTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands of trees, as a person or a script calls them.
final class TreeCommandTest {
    private static final Path K16 = CommandRun.testdata("tree/files/k16.w1.act");

    @TempDir
    Path folder;

    private Path file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    private static CommandRun run(Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
        return run;
    }

    private Path build(Path input, Object... more) {
        Path tree = folder.resolve("out.act");
        List<Object> words = new ArrayList<>(List.of("tree", "build", "--input", input, "--output", tree));
        words.add("--overwrite");
        words.addAll(Arrays.asList(more));
        run(words.toArray());
        return tree;
    }

    @Test
    void aTableGoesInAndComesOutAgain() throws IOException {
        String table = "\t7\napple\t1\nb\\ttab\t18446744073709551615\nz\u00fcrich\t300\n\\xff\\x00\t0\n";
        Path tree = build(file("t.tsv", table));
        assertEquals(table, run("tree", "dump", tree).out());
        assertEquals("apple\t1\n", run("tree", "dump", tree, "--prefix", "a").out());
        assertEquals(
                "apple\t1\n\\xff\\x00\t0\n",
                run("tree", "get", tree, "apple", "\\xff\\x00").out());
        assertEquals(
                "{\"b\\\\ttab\":\"18446744073709551615\"}\n",
                run("tree", "get", tree, "b\\ttab", "--json").out());
    }

    @Test
    void allFormatsGiveTheSameTree() throws IOException {
        Path kv = folder.resolve("k16.kv");
        run("tree", "dump", K16, "--format", "kv", "--output", kv);
        assertArrayEquals(Files.readAllBytes(K16), Files.readAllBytes(build(kv)));
        Path tsv = folder.resolve("k16.tsv");
        run("tree", "dump", K16, "--output", tsv);
        assertArrayEquals(Files.readAllBytes(K16), Files.readAllBytes(build(tsv)));
        assertArrayEquals(
                Files.readAllBytes(kv),
                run("tree", "dump", K16, "--format", "kv").outBytes());
        Path paths = folder.resolve("k16.paths");
        run("tree", "dump", K16, "--format", "paths", "--output", paths);
        byte[] ofPaths = Files.readAllBytes(build(paths, "--values", "zero"));
        byte[] ofTable = Files.readAllBytes(build(tsv, "--values", "zero"));
        assertArrayEquals(ofTable, ofPaths);
        assertEquals(
                "arrow\t2\n",
                run("tree", "get", build(paths), "arrow").out(),
                "values are positions, two aaa... come first");
    }

    private static CommandRun runWithInput(String input, Object... words) {
        CommandRun run = CommandRun.withInput(input.getBytes(StandardCharsets.UTF_8), words);
        assertEquals(0, run.exitCode(), run.err());
        return run;
    }

    @Test
    void keysOfStandardInputAreRead() {
        Path tree = folder.resolve("in.act");
        runWithInput("a\nb\n\nlast", "tree", "build", "--input", "-", "--output", tree, "--unsorted");
        assertEquals("\t2\na\t0\nb\t1\nlast\t3\n", run("tree", "dump", tree).out());
    }

    @Test
    void putCreatesAddsAndChanges() throws IOException {
        Path tree = folder.resolve("t.act");
        run("tree", "put", tree, "b\\ttab", "18446744073709551615", "a", "1");
        runWithInput("a\t2\nc\t3\n", "tree", "put", tree, "--input", "-", "c", "4");
        assertEquals(
                "a\t2\nb\\ttab\t18446744073709551615\nc\t4\n",
                run("tree", "dump", tree).out());
        Path rebuilt = build(file("all.tsv", run("tree", "dump", tree).out()));
        assertArrayEquals(Files.readAllBytes(rebuilt), Files.readAllBytes(tree), "the same map gives the same bytes");
        String json = run("tree", "put", tree, "d", "5", "--json").out();
        assertTrue(json.contains("\"put\":1") && json.contains("\"keys\":4"), json);
    }

    @Test
    void putIntoAnotherFileLeavesTheTree() {
        Path tree = folder.resolve("t.act");
        Path other = folder.resolve("other.act");
        run("tree", "put", tree, "a", "1");
        run("tree", "put", tree, "b", "2", "--output", other);
        assertEquals("a\t1\n", run("tree", "dump", tree).out());
        assertEquals("a\t1\nb\t2\n", run("tree", "dump", other).out());
        assertEquals(
                2,
                CommandRun.of("tree", "put", tree, "b", "2", "--output", other).exitCode());
        run("tree", "put", tree, "c", "3", "--output", other, "--overwrite");
        assertEquals("a\t1\nc\t3\n", run("tree", "dump", other).out());
    }

    @Test
    void aPutThatIsRefusedLeavesTheTreeAsItWas() throws IOException {
        Path tree = folder.resolve("t.act");
        run("tree", "put", tree, "a", "1");
        byte[] before = Files.readAllBytes(tree);
        Path bad = file("bad.tsv", "b\t2\nc\tthree\n");
        CommandRun refused = CommandRun.of("tree", "put", tree, "--input", bad);
        assertEquals(1, refused.exitCode());
        assertTrue(refused.err().contains("the value three is not a number"), refused.err());
        assertEquals(2, CommandRun.of("tree", "put", tree, "a", "-1").exitCode());
        assertEquals(2, CommandRun.of("tree", "put", tree, "a").exitCode());
        assertEquals(2, CommandRun.of("tree", "put", tree).exitCode());
        assertArrayEquals(before, Files.readAllBytes(tree));
        Path damaged = Files.write(folder.resolve("damaged.act"), Arrays.copyOf(before, 20));
        assertEquals(1, CommandRun.of("tree", "put", damaged, "a", "1").exitCode());
        assertArrayEquals(Arrays.copyOf(before, 20), Files.readAllBytes(damaged));
    }

    @Test
    void keysAreRemovedAndMissingOnesCounted() {
        Path tree = folder.resolve("t.act");
        run("tree", "put", tree, "old/a", "1", "old/b", "2", "new", "3");
        String old = run("tree", "dump", tree, "--prefix", "old/").out();
        String json = runWithInput(old, "tree", "remove", tree, "--input", "-", "none", "--json")
                .out();
        assertTrue(json.contains("\"removed\":2,\"missing\":1,\"keys\":1"), json);
        assertEquals("new\t3\n", run("tree", "dump", tree).out());
        assertEquals(
                3,
                CommandRun.of("tree", "remove", folder.resolve("none.act"), "a").exitCode());
        assertEquals(2, CommandRun.of("tree", "remove", tree).exitCode());
    }

    @Test
    void aTreeThatIsBeingChangedIsRefusedAndCopied() throws IOException {
        Path tree = folder.resolve("t.act");
        run("tree", "put", tree, "a", "1");
        try (HybridTree held = HybridTree.open(tree)) {
            CommandRun refused = CommandRun.of("tree", "put", tree, "b", "2");
            assertEquals(3, refused.exitCode());
            assertTrue(refused.err().contains("it is being written by another writer of this process"), refused.err());
            assertEquals(3, CommandRun.of("tree", "remove", tree, "a").exitCode());
            Path table = file("built.tsv", "built\t1\n");
            refused = CommandRun.of("tree", "build", "--input", table, "--output", tree, "--overwrite");
            assertEquals(3, refused.exitCode());
            assertTrue(refused.err().contains("it is being written by another writer of this process"), refused.err());
            run("tree", "put", tree, "b", "2", "--output", folder.resolve("other.act"));
            run("tree", "snapshot", tree, "--output", folder.resolve("copy.act"));
            held.put(new byte[] {1}, 1);
        }
        assertEquals("a\t1\n", run("tree", "dump", tree).out());
        assertEquals(
                "a\t1\nb\t2\n", run("tree", "dump", folder.resolve("other.act")).out());
    }

    @Test
    void aSnapshotIsACanonicalCopy() throws IOException {
        Path shared = build(file("words.tsv", "xa\t1\nxb\t1\nya\t1\nyb\t1\n"), "--share");
        Path copy = folder.resolve("copy.act");
        run("tree", "snapshot", shared, "--output", copy);
        assertEquals(
                run("tree", "dump", shared).out(), run("tree", "dump", copy).out());
        assertTrue(run("tree", "stats", copy).out().contains("canonical"), "stats says whether it is");
        assertFalse(Arrays.equals(Files.readAllBytes(shared), Files.readAllBytes(copy)));
        assertEquals(2, CommandRun.of("tree", "snapshot", shared).exitCode());
        assertEquals(
                2,
                CommandRun.of("tree", "snapshot", shared, "--output", shared, "--overwrite")
                        .exitCode());
    }

    @Test
    void unsortedKeysAreSortedOnDemandAndTheLastCounts() throws IOException {
        Path lines = file("words.txt", "pear\napple\npear\nfig\n");
        CommandRun refused = CommandRun.of("tree", "build", "--input", lines, "--output", folder.resolve("no.act"));
        assertEquals(1, refused.exitCode());
        assertTrue(refused.err().contains("apple") && refused.err().contains("--unsorted"), refused.err());
        assertFalse(Files.exists(folder.resolve("no.act")));
        Path tree = folder.resolve("yes.act");
        CommandRun run =
                run("tree", "build", "--input", lines, "--output", tree, "--unsorted", "--memory", 1 << 20, "--json");
        assertTrue(run.out().contains("\"keys\":3,\"duplicates\":1"), run.out());
        assertEquals("apple\t1\nfig\t3\npear\t2\n", run("tree", "dump", tree).out());
    }

    @Test
    void keysAreListedLikeFiles() throws IOException {
        Path tree = build(file("f.txt", "README\nsrc/Main.java\nsrc/test/A.java\nsrc/test/B.java\nsrc/x\n"));
        assertEquals("README\t0\nsrc/\n", run("tree", "ls", tree).out());
        assertEquals(
                "Main.java\t1\ntest/\nx\t4\n", run("tree", "ls", tree, "src/").out());
        assertEquals("test/\n", run("tree", "ls", tree, "src/te").out());
        assertEquals(
                "[{\"name\":\"A.java\",\"value\":\"2\"},{\"name\":\"B.java\",\"value\":\"3\"}]\n",
                run("tree", "ls", tree, "src/test/", "--json").out());
        assertEquals("", run("tree", "ls", tree, "nothing").out());
    }

    @Test
    void statsSayWhetherATreeIsCanonical() throws IOException {
        CommandRun stats = run("tree", "stats", K16);
        assertTrue(stats.out().contains("keys: 16\n"), stats.out());
        assertTrue(stats.out().contains("longest_path: 30\n"), stats.out());
        assertTrue(stats.out().contains("canonical: true\n"), stats.out());
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            lines.append(String.format("%03d/ending%n", i));
        }
        Path input = file("shared.txt", lines.toString());
        Path tree = folder.resolve("shared.act");
        CommandRun built = run("tree", "build", "--input", input, "--output", tree, "--values", "zero", "--share");
        assertTrue(built.err().contains("Sharing saved"), built.err());
        assertTrue(built.err().contains("may not be canonical"), built.err());
        stats = run("tree", "stats", tree, "--json");
        assertTrue(stats.out().contains("\"keys\":1000"), stats.out());
        assertTrue(stats.out().contains("\"canonical\":false"), stats.out());
        Path full = CommandRun.testdata("tree/odd/shared_full_5.act");
        stats = run("tree", "stats", full);
        assertTrue(stats.out().contains("keys: 1099511627776\n"), stats.out());
        assertTrue(stats.out().contains("canonical: false\n"), stats.out());
    }

    @Test
    void optionsThatAreNotCanonicalSaySoInTheHelp() {
        String help = run("tree", "build", "--help").out().replaceAll("\\s+", " ");
        for (String sentence : List.of(
                "Store equal subtrees once. The file is smaller and all readers support it, but it is not canonical.",
                "limits memory; the tree is not canonical if there are more.",
                "the original program's streaming writer and not canonical")) {
            assertTrue(help.contains(sentence), help);
        }
    }

    @Test
    void infoAndVerifyKnowTrees() throws IOException {
        CommandRun info = run("info", K16, "--json");
        assertTrue(info.out().contains("\"format\":\"tree\",\"version\":3,\"bytes\":225,\"root\":211"), info.out());
        assertTrue(run("info", K16).out().contains(": tree, version 3\n"));
        assertTrue(run("verify", K16).out().startsWith("OK: "));
        assertTrue(run("verify", K16, "--io", "read").out().startsWith("OK: "));
        byte[] damaged = Files.readAllBytes(K16);
        damaged[211] = 0x3F;
        Path bad = Files.write(folder.resolve("bad.act"), damaged);
        CommandRun verified = CommandRun.of("verify", bad);
        assertEquals(1, verified.exitCode());
        assertTrue(verified.out().contains("[UNKNOWN_KIND]"), verified.out());
        CommandRun odd = run("verify", CommandRun.testdata("tree/odd/nonminimal_varints.act"));
        assertTrue(odd.out().contains("warning: ") && odd.out().contains("[NOT_CANONICAL]"), odd.out());
        CommandRun head = CommandRun.of("head", K16);
        assertEquals(1, head.exitCode());
        assertTrue(head.err().contains("this is a tree"), head.err());
    }

    @Test
    void oldVersionsSayWhatToDo() throws IOException {
        byte[] old = Files.readAllBytes(K16);
        old[7] = '2';
        Path file = Files.write(folder.resolve("old.act"), old);
        for (CommandRun run : List.of(CommandRun.of("info", file), CommandRun.of("tree", "get", file, "a"))) {
            assertEquals(1, run.exitCode());
            assertTrue(run.err().contains("must be regenerated"), run.err());
        }
    }

    @Test
    void wrongWordsAreUsageErrors() throws IOException {
        Path lines = file("l.txt", "a\n");
        Path out = folder.resolve("o.act");
        assertEquals(2, CommandRun.of("tree", "get", K16, "absent").exitCode());
        assertEquals(2, CommandRun.of("tree", "get", K16, "\\q").exitCode());
        assertEquals(2, CommandRun.of("tree", "dump", K16, "--format", "paths").exitCode());
        CommandRun column = CommandRun.of("tree", "build", "--input", lines, "--output", out, "--values", "column");
        assertEquals(2, column.exitCode());
        assertTrue(column.err().contains("needs --format tsv or kv"), column.err());
        CommandRun table = CommandRun.of("tree", "build", "--input", lines, "--output", out, "--format", "tsv");
        assertEquals(1, table.exitCode());
        assertTrue(table.err().contains("has no tab"), table.err());
        assertEquals(
                3, CommandRun.of("tree", "get", folder.resolve("none.act"), "a").exitCode());
        run("tree", "build", "--input", lines, "--output", out);
        assertEquals(
                2,
                CommandRun.of("tree", "build", "--input", lines, "--output", out)
                        .exitCode());
    }
}
