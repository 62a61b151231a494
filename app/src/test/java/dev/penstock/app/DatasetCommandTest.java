// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands that work on any format, here on packs.
final class DatasetCommandTest {
    private static final Path PACK = CommandRun.testdata("pack/packs/three-align1.a2pack");

    @TempDir
    Path folder;

    @Test
    void infoIsOneJsonObjectWithTheNamedKeys() {
        CommandRun run = CommandRun.of("info", PACK, "--json");
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(
                run.out()
                        .startsWith("{\"path\":\"" + PACK + "\",\"format\":\"pack\",\"version\":1,\"records\":3,"
                                + "\"bytes\":425,\"fields\":[{\"name\":\"value\",\"type\":\"bytes\",\"elementSize\":1,"
                                + "\"shape\":[],\"variable\":true}],\"metadata\":{},\"facts\":{"),
                run.out());
        assertTrue(run.out().contains("},\"remarks\":[],\"fingerprint\":\""), run.out());
        assertEquals("", run.err());
        assertEquals(1, run.out().lines().count());
    }

    @Test
    void theNameOfAFileDoesNotMatter() throws IOException {
        Path renamed = Files.copy(PACK, folder.resolve("anything.jpg"));
        assertTrue(CommandRun.of("info", renamed).out().contains("pack, version 1"));
    }

    @Test
    void verifyOfASoundFileChecksEveryByte() {
        assertEquals(
                "{\"ok\":true,\"checkedBytes\":425,\"problemCount\":0,\"errorCount\":0,\"problems\":[]}\n",
                CommandRun.of("verify", PACK, "--json").out());
        assertEquals(
                "OK: " + PACK + ", 425 B checked, no problems\n",
                CommandRun.of("verify", PACK, "--io", "read").out());
    }

    @Test
    void verifyOfADamagedFileNamesFileOffsetAndReason() throws IOException {
        byte[] bytes = Files.readAllBytes(PACK);
        bytes[130] ^= 4;
        Path damaged = Files.write(folder.resolve("d.a2pack"), bytes);
        CommandRun run = CommandRun.of("verify", damaged, "--json");
        assertEquals(1, run.exitCode());
        assertTrue(run.out().startsWith("{\"ok\":false,"), run.out());
        String problem = "\"problems\":[{\"file\":\"" + damaged + "\",\"offset\":124,\"severity\":\"error\","
                + "\"reason\":\"CHECKSUM\",\"what\":\"checksum mismatch: entry, record 0 ";
        assertTrue(run.out().contains(problem), run.out());
    }

    @Test
    void verifyOfAFileThatDoesNotOpenIsAReportToo() throws IOException {
        byte[] bytes = Files.readAllBytes(PACK);
        Path cut = Files.write(folder.resolve("cut.a2pack"), Arrays.copyOf(bytes, 100));
        CommandRun run = CommandRun.of("verify", cut, "--json");
        assertEquals(1, run.exitCode());
        assertTrue(run.out().contains("\"reason\":\"TRUNCATED\""), run.out());
        Path empty = Files.createFile(folder.resolve("empty"));
        assertTrue(CommandRun.of("verify", empty, "--json").out().contains("\"reason\":\"BAD_MAGIC\""));
    }

    @Test
    void getWritesExactlyTheRecord() throws IOException {
        byte[] run = Files.readAllBytes(CommandRun.testdata("pack/runs/three/r0.a2run2"));
        assertArrayEquals(run, CommandRun.of("get", PACK, 0).outBytes());
        assertArrayEquals(run, CommandRun.of("get", PACK, 0, "--io", "read").outBytes());
    }

    @Test
    void getOfARecordThatIsNotThereSaysHowManyThereAre() {
        CommandRun run = CommandRun.of("get", PACK, 3);
        assertEquals(2, run.exitCode());
        assertTrue(
                run.err().startsWith("penstock: record 3 is out of range: " + PACK + " has 3 records, 0 to 2\n"),
                run.err());
        assertEquals(2, CommandRun.of("get", PACK, "x").exitCode());
    }

    @Test
    void headShowsTheFirstRecords() {
        CommandRun run = CommandRun.of("head", PACK, "-n", 2);
        assertEquals(2, run.out().lines().count());
        assertEquals("... 1 more\n", run.err());
        assertEquals("", CommandRun.of("head", PACK, "-n", 2, "--quiet").err());
        assertTrue(CommandRun.of("head", PACK, "--json").out().startsWith("[{\"index\":0,\"size\":75,\"value\":\""));
    }

    @Test
    void failuresAreOneLineUnlessDebugged() throws IOException {
        Path absent = folder.resolve("absent");
        CommandRun run = CommandRun.of("info", absent);
        assertEquals(3, run.exitCode());
        assertEquals("penstock: " + absent + ": no such file or folder\n", run.err());
        Path text = Files.writeString(folder.resolve("t"), "hello, this is text");
        run = CommandRun.of("info", text);
        assertEquals(1, run.exitCode());
        assertEquals(
                "penstock: " + text
                        + ": unknown dataset format: no known magic number; to open a file of plain numbers,"
                        + " give their type (byte 0) [BAD_MAGIC]; --dtype gives the type of a file of plain numbers\n",
                run.err());
        run = CommandRun.of("info", text, "--debug");
        assertTrue(
                Pattern.compile("^\\s+at dev\\.penstock", Pattern.MULTILINE)
                        .matcher(run.err())
                        .find(),
                run.err());
    }

    @Test
    void progressIsDrawnOnlyWhereSomebodyLooks() {
        Path big = CommandRun.testdata("pack/packs/games-align4096.a2pack");
        assertFalse(CommandRun.of("verify", big).err().contains("\r"));
        assertFalse(CommandRun.watched("verify", big, "--quiet").err().contains("\r"));
        assertTrue(CommandRun.watched("verify", big).err().contains("\rverify ["));
    }

    @Test
    void headShowsTheFirstRecordsThatMatch() throws IOException {
        Path table = Tables.write(folder.resolve("t.npy"), 100_000);
        CommandRun run = CommandRun.of("head", table, "--where", "kind == 2 and id >= 50000", "-n", 2, "--json");
        assertEquals(0, run.exitCode(), run.err());
        assertEquals(
                List.of(50_002L, 50_006L),
                ((List<?>) Json.parse(run.outBytes()))
                        .stream()
                                .map(record -> ((Map<?, ?>) record).get("index"))
                                .toList(),
                run.out());
        assertEquals(
                "[]\n",
                CommandRun.of("head", table, "--where", "id < 0", "--json").out());
        assertEquals(
                3,
                CommandRun.of("head", table, "--where", "id < 3").out().lines().count());
        CommandRun wrong = CommandRun.of("head", table, "--where", "nobody == 3");
        assertEquals(Failures.USAGE, wrong.exitCode());
        assertTrue(wrong.err().contains("nobody"), wrong.err());
    }

    @Test
    void pipesAndLoopsOfLinksAreRefusedAtOnce() throws Exception {
        Path pipe = folder.resolve("pipe.npy");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        Path loop = Files.createSymbolicLink(folder.resolve("loop"), folder.resolve("loop"));
        for (String verb : List.of("info", "verify", "head", "stats")) {
            CommandRun run = CommandRun.of(verb, pipe);
            assertEquals(Failures.DISK, run.exitCode(), run.err());
            assertEquals(
                    "penstock: " + pipe
                            + ": this is a pipe, a socket or a device; only files and folders can be opened\n",
                    run.err());
            assertEquals(
                    "penstock: " + loop + ": the symbolic links form a loop\n",
                    CommandRun.of(verb, loop).err());
        }
        CommandRun get = CommandRun.of("tree", "get", pipe, "a");
        assertTrue(get.err().contains("this is a pipe"), get.err());
    }

    @Test
    void inputsOfTextThatAreNotFilesAreRefusedAtOnce() throws Exception {
        Path store = folder.resolve("store");
        assertEquals(
                0,
                CommandRun.of("store", "create", store, "--field", "a:int64:scalar")
                        .exitCode());
        for (String extension : List.of("csv", "jsonl")) {
            Path pipe = folder.resolve("pipe." + extension);
            assertEquals(
                    0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
            Path device = Files.createSymbolicLink(folder.resolve("zero." + extension), Path.of("/dev/zero"));
            Path inside = Files.createDirectory(folder.resolve("folder." + extension));
            for (Path input : List.of(pipe, device, inside)) {
                for (String to : List.of("table", "store")) {
                    refusedInput(input, "convert", input, folder.resolve("target"), "--to", to);
                }
                refusedInput(input, "store", "append", store, "--input", input);
                refusedInput(input, "store", "rebalance", store, "--order", input);
            }
        }
        Path empty = Files.createDirectory(folder.resolve("empty"));
        refusedInput(empty, "store", "append", store, "--input", empty);
        CommandRun run = CommandRun.of("convert", empty, folder.resolve("target"), "--to", "store");
        assertEquals(Failures.BAD_DATA, run.exitCode(), run.err());
        assertTrue(run.err().contains("this folder is empty; check the path"), run.err());
    }

    private static void refusedInput(Path input, Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(Failures.DISK, run.exitCode(), run.err());
        String what = Files.isDirectory(input) ? "this is a folder" : "this is a pipe, a socket or a device";
        assertTrue(
                run.err().startsWith("penstock: " + input + ": ") && run.err().contains(what), run.err());
    }

    @Test
    void aFileDoesNotReplaceAFolder() throws IOException {
        Path target = Files.createDirectory(folder.resolve("target.npy"));
        CommandRun run = CommandRun.of(
                "export",
                Tables.write(folder.resolve("t.npy"), 3),
                "--format",
                "npy",
                "--output",
                target,
                "--overwrite");
        assertEquals(Failures.DISK, run.exitCode());
        assertEquals("penstock: " + target + ": Is a directory\n", run.err());
    }

    @Test
    void aFileWithoutAHeaderIsReadWithAType() throws IOException {
        Path file = Files.write(folder.resolve("train.bin"), new byte[] {1, 0, 2, 1, 3, 0});
        CommandRun info = CommandRun.of("info", file, "--dtype", "<u2", "--json");
        assertEquals(0, info.exitCode(), info.err());
        assertTrue(info.out().contains("\"records\":3"), info.out());
        assertEquals(
                "value\n1\n258\n3\n",
                CommandRun.of("export", file, "--dtype", "uint16", "--format", "csv", "--output", "-")
                        .out()
                        .replace("\r", ""));
        assertTrue(CommandRun.of("head", file, "--dtype", "<u2").out().contains("258"));
        assertTrue(CommandRun.of("stats", file, "--dtype", "<u2").out().contains("258"));
        assertEquals(0, CommandRun.of("verify", file, "--dtype", "<u2").exitCode());
        CommandRun wrong = CommandRun.of("info", file, "--dtype", "nonsense");
        assertEquals(2, wrong.exitCode());
        assertTrue(wrong.err().contains("--dtype"), wrong.err());
        assertEquals(1, CommandRun.of("info", file, "--dtype", "<u4").exitCode());
        assertEquals(2, CommandRun.of("info", PACK, "--dtype", "<u2").exitCode());
        assertTrue(CommandRun.of("info", file).err().contains("--dtype"));
    }
}
