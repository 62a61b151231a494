// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Json;
import dev.penstock.plugin.Console;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The output of commands that fail under `--json`.
final class ErrorJsonTest {
    private static final Path PACK = CommandRun.testdata("pack/packs/three-align1.a2pack");

    @TempDir
    Path folder;

    private static Map<?, ?> error(int exitCode, Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(exitCode, run.exitCode(), run.err());
        assertTrue(run.err().startsWith("penstock: "), run.err());
        Map<?, ?> json = (Map<?, ?>) Json.parse(run.out().getBytes(StandardCharsets.UTF_8));
        assertEquals(List.of("error"), List.copyOf(json.keySet()));
        Map<?, ?> error = (Map<?, ?>) json.get("error");
        assertEquals(List.of("kind", "reason", "file", "offset", "message"), List.copyOf(error.keySet()));
        return error;
    }

    @Test
    void badDataNamesReasonFileAndOffset() throws IOException {
        byte[] bytes = Files.readAllBytes(PACK);
        bytes[130] ^= 4;
        Path damaged = Files.write(folder.resolve("d.a2pack"), bytes);
        Map<?, ?> error = error(Failures.BAD_DATA, "get", damaged, 0, "--json");
        assertEquals("data", error.get("kind"));
        assertEquals("CHECKSUM", error.get("reason"));
        assertEquals(damaged.toString(), error.get("file"));
        assertEquals(124L, error.get("offset"));
        assertTrue(error.get("message").toString().startsWith(damaged + ": checksum mismatch"), error.toString());
    }

    @Test
    void theDiskAndTheCallerAreToldApart() throws IOException {
        Path missing = folder.resolve("missing");
        Map<?, ?> disk = error(Failures.DISK, "verify", missing, "--json");
        assertEquals("disk", disk.get("kind"));
        assertEquals("NO_SUCH_FILE", disk.get("reason"));
        assertEquals(missing.toString(), disk.get("file"));
        assertEquals(null, disk.get("offset"));
        Path there = Files.createFile(folder.resolve("there.npy"));
        Map<?, ?> exists = error(
                Failures.USAGE,
                "export",
                Tables.write(folder.resolve("t.npy"), 3),
                "--format",
                "npy",
                "--output",
                there,
                "--json");
        assertEquals("usage", exists.get("kind"));
        assertEquals("FILE_EXISTS", exists.get("reason"));
    }

    @Test
    void anInputThatIsNoFolderIsNamed() throws IOException {
        Path output = folder.resolve("out.a2pack");
        Path missing = folder.resolve("missing");
        Map<?, ?> none = error(Failures.DISK, "pack", "build", "--input", missing, "--output", output, "--json");
        assertEquals("NO_SUCH_FILE", none.get("reason"));
        assertEquals(missing.toString(), none.get("file"));
        Path file = Files.createFile(folder.resolve("file"));
        Map<?, ?> other = error(Failures.DISK, "pack", "build", "--input", file, "--output", output, "--json");
        assertEquals(file.toString(), other.get("file"));
        assertEquals(file + ": this is not a folder", other.get("message"));
    }

    @Test
    void wordsThatMakeNoCommandAreAnErrorObjectToo() {
        Map<?, ?> usage = error(Failures.USAGE, "get", PACK, 3, "--json");
        assertEquals("usage", usage.get("kind"));
        assertEquals("record 3 is out of range: " + PACK + " has 3 records, 0 to 2", usage.get("message"));
        assertEquals(
                "Invalid value for option '-n': 'x' is not an integer",
                error(Failures.USAGE, "head", PACK, "-n", "x", "--json").get("message"));
        assertEquals(
                "usage",
                error(Failures.USAGE, "info", PACK, "--no-such-option", "--json")
                        .get("kind"));
    }

    /// The error object in the last line of standard error.
    private static Map<?, ?> errorBehindResult(CommandRun run) {
        String last = run.err().lines().toList().getLast();
        return (Map<?, ?>) ((Map<?, ?>) Json.parse(last.getBytes(StandardCharsets.UTF_8))).get("error");
    }

    @Test
    void afterPartOfTheResultTheErrorObjectIsTheLastLineOfStandardError() throws IOException {
        byte[] bytes = Files.readAllBytes(PACK);
        bytes[bytes.length - 80] ^= 4;
        Path damaged = Files.write(folder.resolve("d.a2pack"), bytes);
        CommandRun run = CommandRun.of("head", damaged, "--json");
        assertEquals(Failures.BAD_DATA, run.exitCode());
        assertTrue(run.out().startsWith("[{") && !run.out().contains("error"), run.out());
        assertTrue(run.err().startsWith("penstock: " + damaged + ": checksum mismatch"), run.err());
        Map<?, ?> error = errorBehindResult(run);
        assertEquals("data", error.get("kind"));
        assertEquals("CHECKSUM", error.get("reason"));
        assertEquals(damaged.toString(), error.get("file"));
    }

    @Test
    void dataOnStandardOutputIsNotMixedWithTheErrorObject() throws IOException {
        byte[] bytes = Files.readAllBytes(PACK);
        bytes[bytes.length - 80] ^= 4;
        Path damaged = Files.write(folder.resolve("d.a2pack"), bytes);
        CommandRun run = CommandRun.of("export", damaged, "--format", "jsonl", "--output", "-", "--json");
        assertEquals(Failures.BAD_DATA, run.exitCode());
        assertTrue(!run.out().contains("error"), run.out());
        assertEquals("CHECKSUM", errorBehindResult(run).get("reason"));
    }

    @Test
    void aFullDiskUnderStandardOutputIsAnErrorObjectOnStandardError() {
        StandardOutput full = new StandardOutput(new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("No space left on device");
            }
        });
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(new BufferedOutputStream(full, 1 << 16), false, StandardCharsets.UTF_8);
        Console console = new Console(InputStream.nullInputStream(), out, new PrintStream(err), () -> false);
        int exitCode = Main.run(console, "info", PACK.toString(), "--json");
        CommandRun run = new CommandRun(exitCode, new byte[0], err.toString(StandardCharsets.UTF_8));
        assertEquals(Failures.DISK, run.exitCode(), run.err());
        assertEquals("disk", errorBehindResult(run).get("kind"));
    }
}
