// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Reason;
import dev.penstock.contract.RowsContract;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Shards keep what every dataset promises, mapped and read, in one shard and in several.
class ShardContractTest {
    private static final int WIDTH = 5;

    private interface ShardContract extends RowsContract {
        @Override
        default int rowSize() {
            return WIDTH * Float.BYTES;
        }

        @Override
        default void write(Path path, List<byte[]> records) throws IOException {
            ShardWriter.Options options = ShardWriter.Options.DEFAULT.withShardRows(shardRows());
            try (ShardWriter writer = ShardWriter.create(path, WIDTH, options)) {
                for (byte[] record : records) {
                    writer.append(MemorySegment.ofArray(record), ElementType.F32);
                }
            }
        }

        @Override
        default Dataset open(Path path) throws IOException {
            return ShardReader.open(path, ShardReader.Options.DEFAULT.withAccess(access()));
        }

        /// A corpus has rows, as in the original.
        @Test
        @Override
        default void anEmptyDatasetHasNoRecords(@TempDir Path folder) throws IOException {
            Path path = folder.resolve("empty");
            write(path, List.of());
            assertEquals(32, Files.size(path.resolve("shard_000000.shard")));
            DatasetException refused = assertThrows(DatasetException.class, () -> open(path));
            assertEquals(Reason.EMPTY, refused.reason());
        }
    }

    @Nested
    class OneShardMapped implements ShardContract, RowsContract.Mapped {
        @Override
        public long shardRows() {
            return 1_000_000;
        }
    }

    @Nested
    class ManyShardsMapped implements ShardContract, RowsContract.Mapped {
        @Override
        public long shardRows() {
            return 7;
        }
    }

    @Nested
    class ManyShardsRead implements ShardContract, RowsContract.Read {
        @Override
        public long shardRows() {
            return 50;
        }
    }
}
