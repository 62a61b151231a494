// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.loader.LoaderState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The demo compares what fresh processes load, and notices when it is something else.
@Tag("full")
final class LoaderDemoTest {
    private static final int SAMPLE_BYTES = 16;

    @TempDir
    Path folder;

    @Test
    void whatFreshProcessesLoadIsComparedSampleBySample() throws IOException {
        Path table = Tables.write(folder.resolve("t.npy"), 20_001);
        Path file = folder.resolve("state.json");
        LoaderDemo.Samples whole = LoaderDemo.whole(table);
        LoaderState state = LoaderDemo.stopInTheMiddle(table, file);
        assertEquals(2 * 4096, state.delivered());
        assertTrue(Files.size(file) < 1024);
        LoaderDemo.resume(folder, table, file);
        long left = 20_001 - 2 * 4096;
        assertEquals(left, LoaderDemo.matched(whole, state.delivered(), folder));

        Path samples = LoaderDemo.output(folder, 1);
        byte[] right = Files.readAllBytes(samples);
        byte[] otherBytes = right.clone();
        otherBytes[SAMPLE_BYTES - 1] ^= 1;
        Files.write(samples, otherBytes);
        assertEquals(1000, LoaderDemo.matched(whole, state.delivered(), folder));
        Files.write(samples, Arrays.copyOf(right, right.length - SAMPLE_BYTES));
        assertTrue(LoaderDemo.matched(whole, state.delivered(), folder) < left, "a sample is missing");
        Files.write(samples, Arrays.copyOf(right, right.length + SAMPLE_BYTES));
        assertTrue(LoaderDemo.matched(whole, state.delivered(), folder) < left, "a sample too many");
    }

    @Test
    void aRankThatFailsSaysWhy() throws IOException {
        Path table = Tables.write(folder.resolve("t.npy"), 100);
        Path state = Files.writeString(folder.resolve("state.json"), "{}");
        IOException failure = assertThrows(IOException.class, () -> LoaderDemo.resume(folder, table, state));
        assertTrue(failure.getMessage().contains("rank 0 of the resumed run failed"), failure.getMessage());
        assertTrue(failure.getMessage().contains("version"), failure.getMessage());
    }
}
