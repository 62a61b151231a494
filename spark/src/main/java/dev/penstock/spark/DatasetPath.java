// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/// What a user calls the path of a dataset: one or several locations, or a pattern. Several are read as one
/// dataset. The driver makes paths absolute, because executors run in other folders.
///
/// @param locations the locations, as absolute paths or URIs
record DatasetPath(List<String> locations) implements Serializable {
    DatasetPath {
        locations = List.copyOf(locations);
    }

    /// Parses the name that [#toString] makes, or a path.
    static DatasetPath parse(String text) {
        if (!text.startsWith("[")) {
            return new DatasetPath(List.of(absolute(text)));
        }
        List<String> all = new ArrayList<>();
        try (JsonParser parser = JsonFactory.builder().build().createParser(ObjectReadContext.empty(), text)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.VALUE_STRING) {
                    all.add(absolute(parser.getString()));
                }
            }
        }
        if (all.isEmpty()) {
            throw new IllegalArgumentException("the list of paths is empty; load at least one");
        }
        return new DatasetPath(all);
    }

    private static String absolute(String text) {
        Location location = Location.parse(text);
        return location.isLocal() ? location.path().toAbsolutePath().normalize().toString() : location.toString();
    }

    /// Opens the dataset. A tree becomes a dataset of its entries.
    Dataset open() throws IOException {
        List<Location> all = locations.stream().map(Location::parse).toList();
        if (all.size() == 1 && Catalog.isTree(all.getFirst())) {
            return new TreeEntries(TreeReader.open(all.getFirst(), TreeReader.Options.DEFAULT));
        }
        return all.size() == 1 ? Catalog.open(all.getFirst()) : Catalog.open(all, Catalog.Options.DEFAULT);
    }

    /// The folder to write to.
    ///
    /// @throws IllegalArgumentException when there are several, or the location is not on a disk
    Path folder() {
        Location location = Location.parse(locations.getFirst());
        if (locations.size() > 1 || !location.isLocal()) {
            throw new IllegalArgumentException(
                    "cannot write to " + this + ": give one folder on a disk that all executors share");
        }
        return location.path();
    }

    @Override
    public String toString() {
        if (locations.size() == 1) {
            return locations.getFirst();
        }
        return locations.stream()
                .map(one -> '"' + one.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .toList()
                .toString();
    }
}
