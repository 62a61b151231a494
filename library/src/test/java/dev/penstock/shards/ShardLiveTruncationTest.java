// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.penstock.Figures;
import dev.penstock.file.ChildJava;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A shard is shortened by another program while it is read and the reading is compiled: the read says so, and the
/// process lives.
@Tag("full")
final class ShardLiveTruncationTest {
    @ParameterizedTest
    @CsvSource({"false, DOUBLES", "true, DOUBLES", "true, BRAIN_FLOATS"})
    void aReadOfAShortenedShardIsRefusedByTheCallItself(
            boolean hasVectors, ShortenedShards.Way first, @TempDir Path folder) throws Exception {
        List<String> command = ChildJava.command(folder, ShortenedShards.class, folder, 400, first);
        command.add(1, "-Xbatch");
        if (hasVectors) {
            command.add(1, "--add-modules=jdk.incubator.vector");
        }
        ChildJava.Result result = ChildJava.run(folder, command);
        assertFalse(Files.exists(ChildJava.crashReport(folder)), () -> "the Java runtime died\n" + result.output());
        assertEquals(ShortenedShards.EXIT_REFUSED, result.exitCode(), result::output);
        Figures.print("shards, files shortened while they were read", ShortenedShards.Way.values().length);
    }
}
