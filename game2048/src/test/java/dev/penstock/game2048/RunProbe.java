// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

/// Reads bytes as a run in every way and holds the answers against each other.
final class RunProbe {
    private RunProbe() {}

    /// Whether a strict reader refuses the bytes. What it reads has to be written as it was; what a lenient reader
    /// reads without a deviation has to be what the strict one reads.
    static boolean isRefused(byte[] bytes) {
        return isRefused(bytes, RunDecoder::decode);
    }

    /// The same for any strict reader, so that a test can show what it catches.
    static boolean isRefused(byte[] bytes, BiFunction<byte[], Path, Run> strict) {
        List<Deviation> deviations = new ArrayList<>();
        Run lenient = null;
        try {
            lenient = RunDecoder.decodeLeniently(bytes, Path.of("x"), deviations);
        } catch (DatasetException e) {
            // The strict reader has to refuse it too.
        }
        try {
            Run run = strict.apply(bytes, Path.of("x"));
            require(Arrays.equals(bytes, RunDecoder.encode(run, run.version())), "written otherwise");
            require(lenient != null && deviations.isEmpty(), "the lenient reader sees something else");
            Replay.check(run);
            return false;
        } catch (DatasetException e) {
            require(lenient == null || !deviations.isEmpty(), "refused without a deviation: " + e.getMessage());
            return true;
        }
    }

    private static void require(boolean isMet, String what) {
        if (!isMet) {
            throw new AssertionError(what);
        }
    }
}
