// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Dataset;
import dev.penstock.contract.RowsContract;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Nested;

/// Tables keep what every dataset promises, in one file and in several, mapped and read.
class TableContractTest {
    /// Packed, so that a record is its fields one behind another.
    private static final RowType ROW =
            RowType.of(DType.parse("[('board', '<u8'), ('move', '|u1'), ('ev', '<f4', (4,)), ('tag', '|S3'),"
                    + " ('in', [('x', '<i2'), ('y', '|V5')])]"));

    private interface TableContract extends RowsContract {
        /// For [#shardRows] of a single file.
        long ONE_FILE = 0;

        @Override
        default int rowSize() {
            return (int) ROW.size();
        }

        /// A dataset of one file has that file's name, which says that it is one.
        private Path named(Path path) {
            return shardRows() != ONE_FILE ? path : path.resolveSibling(path.getFileName() + ".npy");
        }

        @Override
        default void write(Path path, List<byte[]> records) throws IOException {
            TableWriter.Options options = shardRows() != ONE_FILE
                    ? TableWriter.Options.DEFAULT.withShardRows(shardRows())
                    : TableWriter.Options.DEFAULT;
            try (TableWriter writer = TableWriter.create(named(path), ROW, options)) {
                for (byte[] record : records) {
                    writer.append(MemorySegment.ofArray(record));
                }
            }
        }

        @Override
        default Dataset open(Path path) throws IOException {
            Path found = Files.exists(named(path)) ? named(path) : path;
            return TableReader.open(found, TableReader.Options.DEFAULT.withAccess(access()));
        }
    }

    @Nested
    class OneFileMapped implements TableContract, RowsContract.Mapped {
        @Override
        public long shardRows() {
            return ONE_FILE;
        }
    }

    @Nested
    class OneFileRead implements TableContract, RowsContract.Read {
        @Override
        public long shardRows() {
            return ONE_FILE;
        }
    }

    @Nested
    class ShardsMapped implements TableContract, RowsContract.Mapped {
        @Override
        public long shardRows() {
            return 7;
        }
    }

    @Nested
    class ShardsRead implements TableContract, RowsContract.Read {
        @Override
        public long shardRows() {
            return 100;
        }
    }
}
