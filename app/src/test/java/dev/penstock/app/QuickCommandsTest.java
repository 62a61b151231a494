// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Command lines that are read without picocli do the same as with it.
class QuickCommandsTest {
    private static final String[] NAMES = {"info", "verify", "fingerprint"};

    @TempDir
    Path folder;

    private static void requireSame(String... args) {
        assertNotNull(QuickCommands.find(null, args), String.join(" ", args));
        CommandRun quick = CommandRun.of((Object[]) args);
        CommandRun parsed = CommandRun.parsed((Object[]) args);
        assertEquals(parsed.out(), quick.out());
        assertEquals(parsed.err(), quick.err());
        assertEquals(parsed.exitCode(), quick.exitCode());
    }

    @Test
    void resultsAndFailuresAreThoseOfPicocli() throws IOException {
        Path pack = CommandRun.testdata("pack/packs/three-align1.a2pack");
        byte[] bytes = Files.readAllBytes(pack);
        bytes[bytes.length - 80] ^= 4;
        Path damaged = Files.write(folder.resolve("damaged.a2pack"), bytes);
        Path text = Files.writeString(folder.resolve("some text.txt"), "hello");
        Path[] paths = {
            pack,
            CommandRun.testdata("table/rec.npy"),
            CommandRun.testdata("table"),
            CommandRun.testdata("tree"),
            damaged,
            text,
            folder,
            folder.resolve("missing")
        };
        for (Path path : paths) {
            for (String name : NAMES) {
                requireSame(name, path.toString());
                requireSame(name, path.toString(), "--json");
                requireSame(name, "--json", path.toString());
            }
        }
        requireSame("info", "");
    }

    @Test
    void everythingElseIsLeftToPicocli() {
        String[][] others = {
            {},
            {"info"},
            {"info", "--help"},
            {"info", "--json"},
            {"info", "@arguments"},
            {"info", "a", "b"},
            {"info", "a", "--quiet"},
            {"info", "--json", "--json"},
            {"info", "a", "--json", "--quiet"},
            {"head", "a"},
            {"pack", "build"},
            {"inf", "a"},
            {"--version", "a"}
        };
        for (String[] args : others) {
            assertNull(QuickCommands.find(null, args), String.join(" ", args));
        }
    }
}
