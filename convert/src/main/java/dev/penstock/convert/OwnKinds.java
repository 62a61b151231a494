// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.tree.TreeFormat;
import dev.penstock.tree.TreeReader;
import java.io.IOException;

/// The kinds of sources of this module. Text has no magic number, so it is recognised by its name.
enum OwnKinds implements SourceKind {
    /// A record for each path of a tree, in order.
    TREE {
        @Override
        public boolean recognises(Candidate candidate) {
            return candidate.startsWith(TreeFormat.magic());
        }

        @Override
        public RecordSource open(Location location, Catalog.Options options, TextRules rules) throws IOException {
            return new TreeRecords(
                    TreeReader.open(location, TreeReader.Options.DEFAULT.withReading(options.reading())));
        }
    },
    CSV {
        @Override
        public boolean recognises(Candidate candidate) {
            return isNamed(candidate, ".csv");
        }

        @Override
        public RecordSource open(Location location, Catalog.Options options, TextRules rules) throws IOException {
            return CsvRecords.open(TextFile.at(location, options.reading()), rules);
        }
    },
    JSON_LINES {
        @Override
        public boolean recognises(Candidate candidate) {
            return isNamed(candidate, ".jsonl") || isNamed(candidate, ".ndjson");
        }

        @Override
        public RecordSource open(Location location, Catalog.Options options, TextRules rules) throws IOException {
            return JsonRecords.open(TextFile.at(location, options.reading()), rules);
        }
    };

    /// A folder with such a name is recognised as well. Opening it says that a file is needed.
    private static boolean isNamed(Candidate candidate, String extension) {
        return candidate.kind() != Candidate.Kind.ABSENT
                && candidate.location().name().endsWith(extension);
    }
}
