// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.tree.TreeFormat;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.nio.file.Path;

/// Reads trees, with a record for each path in order.
final class TreeSource implements SourceKind {
    @Override
    public boolean recognises(Candidate candidate) {
        return candidate.startsWith(TreeFormat.magic());
    }

    @Override
    public RecordSource open(Path path, Catalog.Options options) throws IOException {
        return new TreeRecords(TreeReader.open(path, TreeReader.Options.DEFAULT.withReading(options.reading())));
    }
}
