// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Candidate;
import dev.penstock.file.Location;
import dev.penstock.shards.ResidualFolder;
import dev.penstock.tree.TreeFormat;
import dev.penstock.tree.TreeReader;
import java.io.IOException;

/// The kinds of sources of this module. Text and safetensors have no magic number, so they are recognised by their
/// names, unless the content is that of a dataset.
enum OwnKinds implements SourceKind {
    /// A record for each path of a tree, in order.
    TREE("a tree of paths") {
        @Override
        public boolean recognises(Candidate candidate) {
            return candidate.startsWith(TreeFormat.magic());
        }

        @Override
        public RecordSource open(Location location, SourceOptions options) throws IOException {
            return new TreeRecords(TreeReader.open(
                    location,
                    TreeReader.Options.DEFAULT.withReading(options.catalog().reading())));
        }
    },
    /// The rows of the tensors of a file, or of the one that `FILE.safetensors/TENSOR` names.
    SAFETENSORS("a safetensors file") {
        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            return RowSources.tensorFile(candidate) != null;
        }

        @Override
        public RecordSource open(Location location, SourceOptions options) throws IOException {
            Location file = RowSources.tensorFile(
                    Candidate.at(location, options.catalog().reading()));
            return RowSources.tensors(file, RowSources.tensor(location, file), options.catalog());
        }
    },
    /// The rows of a `residual_shard_bf16` folder.
    RESIDUAL("a residual_shard_bf16 folder") {
        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            return candidate.kind() == Candidate.Kind.FOLDER
                    && ResidualFolder.isResidual(candidate.location(), candidate.options());
        }

        @Override
        public RecordSource open(Location location, SourceOptions options) throws IOException {
            return RowSources.residual(location, options.catalog());
        }
    },
    CSV("a CSV file") {
        @Override
        public boolean recognises(Candidate candidate) {
            return isNamed(candidate, ".csv") || isNamed(candidate, ".tsv");
        }

        @Override
        public RecordSource open(Location location, SourceOptions options) throws IOException {
            return CsvRecords.open(TextFile.at(location, options.catalog().reading()), options.text());
        }
    },
    JSON_LINES("a JSON Lines file") {
        @Override
        public boolean recognises(Candidate candidate) {
            return isNamed(candidate, ".jsonl") || isNamed(candidate, ".ndjson");
        }

        @Override
        public RecordSource open(Location location, SourceOptions options) throws IOException {
            return JsonRecords.open(TextFile.at(location, options.catalog().reading()), options.text());
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
            return JsonRecords.open(TextFile.at(location, options.catalog().reading()), options.text());
        }
    };

    private final String description;

    OwnKinds(String description) {
        this.description = description;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public boolean isByName() {
        return this == SAFETENSORS || this == CSV || this == JSON_LINES || this == JSON;
    }

    /// A folder with such a name is recognised as well. Opening it says that a file is needed.
    private static boolean isNamed(Candidate candidate, String extension) {
        return candidate.kind() != Candidate.Kind.ABSENT
                && TextFile.isNamed(candidate.location().name(), extension);
    }
}
