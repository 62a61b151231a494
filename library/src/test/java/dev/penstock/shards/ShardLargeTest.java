// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.file.Access;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A shard beyond 4 GiB, in a file with holes, and ten thousand shards.
@Tag("full")
final class ShardLargeTest {
    private static final long WIDTH = 1024;
    private static final long ROW_COUNT = 5L * 1024 * 1024 * 1024 / (WIDTH * 4);

    @TempDir
    Path folder;

    @BeforeEach
    void requireHoles() throws IOException {
        String type = Files.getFileStore(folder).type();
        Assumptions.assumeTrue(
                type.matches("ext[234]|xfs|btrfs|tmpfs|overlay"), "needs a file system with holes, not " + type);
    }

    @ParameterizedTest
    @EnumSource
    void aShardOfFiveGiBIsReadLikeOthers(Access access) throws IOException {
        Path file = folder.resolve("large.shard");
        long[] marked = {0, 1, (1L << 31) / (WIDTH * 4), (1L << 32) / (WIDTH * 4), ROW_COUNT - 1};
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(Shards.header(ROW_COUNT, WIDTH, 0, 0)), 0);
            for (long row : marked) {
                ByteBuffer value =
                        ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putFloat(0, row + 1);
                channel.write(value, 32 + row * WIDTH * 4);
            }
            channel.write(ByteBuffer.allocate(1), 32 + ROW_COUNT * WIDTH * 4 - 1);
        }
        ShardReader.Options options =
                ShardReader.Options.DEFAULT.withAccess(access).withMemoryBytes(1 << 20);
        try (ShardReader reader = ShardReader.open(file, options);
                ShardSource source = reader.source();
                ShardBatch gathered = ShardBatch.create(ElementType.F64);
                ShardBatch batch = ShardBatch.create(ElementType.F64);
                Batch columns = Batch.create(reader.fields())) {
            assertEquals(ROW_COUNT, reader.count());
            source.gather(marked, gathered);
            reader.gather(marked, columns);
            for (int i = 0; i < marked.length; i++) {
                assertEquals(marked[i] + 1, gathered.value(i, 0));
                assertEquals(marked[i] + 1, columns.column(0).value(i).get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0));
                source.seek(marked[i]);
                assertTrue(source.nextBatch(batch));
                assertEquals(marked[i], batch.rowId(0));
                assertEquals(marked[i] + 1, batch.value(0, 0));
            }
            assertFalse(source.nextBatch(batch));
        }
    }

    @Test
    void tenThousandShardsAreOneCorpusWithoutTenThousandMappings() throws IOException {
        int shardCount = 10_000;
        for (int i = 0; i < shardCount; i++) {
            Shards.write(folder.resolve(String.format("s%05d.shard", i)), Shards.counting(2, 3, i * 6f));
        }
        long before = mappings();
        try (ShardReader reader = ShardReader.open(folder);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            assertEquals(2L * shardCount, reader.count());
            long[] ids = {19_999, 0, 10_000, 4_097, 12_345};
            source.gather(ids, batch);
            for (int i = 0; i < ids.length; i++) {
                assertEquals(ids[i] * 3, batch.value(i, 0));
            }
            long next = 0;
            while (source.nextRows(1000, batch)) {
                assertEquals(next * 3, batch.value(0, 0));
                next += batch.rowCount();
            }
            assertEquals(2L * shardCount, next);
            assertTrue(mappings() - before < 1500, "mappings: " + (mappings() - before));
            assertArrayEquals(new long[0], batch.rowIds());
        }
    }

    private long mappings() throws IOException {
        Path maps = Path.of("/proc/self/maps");
        if (!Files.exists(maps)) {
            return 0;
        }
        return Files.readAllLines(maps).stream()
                .filter(line -> line.contains(folder.toString()))
                .count();
    }
}
