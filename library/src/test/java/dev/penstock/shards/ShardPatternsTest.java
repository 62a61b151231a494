// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.ElementType;
import dev.penstock.Project;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the Java code of `docs/shards.md`.
final class ShardPatternsTest {
    @TempDir
    Path folder;

    @Test
    void rowsAreWrittenStreamedAndReadById() throws IOException {
        Path corpus = folder.resolve("corpus");
        // [shards]
        ShardWriter.Options options = ShardWriter.Options.DEFAULT.withShardRows(1000);
        try (ShardWriter writer = ShardWriter.create(corpus, 3, options)) {
            writer.append(new double[][] {{1, 2, 3}, {4, 5, 6}});
        }
        try (ShardReader shards = ShardReader.open(corpus);
                ShardSource source = shards.source();
                ShardBatch batch = ShardBatch.create(ElementType.F32)) {
            double sum = 0;
            while (source.nextBatch(batch)) {
                MemorySegment values = batch.values();
                sum += values.getAtIndex(ValueLayout.JAVA_FLOAT, 0);
            }
            source.seek(1);
            String token = source.token();
            source.reset();
            source.resume(token);
            source.gather(new long[] {1, 0, 1}, batch);
            double value = batch.value(2, 0);
            // [shards]
            assertEquals(1, sum);
            assertEquals(1, source.position());
            assertEquals(4, value);
        }
    }

    @Test
    void thePageShowsThisCode() {
        int lineCount = Project.requireShown(
                "docs/shards.md", "library/src/test/java/dev/penstock/shards/ShardPatternsTest.java");
        assertTrue(lineCount > 10);
    }
}
