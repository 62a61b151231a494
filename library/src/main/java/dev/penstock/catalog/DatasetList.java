// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.file.Location;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Opens several datasets as one.
final class DatasetList {
    private DatasetList() {}

    /// Opens datasets as one, in the order of the paths. Closing the result closes them.
    ///
    /// @param location the location of the result
    /// @throws IllegalArgumentException when there is no path, or two datasets differ in a field
    static Concat open(Location location, List<Path> paths, Catalog.Options options) throws IOException {
        if (paths.isEmpty()) {
            throw new IllegalArgumentException("the list of datasets is empty; give at least one");
        }
        List<Dataset> parts = new ArrayList<>();
        try {
            for (Path path : paths) {
                parts.add(Catalog.open(path, options));
            }
        } catch (Throwable e) {
            parts.forEach(Dataset::close);
            throw e;
        }
        return Concat.owning(location, parts);
    }
}
