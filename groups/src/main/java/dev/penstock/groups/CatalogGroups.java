// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.Format;
import java.io.IOException;
import java.nio.file.Path;

/// The catalog entry of grouped tables: folders with a `metadata.db` beside the rows.
public final class CatalogGroups implements Format {
    /// Called by the catalog.
    public CatalogGroups() {}

    @Override
    public String format() {
        return "groups";
    }

    @Override
    public boolean recognises(Candidate candidate) throws IOException {
        return candidate.kind() == Candidate.Kind.FOLDER && GroupedTable.isGrouped(candidate.disk(), candidate.path());
    }

    @Override
    public Dataset open(Path path, Catalog.Options options) throws IOException {
        return GroupedTable.open(path, options.table());
    }

    @Override
    public boolean isChecked() {
        return true;
    }

    /// Reports a missing shard as such, and not as groups that do not fit the remaining rows.
    @Override
    public Verification verify(Path path, Catalog.Options options, Progress progress) throws IOException {
        try {
            return Format.super.verify(path, options, progress);
        } catch (DatasetException e) {
            open(path, options.withLenient(false)).close();
            throw e;
        }
    }
}
