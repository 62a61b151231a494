// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.penstock.Figures;
import dev.penstock.TestData;
import dev.penstock.file.ChildJava;
import dev.penstock.tree.ShortenedTree.Way;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Another program shortens the file of an open tree whose reading code is compiled. The read raises an error, and
/// the process survives.
@Tag("full")
class TreeLiveTruncationTest {
    /// Each takes a second or two.
    private static final List<Way> SOME = List.of(Way.GET, Way.SCAN, Way.VERIFY);

    static List<Way> ways() {
        return TestData.isLong()
                ? Arrays.stream(Way.values())
                        .filter(way -> way != Way.UNGUARDED)
                        .toList()
                : SOME;
    }

    @TempDir
    Path folder;

    private int run(Way way, long cutSize) throws Exception {
        Path file = folder.resolve("shortened.act");
        TreeWriter.write(
                file, TreeKeySets.index(TreeKeySets.binary(20_000, 3, 16)), value -> value, TreeWriter.Options.DEFAULT);
        ChildJava.Result result =
                ChildJava.run(folder, ChildJava.command(folder, ShortenedTree.class, file, way, cutSize));
        assertFalse(Files.exists(ChildJava.crashReport(folder)), "the Java runtime died");
        return result.exitCode();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aReadOfAShortenedFileIsRefusedByTheCallItself(Way way) throws Exception {
        assertEquals(ShortenedTree.EXIT_REFUSED, run(way, 0));
        Figures.print("tree, ways of reading a file that was shortened", 1);
    }

    /// Without the guard the error comes too late, as another error, or as an answer out of nothing.
    @Test
    void aReadWithoutTheGuardIsCaught() throws Exception {
        assertNotEquals(ShortenedTree.EXIT_REFUSED, run(Way.UNGUARDED, 0));
    }
}
