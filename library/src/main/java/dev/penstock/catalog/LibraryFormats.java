// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.file.DatasetFiles;
import dev.penstock.file.Location;
import dev.penstock.pack.PackFormat;
import dev.penstock.pack.PackReader;
import dev.penstock.store.StoreReader;
import dev.penstock.table.TableFormat;
import dev.penstock.table.TableReader;
import java.io.IOException;

/// The formats of the library.
enum LibraryFormats implements Format {
    PACK("pack") {
        @Override
        public boolean recognises(Candidate candidate) {
            return candidate.startsWith(PackFormat.magic());
        }

        @Override
        public Dataset open(Location location, Catalog.Options options) throws IOException {
            PackReader pack = PackReader.open(location, options.pack());
            requireChecksums(pack, pack.hasChecksums(), options);
            return pack;
        }
    },
    TABLE("table") {
        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            return candidate.startsWith(TableFormat.magic())
                    || TableReader.isTable(candidate.storage(), candidate.location());
        }

        @Override
        public Dataset open(Location location, Catalog.Options options) throws IOException {
            return TableReader.open(location, options.table());
        }

        @Override
        public DatasetFiles files(Location folder, Catalog.Options options) throws IOException {
            return TableReader.files(options.reading().storageOf(folder), folder);
        }
    },
    STORE("store") {
        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            return candidate.kind() == Candidate.Kind.FOLDER
                    && StoreReader.isStore(candidate.storage(), candidate.location());
        }

        @Override
        public Dataset open(Location location, Catalog.Options options) throws IOException {
            StoreReader store = StoreReader.open(location, options.store());
            requireChecksums(store, store.hasChecksums(), options);
            return store;
        }

        @Override
        public DatasetFiles files(Location folder, Catalog.Options options) throws IOException {
            return StoreReader.files(options.reading().storageOf(folder), folder);
        }
    };

    private final String word;

    LibraryFormats(String word) {
        this.word = word;
    }

    @Override
    public String format() {
        return word;
    }

    /// Closes and refuses a dataset without checksums if they are to be compared.
    private static void requireChecksums(Dataset dataset, boolean hasChecksums, Catalog.Options options) {
        if (options.hasFirstCheck() && !hasChecksums) {
            dataset.close();
            throw new IllegalArgumentException(dataset.location()
                    + " has records without a checksum; open it without the first check, or write it again with"
                    + " checksums");
        }
    }

    @Override
    public boolean isChecked() {
        return true;
    }
}
