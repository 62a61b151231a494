// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.file.Location;
import dev.penstock.tree.TreeFormat;
import dev.penstock.tree.TreeReader;
import java.io.IOException;

/// The format of trees. They have paths and values instead of records by index, so they can be verified but not
/// opened here.
final class CatalogTree implements Format {
    @Override
    public String format() {
        return "tree";
    }

    @Override
    public boolean recognises(Candidate candidate) {
        return candidate.startsWith(TreeFormat.magic());
    }

    @Override
    public Dataset open(Location location, Catalog.Options options) {
        throw new DatasetException.WrongFormat(
                location, "this is a tree, which has keys instead of records; open it as a tree");
    }

    /// The tree is opened leniently, so that problems which a strict reader would reject are listed.
    @Override
    public Verification verify(Location location, Catalog.Options options, Progress progress) throws IOException {
        TreeReader.Options lenient =
                TreeReader.Options.DEFAULT.withReading(options.reading()).withStrict(false);
        try (TreeReader tree = TreeReader.open(location, lenient)) {
            return tree.verify(progress);
        }
    }
}
