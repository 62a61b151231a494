// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.pack.PackFormat;
import dev.penstock.pack.PackReader;
import dev.penstock.store.StoreReader;
import dev.penstock.table.TableFormat;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Path;

/// The formats of the library.
enum LibraryFormats implements Format {
    PACK("pack") {
        @Override
        public boolean recognises(Candidate candidate) {
            return candidate.startsWith(PackFormat.magic());
        }

        @Override
        public Dataset open(Path path, Catalog.Options options) throws IOException {
            PackReader pack = PackReader.open(path, options.pack());
            requireChecksums(pack, pack.hasChecksums(), options);
            return pack;
        }
    },
    TABLE("table") {
        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            return candidate.startsWith(TableFormat.magic()) || TableReader.isTable(candidate.disk(), candidate.path());
        }

        @Override
        public Dataset open(Path path, Catalog.Options options) throws IOException {
            return TableReader.open(path, options.table());
        }
    },
    STORE("store") {
        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            return candidate.kind() == Candidate.Kind.FOLDER && StoreReader.isStore(candidate.disk(), candidate.path());
        }

        @Override
        public Dataset open(Path path, Catalog.Options options) throws IOException {
            StoreReader store = StoreReader.open(path, options.store());
            requireChecksums(store, store.hasChecksums(), options);
            return store;
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
