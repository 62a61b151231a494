// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.memory.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What commands print under `--json` when they fail.
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
    void wordsThatMakeNoCommandAreAnErrorObjectToo() {
        Map<?, ?> usage = error(Failures.USAGE, "get", PACK, 3, "--json");
        assertEquals("usage", usage.get("kind"));
        assertEquals("no record 3: " + PACK + " has 3 records, 0 to 2", usage.get("message"));
        assertEquals(
                "usage",
                error(Failures.USAGE, "info", PACK, "--no-such-option", "--json")
                        .get("kind"));
    }

    @Test
    void whatHasBeenPrintedStaysAsItIs() throws IOException {
        byte[] bytes = Files.readAllBytes(PACK);
        bytes[bytes.length - 80] ^= 4;
        Path damaged = Files.write(folder.resolve("d.a2pack"), bytes);
        CommandRun run = CommandRun.of("head", damaged, "--json");
        assertEquals(Failures.BAD_DATA, run.exitCode());
        assertTrue(run.out().startsWith("[{") && !run.out().contains("error"), run.out());
    }
}
