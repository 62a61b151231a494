// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.file.Location;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Opens several datasets as one.
final class DatasetList {
    private DatasetList() {}

    /// Opens datasets as one, in the order of the list. Closing the result closes them.
    ///
    /// @param location the location of the result
    /// @throws IllegalArgumentException when there is no location, or two datasets differ in a field
    static Concat open(Location location, List<Location> locations, Catalog.Options options) throws IOException {
        return Concat.owning(location, all(locations, options));
    }

    /// Opens datasets as one that has metadata of its own.
    static Concat open(
            Location location, List<Location> locations, Map<String, String> metadata, Catalog.Options options)
            throws IOException {
        return Concat.owning(location, all(locations, options), metadata);
    }

    private static List<Dataset> all(List<Location> locations, Catalog.Options options) throws IOException {
        if (locations.isEmpty()) {
            throw new IllegalArgumentException("the list of datasets is empty; give at least one");
        }
        List<Dataset> parts = new ArrayList<>();
        try {
            for (Location one : locations) {
                parts.add(Catalog.open(one, options));
            }
        } catch (Throwable e) {
            parts.forEach(Dataset::close);
            throw e;
        }
        return parts;
    }
}
