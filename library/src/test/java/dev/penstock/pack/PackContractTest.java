// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Dataset;
import dev.penstock.contract.DatasetContract;
import dev.penstock.file.Access;
import dev.penstock.file.Codec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;

/// Packs keep what every dataset promises, mapped and read, compressed and not.
class PackContractTest {
    private record Contract(Codec codec, boolean hasCrc, Access access) {
        void write(Path path, List<byte[]> records) throws IOException {
            PackWriter.Options options = Packs.options().withCodec(codec, 0).withEntryCrc(hasCrc);
            Packs.write(path, options, records.stream().map(PackRecord::of).toList(), null, false);
        }

        Dataset open(Path path) throws IOException {
            return PackReader.open(path, PackReader.Options.DEFAULT.withAccess(access));
        }
    }

    private interface PackContract extends DatasetContract {
        Contract contract();

        @Override
        default void write(Path path, List<byte[]> records) throws IOException {
            contract().write(path, records);
        }

        @Override
        default Dataset open(Path path) throws IOException {
            return contract().open(path);
        }

        /// Half of the records can be compressed.
        @Override
        default byte[] record(Random random) {
            byte[] record = DatasetContract.super.record(random);
            Arrays.fill(record, record.length / 4, record.length / 4 + record.length / 2, (byte) 7);
            return record;
        }
    }

    @Nested
    class Mapped implements PackContract {
        @Override
        public Contract contract() {
            return new Contract(Codec.NONE, true, Access.MMAP);
        }
    }

    @Nested
    class MappedWithoutChecksums implements PackContract {
        @Override
        public Contract contract() {
            return new Contract(Codec.NONE, false, Access.MMAP);
        }
    }

    @Nested
    class MappedZstd implements PackContract {
        @Override
        public Contract contract() {
            return new Contract(Codec.ZSTD, true, Access.MMAP);
        }
    }

    @Nested
    class MappedLz4 implements PackContract {
        @Override
        public Contract contract() {
            return new Contract(Codec.LZ4, true, Access.MMAP);
        }
    }

    @Nested
    class Read implements PackContract {
        @Override
        public Contract contract() {
            return new Contract(Codec.NONE, true, Access.READ);
        }
    }

    @Nested
    class ReadZstd implements PackContract {
        @Override
        public Contract contract() {
            return new Contract(Codec.ZSTD, true, Access.READ);
        }
    }

    @Nested
    class ReadLz4WithoutChecksums implements PackContract {
        @Override
        public Contract contract() {
            return new Contract(Codec.LZ4, false, Access.READ);
        }
    }
}
