// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.plugin.Console;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Standard output that cannot be written to.
@Tag("full")
final class StandardOutputTest {
    @TempDir
    Path folder;

    private record Run(int exitCode, String err) {}

    /// Runs a command whose output fails with these words after some bytes.
    private static Run run(String failure, long allowedBytes, Object... words) {
        return run(false, failure, allowedBytes, words);
    }

    private static Run run(boolean isWatched, String failure, long allowedBytes, Object... words) {
        OutputStream failing = new OutputStream() {
            private long writtenBytes;

            @Override
            public void write(int value) throws IOException {
                if (++writtenBytes > allowedBytes) {
                    throw new IOException(failure);
                }
            }
        };
        PrintStream out = new PrintStream(new BufferedOutputStream(new StandardOutput(failing), 64));
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console =
                new Console(new ByteArrayInputStream(new byte[0]), out, new PrintStream(err), () -> isWatched);
        String[] args = List.of(words).stream().map(Object::toString).toArray(String[]::new);
        int exitCode = Main.run(console, args);
        return new Run(exitCode, err.toString(StandardCharsets.UTF_8));
    }

    private List<List<Object>> commands() throws IOException {
        Path table = Tables.write(folder.resolve("t.npy"), 5_000);
        Path text = Files.writeString(folder.resolve("words.txt"), "a\nab\nb\n");
        Path tree = folder.resolve("w.act");
        assertEquals(
                0,
                CommandRun.of("tree", "build", "--input", text, "--output", tree)
                        .exitCode());
        Path pack = CommandRun.testdata("pack/packs/three-align1.a2pack");
        return List.of(
                List.of("export", table, "--format", "csv", "--output", "-"),
                List.of("export", table, "--format", "jsonl", "--output", "-", "--json"),
                List.of("head", table, "-n", 1000),
                List.of("head", table, "-n", 1000, "--json"),
                List.of("get", pack, 0),
                List.of("get", table, 0, "--json"),
                List.of("tree", "dump", tree),
                List.of("tree", "ls", tree, "--json"),
                List.of("plan", table),
                List.of("plan", table, "--json"),
                List.of("info", table),
                List.of("verify", table, "--json"),
                List.of("stats", table),
                List.of("help"),
                List.of("export", "--help"));
    }

    @Test
    void aReaderThatHasGoneEndsEveryCommandQuietly() throws IOException {
        for (List<Object> command : commands()) {
            for (long allowedBytes : List.of(0L, 10L)) {
                assertEquals(
                        new Run(Failures.BROKEN_PIPE, ""),
                        run("Broken pipe", allowedBytes, withQuiet(command)),
                        command + " after " + allowedBytes);
            }
        }
    }

    private static Object[] withQuiet(List<Object> command) {
        boolean isHelp = command.contains("help") || command.contains("--help");
        return (isHelp
                        ? command.stream()
                        : java.util.stream.Stream.concat(command.stream(), List.of("--quiet").stream()))
                .toArray();
    }

    @Test
    void progressOnStandardErrorIsWipedAndNothingElseIsSaid() throws IOException {
        Path table = Tables.write(folder.resolve("t.npy"), 5_000);
        Run run = run(true, "Broken pipe", 10, "export", table, "--format", "csv", "--output", "-");
        assertEquals(Failures.BROKEN_PIPE, run.exitCode());
        assertFalse(run.err().contains("penstock:"), run.err());
        assertTrue(run.err().isEmpty() || run.err().endsWith("\u001b[K"), run.err());
    }

    @Test
    void aFullDiskIsAnErrorOfTheDisk() throws IOException {
        for (List<Object> command : commands()) {
            Run run = run("No space left on device", 10, command.toArray());
            assertEquals(Failures.DISK, run.exitCode(), command.toString());
            List<String> lines = run.err().lines().toList();
            int last = lines.size() - 1;
            if (command.contains("--json")) {
                assertTrue(lines.get(last--).startsWith("{\"error\":{\"kind\":\"disk\","), run.err());
            }
            assertTrue(
                    lines.get(last).endsWith("penstock: cannot write to standard output: No space left on device"),
                    run.err());
        }
    }

    @Test
    void aFailureKeepsItsExitCodeWhenThePipeIsClosed() throws IOException {
        Run run = run("Broken pipe", 0, "info", folder.resolve("missing"), "--json");
        assertEquals(Failures.DISK, run.exitCode());
        List<String> lines = run.err().lines().toList();
        assertEquals(2, lines.size(), run.err());
        assertTrue(lines.getFirst().endsWith("missing: no such file or folder"), run.err());
        assertTrue(lines.getLast().startsWith("{\"error\":"), run.err());
    }

    @Test
    void aPipeToHeadEndsQuietly() throws Exception {
        Path table = Tables.write(folder.resolve("large.npy"), 20_000);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String script = "\"$@\" | head -n 1; echo \"status ${PIPESTATUS[0]}\"";
        List<String> command = List.of(
                "bash",
                "-c",
                script,
                "bash",
                java,
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "export",
                table.toString(),
                "--format",
                "jsonl",
                "--output",
                "-");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        assertEquals("{\"id\":0,\"kind\":0,\"weight\":0.0,\"pair\":[0,0]}\nstatus 141\n", output);
    }
}
