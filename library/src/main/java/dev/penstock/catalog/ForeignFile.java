// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.ServiceLoader;

/// Common files that are not datasets, so that a message can name them.
enum ForeignFile implements ForeignKind {
    PICKLE(
            "a Python pickle, which is never read because reading one runs code",
            "\u0080\u0002",
            "\u0080\u0003",
            "\u0080\u0004",
            "\u0080\u0005"),
    SQLITE("an SQLite database", "SQLite format 3\0"),
    GZIP("gzip data", "\u001f\u008b"),
    ZSTANDARD("Zstandard data", "\u0028\u00b5\u002f\u00fd"),
    PARQUET("a Parquet file", "PAR1");

    private final String what;
    private final String[] starts;

    ForeignFile(String what, String... starts) {
        this.what = what;
        this.starts = starts;
    }

    /// What a file or folder is, if its first bytes or the names in it tell. Other modules are asked first,
    /// because they may read such files.
    static Optional<String> recognise(Candidate candidate) throws IOException {
        for (ForeignKind kind : ServiceLoader.load(ForeignKind.class, ForeignKind.class.getClassLoader())) {
            Optional<String> found = kind.describe(candidate);
            if (found.isPresent()) {
                return found;
            }
        }
        for (ForeignFile kind : values()) {
            if (kind.describe(candidate).isPresent()) {
                return kind.describe(candidate);
            }
        }
        return Optional.empty();
    }

    @Override
    public Optional<String> describe(Candidate candidate) {
        for (String start : starts) {
            if (candidate.startsWith(start.getBytes(StandardCharsets.ISO_8859_1))) {
                return Optional.of(what);
            }
        }
        return Optional.empty();
    }
}
