// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Candidate;
import dev.penstock.file.Location;
import java.io.IOException;

/// The kinds of text, also packed. They have no magic number, so they are recognised by their names, unless the
/// content is that of a dataset.
enum TextKinds implements SourceKind {
    CSV("a CSV file") {
        @Override
        public boolean recognises(Candidate candidate) {
            return isNamed(candidate, ".csv") || isNamed(candidate, ".tsv");
        }

        @Override
        public RecordSource open(Location location, SourceOptions options) throws IOException {
            return CsvRecords.open(TextFile.at(location, options.catalog().reading()), options.text(), options.bad());
        }
    },
    JSON_LINES("a JSON Lines file") {
        @Override
        public boolean recognises(Candidate candidate) {
            return isNamed(candidate, ".jsonl") || isNamed(candidate, ".ndjson");
        }

        @Override
        public RecordSource open(Location location, SourceOptions options) throws IOException {
            return JsonRecords.open(TextFile.at(location, options.catalog().reading()), options.text(), options.bad());
        }
    },
    /// One array of objects. Folders with such a name are not asked for.
    JSON("a JSON file") {
        @Override
        public boolean recognises(Candidate candidate) {
            return candidate.kind() == Candidate.Kind.FILE && isNamed(candidate, ".json");
        }

        @Override
        public RecordSource open(Location location, SourceOptions options) throws IOException {
            return JsonRecords.open(TextFile.at(location, options.catalog().reading()), options.text(), options.bad());
        }
    };

    private final String description;

    TextKinds(String description) {
        this.description = description;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public boolean isByName() {
        return true;
    }

    @Override
    public boolean isSkipping() {
        return true;
    }

    /// A folder with such a name is recognised as well. Opening it says that a file is needed.
    private static boolean isNamed(Candidate candidate, String extension) {
        return candidate.kind() != Candidate.Kind.ABSENT
                && TextFile.isNamed(candidate.location().name(), extension);
    }
}
