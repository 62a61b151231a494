// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Records in other formats.
final class ExportCommandTest {
    private static final Path STRINGS = CommandRun.testdata("table/rec_strings.npy");
    private static final Path NESTED = CommandRun.testdata("table/rec_nested.npy");
    private static final Path PACK = CommandRun.testdata("pack/packs/three-align1.a2pack");

    @TempDir
    Path folder;

    private static String export(Path path, Object... more) {
        Object[] words = new Object[more.length + 4];
        words[0] = "export";
        words[1] = path;
        words[2] = "--output";
        words[3] = "-";
        System.arraycopy(more, 0, words, 4, more.length);
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
        return run.out();
    }

    @Test
    void linesOfJsonHoldEachField() {
        assertEquals("""
            {"u":"ä","s":"a\\u0000b","flag":true}
            {"u":"bc","s":"","flag":false}
            """, export(STRINGS, "--format", "jsonl"));
        assertEquals("{\"q.t\":[7,8]}\n", export(NESTED, "--format", "jsonl", "--fields", "q.t", "--where", "p.x > 1"));
    }

    @Test
    void csvHasAColumnForEachElement() {
        assertEquals("""
            p.x,p.y,q.r.s[0],q.r.s[1],q.t[0],q.t[1]
            1.0,0.0,1,2,5,6
            2.0,0.0,3,4,7,8
            """, export(NESTED, "--format", "csv"));
        assertTrue(
                export(PACK, "--format", "csv", "--as", "bytes").startsWith("value\n41325431"),
                "bytes are hexadecimal");
    }

    @Test
    void aNumPyFileKeepsTheTypesOfTheTable() throws IOException {
        Path all = folder.resolve("all.npy");
        assertEquals(
                0,
                CommandRun.of("export", STRINGS, "--format", "npy", "--output", all)
                        .exitCode());
        assertEquals(-1, Files.mismatch(STRINGS, all));
        Path some = folder.resolve("some.npy");
        CommandRun.of("export", NESTED, "--format", "npy", "--output", some, "--fields", "q.t,p.x");
        assertTrue(
                CommandRun.of("info", some).out().contains("[('q.t', '|u1', (2,)), ('p.x', '<f4')]"),
                CommandRun.of("info", some).out());
    }

    @Test
    void whatCannotBeWrittenIsSaidAndNothingIsLeft() {
        Path output = folder.resolve("x.npy");
        CommandRun run = CommandRun.of("export", PACK, "--format", "npy", "--output", output, "--as", "bytes");
        assertEquals(2, run.exitCode());
        assertTrue(run.err().contains("is variable"), run.err());
        assertFalse(Files.exists(output));
        CommandRun missing = CommandRun.of("export", NESTED, "--format", "csv", "--output", "-", "--fields", "nope");
        assertEquals(2, missing.exitCode());
        assertTrue(missing.err().contains("no field nope; the fields are p.x, p.y, q.r.s, q.t"), missing.err());
    }

    @Test
    void whatIsExportedAsCsvComesBack() throws IOException {
        Path csv = folder.resolve("f8.csv");
        Path back = folder.resolve("back.npy");
        Path source = CommandRun.testdata("table/f8.npy");
        CommandRun.of("export", source, "--format", "csv", "--output", csv);
        CommandRun run = CommandRun.of("table", "write", "--input", csv, "--output", back, "--dtype", "<f8");
        assertEquals(0, run.exitCode(), run.err());
        assertEquals(-1, Files.mismatch(source, back));
    }

    @Test
    void emptyValuesAreRowsToo() throws IOException {
        Path input = Files.writeString(folder.resolve("e.csv"), "s\n\"\"\nx\n\"\"\n");
        Path table = folder.resolve("e.npy");
        CommandRun.of("table", "write", "--input", input, "--output", table, "--dtype", "[('s','<U1')]");
        assertEquals("s\n\"\"\nx\n\"\"\n", export(table, "--format", "csv"));
    }

    @Test
    void columnsOfAShapeBecomeOneFieldAgain() throws IOException {
        Path csv = Files.writeString(folder.resolve("v.csv"), "id,v[0],v[1],w[0]\n1,0.5,2.5,7\n2,1.5,3.5,8\n");
        Path table = folder.resolve("v.npy");
        CommandRun run = CommandRun.of("table", "write", "--input", csv, "--output", table);
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(CommandRun.of("info", table).out().contains("('v', '<f8', (2,)), ('w[0]', '<i8')"));
        assertEquals("{\"v\":[1.5,3.5]}\n", export(table, "--format", "jsonl", "--fields", "v", "--where", "v[0] > 1"));
    }

    @Test
    void theExtensionOfTheOutputFitsTheFormat() throws IOException {
        Path words = Files.writeString(folder.resolve("words.txt"), "a\n");
        for (Object[] command : new Object[][] {
            {".a2pack is the extension of a pack", "export", STRINGS, "--format", "npy", "--output", "x.a2pack"},
            {".npy is the extension of a table", "export", STRINGS, "--format", "csv", "--output", "x.npy"},
            {".csv is the extension of text", "export", STRINGS, "--format", "jsonl", "--output", "x.csv"},
            {"the extension .feather is unknown", "export", STRINGS, "--format", "npy", "--output", "x.feather"},
            {
                ".parquet is the extension of a Parquet file",
                "export",
                STRINGS,
                "--format",
                "npy",
                "--output",
                "x.parquet"
            },
            {".act is the extension of a tree", "table", "write", "--input", STRINGS, "--output", "x.act"},
            {".npy is the extension of a table", "tree", "build", "--input", words, "--output", "x.npy"},
            {"the extension .zip is unknown", "pack", "build", "--all-files", "--input", folder, "--output", "x.zip"}
        }) {
            Object[] call = Arrays.copyOfRange(command, 1, command.length);
            call[call.length - 1] = folder.resolve((String) call[call.length - 1]);
            CommandRun run = CommandRun.of(call);
            assertEquals(Failures.USAGE, run.exitCode(), run.err());
            assertTrue(run.err().contains(": " + command[0]), run.err());
            assertFalse(Files.exists((Path) call[call.length - 1]));
        }
        Path text = folder.resolve("x.txt");
        assertEquals(
                0,
                CommandRun.of("export", STRINGS, "--format", "csv", "--output", text)
                        .exitCode());
    }

    @Test
    void theExtensionOfTheOutputIsTheFormat() throws IOException {
        Path lines = folder.resolve("strings.jsonl");
        assertEquals(0, CommandRun.of("export", STRINGS, "--output", lines).exitCode());
        assertEquals(export(STRINGS, "--format", "jsonl"), Files.readString(lines));
        for (Object output : new Object[] {"-", folder.resolve("strings.txt")}) {
            CommandRun run = CommandRun.of("export", STRINGS, "--output", output);
            assertEquals(2, run.exitCode());
            assertTrue(run.err().contains("write --format with one of npy, csv"), run.err());
        }
    }
}
