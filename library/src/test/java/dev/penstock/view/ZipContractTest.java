// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Dataset;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Nested;

/// Zipped datasets keep the contract of datasets.
class ZipContractTest {
    private interface ZipContract extends ViewContract {
        @Override
        default Dataset view(List<Dataset> parts) {
            Map<String, Dataset> byKey = new LinkedHashMap<>();
            for (Dataset part : parts) {
                byKey.put("part" + byKey.size(), part);
            }
            return Zip.of(byKey);
        }
    }

    private static List<byte[]> cut(List<byte[]> records, int start, int limit) {
        return records.stream()
                .map(record -> Arrays.copyOfRange(record, start, Math.min(limit, record.length)))
                .toList();
    }

    /// A label of four bytes, followed by the rest of the record.
    @Nested
    class ZipOfTableAndPack implements ZipContract {
        @Override
        public void write(Path path, List<byte[]> records) throws IOException {
            Files.createDirectory(path);
            Views.writeTable(path.resolve("0.npy"), RowType.of(DType.parse("<i4")), cut(records, 0, 4));
            Views.writePack(path.resolve("1.a2pack"), cut(records, 4, Integer.MAX_VALUE));
        }

        @Override
        public byte[] record(Random random) {
            byte[] record = new byte[4 + random.nextInt(300)];
            random.nextBytes(record);
            return record;
        }
    }

    @Nested
    class ZipOfTables implements ViewContract.TableRows, ZipContract {
        @Override
        public void write(Path path, List<byte[]> records) throws IOException {
            Files.createDirectory(path);
            RowType first = RowType.of(DType.parse("[('board', '<u8'), ('move', '|u1'), ('ev', '<f4', (3,))]"));
            Views.writeTable(path.resolve("0.npy"), first, cut(records, 0, 21));
            Views.writeTable(path.resolve("1.npy"), RowType.of(DType.parse("|V9")), cut(records, 21, 30));
        }
    }
}
