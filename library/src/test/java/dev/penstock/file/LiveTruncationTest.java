// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Another program shortens a file that is mapped and being read by optimised code.
@Tag("full")
class LiveTruncationTest {
    private static final int FILE_SIZE = 4 << 20;

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void makeFile() throws IOException {
        byte[] bytes = new byte[FILE_SIZE];
        new Random(1).nextBytes(bytes);
        file = Files.write(folder.resolve("file"), bytes);
    }

    private ChildJava.Result run(String mode, int size) throws Exception {
        return ChildJava.run(folder, ChildJava.command(folder, ShortenedFile.class, file, mode, size));
    }

    @ParameterizedTest
    @CsvSource({
        "heap, 8",
        "heap, 61440",
        "heap, 1048576",
        "native, 8",
        "native, 4096",
        "native, 1048576",
        "crc, 8",
        "crc, 61440",
        "crc, 1048576",
        "use, 8",
        "use, 61440"
    })
    void theReadItselfSaysThatTheFileWasShortened(String mode, int size) throws Exception {
        ChildJava.Result result = run(mode, size);
        assertEquals(ShortenedFile.EXIT_TYPED, result.exitCode(), result.output());
        assertFalse(Files.exists(ChildJava.crashReport(folder)));
    }

    @ParameterizedTest
    @CsvSource({"8", "4096", "61440", "1048576"})
    void theChecksumOfAViewIsACatchableError(int size) throws Exception {
        ChildJava.Result result = run("view", size);
        assertEquals(ShortenedFile.EXIT_TYPED, result.exitCode(), result.output());
        assertFalse(Files.exists(ChildJava.crashReport(folder)));
    }

    /// The reason why [Crc32c] copies, and the proof that the tests above would notice a dead process.
    @Test
    void theRuntimesOwnChecksumOfMappedMemoryEndsTheProcess() throws Exception {
        ChildJava.Result result = run("unsafe", 61440);
        assertNotEquals(ShortenedFile.EXIT_TYPED, result.exitCode(), result.output());
        assertTrue(Files.exists(ChildJava.crashReport(folder)), result.output());
    }
}
