// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.pack.RecordFamily;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/// Common files that are not datasets, so that a message can name them.
enum ForeignFile {
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

    /// What a file is, if its first bytes tell. Families of records that other modules add know their own files.
    static Optional<String> recognise(Candidate file) {
        Stream<String> known = Arrays.stream(values())
                .filter(foreign -> foreign.isStartOf(file))
                .map(foreign -> foreign.what);
        Stream<String> ofModules =
                RecordFamily.all().stream().flatMap(family -> family.recognise(file.head()).stream());
        return Stream.concat(known, ofModules).findFirst();
    }

    private boolean isStartOf(Candidate file) {
        return Arrays.stream(starts).anyMatch(start -> file.startsWith(start.getBytes(StandardCharsets.ISO_8859_1)));
    }
}
