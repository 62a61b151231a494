// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Dataset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;

/// Views of tables and packs keep the contract of datasets.
class ViewContractTest {
    /// All records of the base, in reverse order.
    private interface SubsetContract extends ViewContract {
        @Override
        default Dataset view(List<Dataset> parts) {
            Dataset base = parts.getFirst();
            return Subset.of(
                    base,
                    LongStream.range(0, base.count())
                            .map(i -> base.count() - 1 - i)
                            .toArray());
        }
    }

    @Nested
    class SubsetOfTable implements ViewContract.TableRows, SubsetContract {
        @Override
        public void write(Path path, List<byte[]> records) throws IOException {
            Views.writeTable(Files.createDirectory(path).resolve("0.npy"), Views.ROW, records.reversed());
        }
    }

    @Nested
    class SubsetOfPack implements SubsetContract {
        @Override
        public void write(Path path, List<byte[]> records) throws IOException {
            Views.writePack(Files.createDirectory(path).resolve("0.a2pack"), records.reversed());
        }
    }

    /// Seven records in the first part and twice as many in each following part, with empty parts between them.
    private interface ConcatContract extends ViewContract {
        void writePart(Path path, List<byte[]> records) throws IOException;

        @Override
        default void write(Path path, List<byte[]> records) throws IOException {
            Files.createDirectory(path);
            writePart(path.resolve("0"), List.of());
            int number = 1;
            int start = 0;
            for (int count = 7; start < records.size(); count *= 2) {
                int limit = Math.min(records.size(), start + count);
                writePart(path.resolve(number + ""), records.subList(start, limit));
                writePart(path.resolve(number + "-empty"), List.of());
                number++;
                start = limit;
            }
        }

        @Override
        default Dataset view(List<Dataset> parts) {
            return Concat.of(parts);
        }
    }

    @Nested
    class ConcatOfTables implements ViewContract.TableRows, ConcatContract {
        @Override
        public void writePart(Path path, List<byte[]> records) throws IOException {
            Views.writeTable(path.resolveSibling(path.getFileName() + ".npy"), Views.ROW, records);
        }
    }

    @Nested
    class ConcatOfPacks implements ConcatContract {
        @Override
        public void writePart(Path path, List<byte[]> records) throws IOException {
            Views.writePack(path, records);
        }
    }
}
