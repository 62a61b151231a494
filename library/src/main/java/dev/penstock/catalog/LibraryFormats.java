// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.pack.PackFormat;
import dev.penstock.pack.PackReader;
import dev.penstock.store.StoreReader;
import dev.penstock.table.TableFormat;
import dev.penstock.table.TableReader;
import dev.penstock.tree.TreeFormat;
import dev.penstock.tree.TreeReader;
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
            return PackReader.open(path, options.pack());
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
            return StoreReader.open(path, options.store());
        }
    },
    /// Trees have paths and values and no records by index, so they are verified and not opened here.
    TREE("tree") {
        @Override
        public boolean recognises(Candidate candidate) {
            return candidate.startsWith(TreeFormat.magic());
        }

        @Override
        public Dataset open(Path path, Catalog.Options options) {
            throw new DatasetException.WrongFormat(
                    path, "this is a tree, which has paths instead of records; see `tree --help`");
        }

        /// Opened leniently, so that what only a strict reader refuses is listed and not refused.
        @Override
        public Verification verify(Path path, Catalog.Options options, Progress progress) throws IOException {
            TreeReader.Options lenient =
                    TreeReader.Options.DEFAULT.withReading(options.reading()).withStrict(false);
            try (TreeReader tree = TreeReader.open(path, lenient)) {
                return tree.verify(progress);
            }
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
}
