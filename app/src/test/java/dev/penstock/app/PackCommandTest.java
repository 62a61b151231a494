// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.game2048.RunVersion;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands of packs, as a person or a script calls them.
final class PackCommandTest {
    private static final Path RUNS = CommandRun.testdata("pack/runs");

    @TempDir
    Path folder;

    private Path build(Object... more) {
        Path pack = folder.resolve("all.a2pack");
        Object[] words = Stream.concat(
                        Stream.of("pack", "build", "--input", RUNS, "--output", pack, "--all-files", "--overwrite"),
                        Stream.of(more))
                .toArray();
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
        return pack;
    }

    @Test
    void theCommandLinesOfTheDesignWork() {
        Path pack = folder.resolve("d.a2pack");
        CommandRun packed =
                CommandRun.of("a2pack", "pack", "--input", RUNS.resolve("tree"), "--output", pack, "--entry-crc");
        assertEquals(0, packed.exitCode(), packed.err());
        assertTrue(packed.err().startsWith("Packed 17 records"), packed.err());
        assertEquals(0, CommandRun.of("a2pack", "validate", "--packfile", pack).exitCode());
        assertTrue(CommandRun.of("a2pack", "stats", "--packfile", pack).out().contains("runs: 17\n"));
        assertTrue(CommandRun.of("a2pack", "inspect", "--packfile", pack, "--index", 3)
                .out()
                .contains("index: 3\n"));
        Path out = folder.resolve("out");
        CommandRun extracted =
                CommandRun.of("a2pack", "extract", "--packfile", pack, "--indices", "0,5,2-3", "--output", out);
        assertEquals(0, extracted.exitCode(), extracted.err());
        assertTrue(Files.exists(out.resolve("run-000005.a2run2")));
        assertTrue(Files.exists(out.resolve("run-000003.a2run2")));
    }

    @Test
    void aPackOfTheOriginalAndOursHoldTheSameBytesUpToTheEndOfData() throws IOException {
        Path pack = folder.resolve("t.a2pack");
        CommandRun.of("pack", "build", "--input", RUNS.resolve("tree"), "--output", pack, "--align", 64);
        byte[] ours = Files.readAllBytes(pack);
        byte[] theirs = Files.readAllBytes(CommandRun.testdata("pack/packs/tree-align64.a2pack"));
        int dataEnd = ours.length - 32;
        assertArrayEquals(Arrays.copyOf(ours, dataEnd), Arrays.copyOf(theirs, dataEnd), "up to data_end");
    }

    @Test
    void extractingEverythingGivesTheFolderBack() throws IOException {
        for (String codec : List.of("none", "zstd", "lz4")) {
            Path pack = build("--compress", codec, "--workers", 3);
            Path out = folder.resolve("out-" + codec);
            assertEquals(
                    0, CommandRun.of("pack", "extract", pack, "--output", out).exitCode());
            try (Stream<Path> files = Files.walk(RUNS)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Path copy = out.resolve(RUNS.relativize(file).toString());
                    assertEquals(-1, Files.mismatch(file, copy), copy.toString());
                }
            }
        }
    }

    @Test
    void anExistingOutputIsRefusedAndLeftAlone() throws IOException {
        Path pack = Files.writeString(folder.resolve("x.a2pack"), "precious");
        CommandRun run = CommandRun.of("pack", "build", "--input", RUNS, "--output", pack, "--all-files");
        assertEquals(2, run.exitCode());
        assertEquals("penstock: " + pack + " already exists; --overwrite replaces it\n", run.err());
        assertEquals("precious", Files.readString(pack));
        assertEquals(1, fileCount());
    }

    private long fileCount() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.count();
        }
    }

    @Test
    void checksumsAreStoredUnlessRefused() {
        assertTrue(CommandRun.of("pack", "stats", "--storage", build()).out().contains("without_checksum: 0\n"));
        String without = CommandRun.of("pack", "stats", "--storage", build("--no-entry-crc"))
                .out();
        assertTrue(without.contains("without_checksum: 36\n"), without);
    }

    @Test
    void badArgumentsAreUsageErrors() {
        Path pack = build();
        Object[][] commands = {
            {"pack", "build", "--input", RUNS, "--output", folder.resolve("n"), "--align", 0},
            {"pack", "build", "--input", RUNS, "--output", folder.resolve("n"), "--align", 3},
            {"pack", "build", "--input", RUNS, "--output", folder.resolve("n"), "--workers", 0},
            {"pack", "build", "--input", RUNS, "--output", folder.resolve("n"), "--compress", "rar"},
            {"pack", "build", "--input", folder.resolve("out"), "--nonsense"},
            {"pack", "build"},
            {"pack", "extract", pack, "--indices", "0,99", "--output", folder.resolve("o")},
            {"pack", "extract", pack, "--indices", "5-3", "--output", folder.resolve("o")},
            {"pack", "extract", pack, "--indices", "abc", "--output", folder.resolve("o")},
            {"pack", "inspect", pack, "--index", -1},
            {"pack", "inspect", pack, "--index", 36},
            {"pack", "validate"},
            {"pack", "validate", pack, "--packfile", pack},
            {"pack"},
            {}
        };
        for (Object[] words : commands) {
            CommandRun run = CommandRun.of(words);
            assertEquals(2, run.exitCode(), List.of(words) + ": " + run.err());
            assertTrue(run.err().startsWith("penstock: "), run.err());
            assertEquals("", run.out());
        }
        assertFalse(Files.exists(folder.resolve("o")), "nothing is written before all indices are checked");
    }

    @Test
    void nothingToPackSaysWhatToDo() throws IOException {
        Files.writeString(folder.resolve("a.txt"), "a");
        CommandRun run = CommandRun.of("pack", "pack", "--input", folder, "--output", folder.resolve("x.a2pack"));
        assertEquals(2, run.exitCode());
        assertTrue(run.err().contains("no .a2run2 files found"), run.err());
        assertTrue(run.err().contains("ask for all files"), run.err());
    }

    @Test
    void allFilesArePackedUnlessSomeAreRuns() throws IOException {
        Path input = Files.createDirectory(folder.resolve("mixed"));
        Files.writeString(input.resolve("a.txt"), "a");
        Path pack = folder.resolve("all.a2pack");
        CommandRun run = CommandRun.of("pack", "build", "--json", "--input", input, "--output", pack);
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().contains("\"records\":1,"), run.out());
        Path runs = Files.list(RUNS.resolve("games"))
                .filter(file -> file.toString().endsWith(".a2run2"))
                .findFirst()
                .orElseThrow();
        Files.copy(runs, input.resolve(runs.getFileName()));
        run = CommandRun.of("pack", "build", "--overwrite", "--input", input, "--output", pack);
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.err().contains("1 other file was left out; --all-files packs all"), run.err());
    }

    @Test
    void namesThatLeadOutOfTheFolderAreRefused() throws IOException {
        for (String name : List.of("../evil", "a/../../evil", "/tmp/evil", "", ".", "x\0y")) {
            Path pack = folder.resolve("hostile.a2pack");
            try (PackWriter writer = PackWriter.create(pack, PackWriter.Options.DEFAULT.withReplacing(true))) {
                writer.append("good", PackKind.OPAQUE, MemorySegment.ofArray(new byte[] {1}));
                writer.append(name, PackKind.OPAQUE, MemorySegment.ofArray(new byte[] {2}));
            }
            Path out = folder.resolve("out");
            CommandRun run = CommandRun.of("pack", "extract", pack, "--output", out);
            assertEquals(1, run.exitCode(), name + ": " + run.err());
            assertTrue(run.err().contains("BAD_NAMES"), run.err());
            assertFalse(Files.exists(out), "nothing is written before all names are checked");
        }
    }

    @Test
    void aLinkInTheOutputFolderLeadsNowhere() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path out = Files.createDirectory(folder.resolve("out"));
        Files.createSymbolicLink(out.resolve("link"), elsewhere);
        Path pack = folder.resolve("p.a2pack");
        try (PackWriter writer = PackWriter.create(pack, PackWriter.Options.DEFAULT)) {
            writer.append("link/file", PackKind.OPAQUE, MemorySegment.ofArray(new byte[] {1}));
        }
        assertEquals(1, CommandRun.of("pack", "extract", pack, "--output", out).exitCode());
        assertFalse(Files.exists(elsewhere.resolve("file")));
    }

    @Test
    void validateFindsADamagedSample() throws IOException {
        Path pack = build();
        byte[] bytes = Files.readAllBytes(pack);
        try (PackReader reader = PackReader.open(pack)) {
            bytes[(int) reader.entry(0).offset()] ^= 1;
        }
        Files.write(pack, bytes);
        CommandRun run = CommandRun.of("pack", "validate", pack);
        assertEquals(1, run.exitCode());
        assertTrue(run.out().contains("INVALID: " + pack), run.out());
        assertTrue(run.out().contains("[CHECKSUM]"), run.out());
        assertEquals(0, CommandRun.of("pack", "validate", pack, "--sample", 0).exitCode());
    }

    @Test
    void whateverABuildAcceptsAnExtractGivesBack() throws IOException {
        Path input = Files.createDirectory(folder.resolve("in"));
        for (String name : List.of("a\\b", "x".repeat(250), ".a.tmp-0", "a", "\u001b[31mred\nline")) {
            Files.writeString(input.resolve(name), name);
        }
        Path pack = folder.resolve("p.a2pack");
        Path out = folder.resolve("out");
        CommandRun.of("pack", "build", "--input", input, "--output", pack, "--all-files");
        CommandRun run = CommandRun.of("pack", "extract", pack, "--indices", "0-4,1,1,2-3", "--output", out);
        assertEquals(0, run.exitCode(), run.err());
        try (Stream<Path> files = Files.list(input)) {
            for (Path file : files.toList()) {
                assertEquals(-1, Files.mismatch(file, out.resolve(file.getFileName())));
            }
        }
        CommandRun head = CommandRun.of("head", pack);
        assertEquals(5, head.out().lines().count(), "a name with a newline stays on its line");
        assertFalse(head.out().contains("\u001b"), "no escape reaches the terminal");
    }

    @Test
    void tombstonesAreNotExtracted() throws IOException {
        Path pack = folder.resolve("p.a2pack");
        try (PackWriter writer = PackWriter.create(pack, PackWriter.Options.DEFAULT)) {
            writer.append(RunVersion.V2.kind(), MemorySegment.ofArray(new byte[] {1}));
            writer.append(RunVersion.V2.kind(), MemorySegment.ofArray(new byte[0]));
        }
        Path out = folder.resolve("out");
        CommandRun run = CommandRun.of("pack", "extract", pack, "--output", out, "--json");
        assertTrue(run.out().contains("\"files\":1,"), run.out());
        assertFalse(Files.exists(out.resolve("run-000001.a2run2")));
    }

    @Test
    void aRecordThatCannotBeReadCanBeInspected() {
        CommandRun run = CommandRun.of("pack", "inspect", CommandRun.testdata("pack/bad/kind-3.a2pack"), "--index", 1);
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().contains("kind: unknown 3\n"), run.out());
        Path flags = CommandRun.testdata("pack/bad/entry-flags.a2pack");
        run = CommandRun.of("pack", "inspect", flags, "--index", 1, "--json");
        assertEquals(1, run.exitCode());
        assertTrue(run.out().contains("\"storedBytes\":70,"), run.out());
        assertTrue(run.out().contains("UNKNOWN_FLAGS"), run.out());
        run = CommandRun.of("pack", "extract", flags, "--output", folder.resolve("out"));
        assertEquals(1, run.exitCode(), run.err());
        assertTrue(run.err().contains("UNKNOWN_FLAGS"), run.err());
    }
}
