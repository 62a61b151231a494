// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.GroupedRecords;
import dev.penstock.file.Location;
import dev.penstock.plugin.Description;
import dev.penstock.store.StoreReader;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The list of datasets, and one dataset as `info` describes it, with the commands and the Python that open it.
///
/// @param shelf the datasets
record OverviewPage(Shelf shelf) implements Page {
    @Override
    public Object json(Query query) throws IOException {
        List<Shelf.Entry> entries = shelf.entries();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("datasets", entries.stream().map(OverviewPage::describe).toList());
        String id =
                query.text("dataset", entries.size() == 1 ? entries.getFirst().id() : null);
        if (id != null) {
            Shelf.Entry entry = shelf.entry(id);
            json.put("dataset", id);
            json.put("info", entry.isTree() ? tree(entry.location()) : shelf.with(id, Description::of));
            json.put("tree", entry.isTree());
            json.put("grouped", !entry.isTree() && shelf.with(id, OverviewPage::groups));
            json.put("named", !entry.isTree() && shelf.with(id, OverviewPage::isNamed));
            json.put("base", shelf.baseId(id));
            json.put("views", entry.isTree() ? List.of() : shelf.with(shelf.baseId(id), Views::of));
            json.put("live", !entry.isTree() && shelf.with(id, OverviewPage::isLive));
            json.put("commands", commands(entry));
            json.put("python", python(entry));
        }
        return json;
    }

    private static Map<String, Object> describe(Shelf.Entry entry) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", entry.id());
        json.put("path", entry.location());
        json.put("format", entry.format());
        return json;
    }

    private static boolean groups(Dataset dataset) {
        return dataset instanceof GroupedRecords;
    }

    private static boolean isLive(Dataset dataset) {
        return dataset instanceof StoreReader store && Views.isLive(store);
    }

    private static boolean isNamed(Dataset dataset) {
        return dataset.count() > 0 && dataset.name(0) != null;
    }

    /// A tree has no records, so only its first and last bytes are described.
    private Map<String, Object> tree(Location location) throws IOException {
        TreeReader.Options lenient = TreeReader.Options.DEFAULT
                .withReading(shelf.options().reading())
                .withStrict(false);
        try (TreeReader tree = TreeReader.open(location, lenient)) {
            return Description.of(location, tree);
        }
    }

    private static List<String> commands(Shelf.Entry entry) {
        String path = Quoted.shell(entry.location().toString());
        if (entry.isTree()) {
            return List.of("penstock tree ls " + path, "penstock tree stats " + path, "penstock verify " + path);
        }
        String view = entry.view() == null
                ? ""
                : Views.words(entry).map(word -> " " + Quoted.shell(word)).collect(Collectors.joining());
        return Stream.of("head", "stats", "plan")
                .map(command -> "penstock " + command + " " + path + view)
                .toList();
    }

    private static List<String> python(Shelf.Entry entry) {
        String path = Quoted.python(entry.location().toString());
        return entry.isTree()
                ? List.of("import penstock", "tree = penstock.Tree(" + path + ")")
                : List.of(
                        "import penstock",
                        "ds = " + Quoted.open(entry),
                        "loader = penstock.Loader(ds, batch_size=256, shuffle=True, seed=0)");
    }
}
