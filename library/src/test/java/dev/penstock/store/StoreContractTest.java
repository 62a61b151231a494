// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.contract.DatasetContract;
import dev.penstock.file.Access;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Nested;

/// Stores keep what every dataset promises, mapped and read, compressed and not.
class StoreContractTest {
    private interface StoreContract extends DatasetContract {
        StoreCompression compression();

        StoreReader.Options options();

        @Override
        default void write(Path path, List<byte[]> records) throws IOException {
            List<StoreField> fields = List.of(StoreField.bytes("value").withCompression(compression()));
            StoreOptions options = StoreOptions.DEFAULT
                    .withDurability(StoreOptions.Durability.NONE)
                    .withDisk(BuggyDisks.withoutForce(BuggyDisks.withoutForceDirectory(Disk.real())))
                    .withChunkRows(70);
            try (StoreWriter store = StoreWriter.create(path, fields, options)) {
                for (byte[] bytes : records) {
                    store.append(List.of(bytes));
                }
            }
        }

        @Override
        default Dataset open(Path path) throws IOException {
            if (Files.isRegularFile(path)) {
                throw new DatasetException.WrongFormat(path, "a store is a folder");
            }
            return StoreReader.open(path, options());
        }
    }

    @Nested
    class Mapped implements StoreContract {
        @Override
        public StoreCompression compression() {
            return StoreCompression.RAW;
        }

        @Override
        public StoreReader.Options options() {
            return StoreReader.Options.DEFAULT;
        }
    }

    @Nested
    class MappedZstdUnchecked implements StoreContract {
        @Override
        public StoreCompression compression() {
            return StoreCompression.ZSTD;
        }

        @Override
        public StoreReader.Options options() {
            return StoreReader.Options.DEFAULT.withThreads(1).withChecking(false);
        }
    }

    @Nested
    class ReadFlate implements StoreContract {
        @Override
        public StoreCompression compression() {
            return StoreCompression.FLATE;
        }

        @Override
        public StoreReader.Options options() {
            return StoreReader.Options.DEFAULT.withAccess(Access.READ);
        }
    }
}
