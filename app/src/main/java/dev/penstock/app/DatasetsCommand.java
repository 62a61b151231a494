// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.plugin.LocationText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Parameters;

/// A command about one dataset, or about several that are read as one.
abstract class DatasetsCommand extends DatasetCommand {
    @Parameters(
            index = "1..*",
            paramLabel = "PATH",
            converter = LocationText.class,
            description = "More datasets with the same fields, to be read as one after the first. A quoted pattern"
                    + " such as 'day-*' stands for all that match.")
    List<Location> more = new ArrayList<>();

    @Override
    Dataset open() throws IOException {
        if (more.isEmpty()) {
            return super.open();
        }
        if (snapshot.name != null) {
            throw new IllegalArgumentException(
                    "--snapshot works for a single store, but " + (more.size() + 1) + " paths are given");
        }
        List<Location> paths = paths();
        Dataset dataset = Catalog.open(paths, options());
        if (isLenient) {
            dataset.remarks().forEach(this::remark);
        }
        return dataset;
    }

    List<Location> paths() {
        List<Location> paths = new ArrayList<>(List.of(path));
        paths.addAll(more);
        return paths;
    }

    /// The options without which the dataset does not open, as a shell takes them, each after a space.
    String opening() {
        return (dtype.type == null ? "" : " --dtype " + NextCommand.quoted(dtype.type))
                + (snapshot.name == null ? "" : " --snapshot " + NextCommand.quoted(snapshot.name))
                + (isLenient ? " --lenient" : "")
                + (hasFirstCheck ? " --verify-first" : "");
    }
}
