// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Candidate;
import dev.penstock.file.Location;
import dev.penstock.shards.ResidualFolder;
import dev.penstock.tree.TreeFormat;
import dev.penstock.tree.TreeReader;
import java.io.IOException;

/// The kinds of sources of this module that are no text. Safetensors have no magic number, so they are recognised
/// by their names, unless the content is that of a dataset.
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
        return this == SAFETENSORS;
    }
}
