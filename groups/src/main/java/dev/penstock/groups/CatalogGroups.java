// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.Format;
import dev.penstock.file.DatasetFiles;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import dev.penstock.table.TableFormat;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
        return candidate.kind() == Candidate.Kind.FOLDER
                && GroupedTable.isGrouped(candidate.storage(), candidate.location());
    }

    @Override
    public Dataset open(Location location, Catalog.Options options) throws IOException {
        return GroupedTable.open(location, options.table());
    }

    /// The rows, the manifest, and last the database, which commits them.
    @Override
    public DatasetFiles files(Location folder, Catalog.Options options) throws IOException {
        Storage storage = options.reading().storageOf(folder);
        Location rows = GroupedSource.rowsPath(storage, folder, new ArrayList<>());
        List<String> names = new ArrayList<>(
                rows.equals(folder) ? TableReader.files(storage, folder).names() : List.of(rows.name()));
        if (!names.contains(TableFormat.MANIFEST) && storage.exists(folder.resolve(TableFormat.MANIFEST))) {
            names.add(TableFormat.MANIFEST);
        }
        return DatasetFiles.committed(names, GroupFormat.DATABASE);
    }

    @Override
    public boolean isChecked() {
        return true;
    }

    /// Reports a missing shard as such, and not as groups that do not fit the remaining rows.
    @Override
    public Verification verify(Location location, Catalog.Options options, Progress progress) throws IOException {
        try {
            return Format.super.verify(location, options, progress);
        } catch (DatasetException e) {
            open(location, options.withLenient(false)).close();
            throw e;
        }
    }

    @Override
    public Optional<String> remarkAfterAppend(Path path) {
        return Optional.of("The new rows belong to no group, so they are not read before the table is grouped again"
                + " by a column, with: penstock table group " + path);
    }
}
