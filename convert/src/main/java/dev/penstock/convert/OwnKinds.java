// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.store.upstream.UpstreamStore;
import dev.penstock.tree.TreeFormat;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.nio.file.Path;

/// The kinds of sources of this module. Text has no magic number, so it is recognised by its name.
enum OwnKinds implements SourceKind {
    /// A record for each path of a tree, in order.
    TREE {
        @Override
        public boolean recognises(Candidate candidate) {
            return candidate.startsWith(TreeFormat.magic());
        }

        @Override
        public RecordSource open(Path path, Catalog.Options options, TextRules rules) throws IOException {
            return new TreeRecords(TreeReader.open(path, TreeReader.Options.DEFAULT.withReading(options.reading())));
        }
    },
    LOADERX {
        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            return candidate.kind() == Candidate.Kind.FOLDER
                    && UpstreamStore.isStore(candidate.disk(), candidate.path());
        }

        @Override
        public RecordSource open(Path path, Catalog.Options options, TextRules rules) throws IOException {
            return LoaderxRecords.open(path, options.disk(), "value");
        }
    },
    CSV {
        @Override
        public boolean recognises(Candidate candidate) {
            return isFile(candidate, ".csv");
        }

        @Override
        public RecordSource open(Path path, Catalog.Options options, TextRules rules) throws IOException {
            return CsvRecords.open(path, path.toString(), rules);
        }
    },
    JSON_LINES {
        @Override
        public boolean recognises(Candidate candidate) {
            return isFile(candidate, ".jsonl") || isFile(candidate, ".ndjson");
        }

        @Override
        public RecordSource open(Path path, Catalog.Options options, TextRules rules) throws IOException {
            return JsonRecords.open(path, rules);
        }
    };

    private static boolean isFile(Candidate candidate, String extension) {
        return candidate.kind() == Candidate.Kind.FILE
                && candidate.path().toString().endsWith(extension);
    }
}
