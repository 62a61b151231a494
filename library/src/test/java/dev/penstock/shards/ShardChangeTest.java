// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification.Problem;
import dev.penstock.file.Access;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Another program changes shards while they are open.
final class ShardChangeTest {
    @TempDir
    Path folder;

    /// The changes that the other program makes.
    private enum Change {
        TOUCHED,
        REWRITTEN,
        LONGER,
        SHORTER,
        REMOVED;

        void apply(Path file) throws IOException {
            byte[] bytes = Files.readAllBytes(file);
            // Time stamps of some file systems are coarse.
            FileTime later = FileTime.fromMillis(Files.getLastModifiedTime(file).toMillis() + 5000);
            switch (this) {
                case TOUCHED -> {}
                case REWRITTEN -> {
                    bytes[40]++;
                    Files.write(file, bytes, StandardOpenOption.WRITE);
                }
                case LONGER -> Files.write(file, new byte[8], StandardOpenOption.APPEND);
                case SHORTER -> Files.write(file, Arrays.copyOf(bytes, bytes.length - 8));
                case REMOVED -> {
                    Files.delete(file);
                    return;
                }
                default -> throw new AssertionError(this);
            }
            Files.setLastModifiedTime(file, later);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPositionIsNeitherNotedNorResumedAfterAChange(Change change) throws IOException {
        for (Access access : Access.values()) {
            Path corpus = Shards.corpus(folder.resolve(change + "-" + access), 3, 5, 5);
            try (ShardReader reader = ShardReader.open(corpus, ShardReader.Options.DEFAULT.withAccess(access));
                    ShardSource source = reader.source()) {
                source.seek(7);
                String token = source.token();
                change.apply(corpus.resolve("s00001.shard"));
                DatasetException noted = assertThrows(DatasetException.class, source::token);
                assertEquals(Reason.SHARD_CHANGED, noted.reason());
                assertTrue(noted.getMessage().contains("s00001.shard"), noted.getMessage());
                assertThrows(DatasetException.class, () -> source.resume(token));
                List<Reason> found = reader.verify(Progress.NONE).problems().stream()
                        .map(Problem::reason)
                        .toList();
                assertTrue(found.contains(Reason.SHARD_CHANGED), found.toString());
            }
        }
    }

    @Test
    void aTokenOfRowsThatWereRewrittenIsRefusedByTheNextReader() throws IOException {
        Path corpus = Shards.corpus(folder.resolve("corpus"), 3, 5, 5);
        String token;
        try (ShardReader reader = ShardReader.open(corpus);
                ShardSource source = reader.source()) {
            source.seek(7);
            token = source.token();
        }
        Change.TOUCHED.apply(corpus.resolve("s00000.shard"));
        try (ShardReader reader = ShardReader.open(corpus);
                ShardSource source = reader.source()) {
            source.resume(token);
            assertEquals(7, source.position());
        }
        Change.REWRITTEN.apply(corpus.resolve("s00000.shard"));
        try (ShardReader reader = ShardReader.open(corpus);
                ShardSource source = reader.source()) {
            assertThrows(IllegalArgumentException.class, () -> source.resume(token));
        }
    }

    @Test
    void valuesThatAreNotFiniteAreFoundInMemoryOfTheCallerToo() throws IOException {
        Path file =
                Shards.write(folder.resolve("a.shard"), ShardWriter.encode(new double[][] {{1, 2}, {Double.NaN, 3}}));
        ShardReader.Options options = ShardReader.Options.DEFAULT.withNonFinite(NonFinite.FAIL);
        try (ShardReader reader = ShardReader.open(file, options);
                ShardSource source = reader.source()) {
            MemorySegment target = MemorySegment.ofArray(new double[4]);
            DatasetException refused =
                    assertThrows(DatasetException.class, () -> source.nextRows(2, ElementType.F64, target));
            assertEquals(Reason.NON_FINITE, refused.reason());
            assertEquals(0, source.position());
        }
    }
}
