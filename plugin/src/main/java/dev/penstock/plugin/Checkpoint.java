// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Dataset;
import dev.penstock.GroupedRecords;
import dev.penstock.Progress;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Json;
import dev.penstock.file.Location;
import dev.penstock.loader.LoaderState;
import dev.penstock.loader.Segment;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.RecordFamily;
import dev.penstock.query.Where;
import dev.penstock.view.Concat;
import dev.penstock.view.Selection;
import dev.penstock.view.Subset;
import dev.penstock.view.ViewRecipe;
import dev.penstock.view.Windows;
import dev.penstock.view.Zip;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A checkpoint file of a loader, and the dataset that it describes: opened again, with all its views.
public final class Checkpoint {
    /// The largest size of a checkpoint file in bytes.
    private static final long SIZE_MAX = 8 << 20;

    private static final int ZIP_MAGIC = 'P';

    private Checkpoint() {}

    /// Reads a checkpoint from a JSON file: what `state_dict` returned, or a larger object that has it somewhere
    /// within.
    ///
    /// @throws IllegalArgumentException when the file has no checkpoint
    public static LoaderState read(Path file) throws IOException {
        if (Files.size(file) > SIZE_MAX) {
            throw new IllegalArgumentException(file + " is larger than a checkpoint of a loader in JSON: " + advice());
        }
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length > 0 && bytes[0] == ZIP_MAGIC) {
            throw new IllegalArgumentException(
                    file + " looks like a checkpoint of PyTorch, which this command does not read: " + advice());
        }
        Object json;
        try {
            json = Json.parseWithNonFinite(bytes);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + " is not JSON (" + e.getMessage() + "): " + advice(), e);
        }
        Map<?, ?> state = find(json);
        if (state == null) {
            throw new IllegalArgumentException(file + " has no checkpoint of a loader: " + advice());
        }
        return LoaderState.parse(Json.text(state));
    }

    private static String advice() {
        return "write one with json.dump(loader.state_dict(), file)";
    }

    private static Map<?, ?> find(Object json) {
        if (json instanceof Map<?, ?> map) {
            if (map.containsKey("version") && map.containsKey("sampler") && map.containsKey("delivered")) {
                return map;
            }
            return firstOf(map.values());
        }
        return json instanceof List<?> list ? firstOf(list) : null;
    }

    private static Map<?, ?> firstOf(Iterable<?> values) {
        for (Object value : values) {
            Map<?, ?> found = find(value);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /// Describes a checkpoint: where training is, its order, its steps and its datasets.
    public static Map<String, Object> describe(LoaderState state) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("epoch", state.epoch());
        description.put("delivered", state.delivered());
        description.put("records", state.recordCount());
        description.put("fingerprint", state.fingerprint());
        description.put("order", state.orderRecipe());
        List<Map<String, Object>> segments = new ArrayList<>();
        for (Segment segment : state.segments()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("epoch", segment.epoch());
            one.put("delivered", segment.delivered());
            one.put("records", segment.recordCount());
            one.put("batch", segment.batchSize());
            one.put("world", (long) segment.worldSize());
            segments.add(one);
        }
        description.put("segments", segments);
        description.put("source", state.source());
        return description;
    }

    /// Opens the dataset of a checkpoint: the given paths, in the order of the checkpoint's datasets, and its
    /// views over them.
    ///
    /// @param chosen the records that were selected by their indices, for a checkpoint that has only a checksum of
    ///               them; or null
    /// @throws IllegalArgumentException when the datasets are not those of the checkpoint
    public static Dataset open(LoaderState state, List<Location> paths, Catalog.Options options, long[] chosen)
            throws IOException {
        List<Map<?, ?>> leaves = state.source().isEmpty() ? List.of() : ViewRecipe.leaves(state.source());
        if (leaves.size() <= 1) {
            Dataset only = paths.size() == 1 ? Catalog.open(paths.getFirst(), options) : Catalog.open(paths, options);
            return leaves.isEmpty() || isLeaf(state.source())
                    ? checked(only, state)
                    : new Opening(new ArrayDeque<>(List.of(only)), chosen).open(state.source());
        }
        // A mixture that narrows a dataset in some stages has it several times.
        List<Map<?, ?>> different =
                leaves.stream().<Map<?, ?>>map(leaf -> leaf).distinct().toList();
        boolean isEach = leaves.size() == paths.size();
        if (!isEach && different.size() != paths.size()) {
            throw new IllegalArgumentException("the checkpoint has " + different.size() + " datasets, but "
                    + paths.size() + (paths.size() == 1 ? " path is" : " paths are")
                    + " given; give these, in this order: "
                    + String.join(
                            ", ",
                            different.stream()
                                    .map(leaf -> String.valueOf(leaf.get("path")))
                                    .toList()));
        }
        List<Dataset> opened = new ArrayList<>();
        for (Location path : paths) {
            opened.add(Catalog.open(path, options));
        }
        Deque<Dataset> inOrder = new ArrayDeque<>();
        for (int i = 0; i < leaves.size(); i++) {
            inOrder.add(opened.get(isEach ? i : different.indexOf(leaves.get(i))));
        }
        return new Opening(inOrder, chosen).open(state.source());
    }

    private static boolean isLeaf(Map<?, ?> recipe) {
        return !recipe.containsKey("of");
    }

    private static Dataset checked(Dataset dataset, LoaderState state) throws IOException {
        long count = state.recordCount();
        if (dataset.count() < count || !dataset.hasFingerprint(state.fingerprint(), count)) {
            throw new IllegalArgumentException("the checkpoint belongs to another dataset: it has " + count
                    + " records and fingerprint " + state.fingerprint() + ", but " + dataset.location() + " has "
                    + dataset.count() + " records and fingerprint " + dataset.fingerprint());
        }
        return dataset;
    }

    /// Makes views over datasets that are open.
    private record Opening(Deque<Dataset> leaves, long[] chosen) {
        Dataset open(Map<?, ?> recipe) throws IOException {
            if (isLeaf(recipe)) {
                return leaf(recipe);
            }
            List<Dataset> of = new ArrayList<>();
            for (Object one : (List<?>) recipe.get("of")) {
                of.add(open((Map<?, ?>) one));
            }
            Dataset first = of.getFirst();
            return switch ((String) recipe.get("view")) {
                case "concat" -> Concat.of(of);
                case "zip" -> Zip.of(named((List<?>) recipe.get("names"), of));
                case "windows" -> windows(first, (Long) recipe.get("length"), (Long) recipe.get("stride"));
                case "as" -> as(first, (String) recipe.get("name"));
                case "subset", "groups" -> subset(first, recipe);
                case String other ->
                    throw new IllegalArgumentException(
                            "the checkpoint has a view that this version does not know: " + other);
            };
        }

        private Dataset leaf(Map<?, ?> recipe) throws IOException {
            Dataset dataset = leaves.removeFirst();
            long count = (Long) recipe.get("records");
            Object fingerprint = recipe.get("fingerprint");
            boolean isSame = dataset.count() >= count
                    && (fingerprint == null || dataset.hasFingerprint((String) fingerprint, count));
            if (!isSame) {
                throw new IllegalArgumentException("the checkpoint belongs to other datasets: " + recipe.get("path")
                        + " had " + count + " records and fingerprint " + fingerprint + ", but " + dataset.location()
                        + " has " + dataset.count() + " records and fingerprint " + dataset.fingerprint());
            }
            if (dataset.count() == count) {
                return dataset;
            }
            return Subset.of(dataset, Selection.ofRanges(new long[] {0}, new long[] {count}));
        }

        private static Map<String, Dataset> named(List<?> names, List<Dataset> of) {
            Map<String, Dataset> named = new LinkedHashMap<>();
            for (int i = 0; i < of.size(); i++) {
                named.put((String) names.get(i), of.get(i));
            }
            return named;
        }

        private static Dataset windows(Dataset rows, long length, long stride) {
            return rows instanceof GroupedRecords grouped
                    ? grouped.windows(length, stride)
                    : Windows.of(rows, length, stride);
        }

        private static Dataset as(Dataset dataset, String view) throws IOException {
            if (dataset instanceof PackReader pack) {
                RecordFamily family = RecordFamily.of(pack).orElse(null);
                if (family != null && family.views().contains(view)) {
                    return family.view(pack, view, Progress.NONE);
                }
            }
            throw new IllegalArgumentException(dataset.location() + " has no view named " + view);
        }

        private Dataset subset(Dataset base, Map<?, ?> recipe) throws IOException {
            if (recipe.get("where") instanceof String condition) {
                return Where.select(base, condition);
            }
            Selection selection = ViewRecipe.selection(recipe);
            if (selection == null && chosen == null) {
                throw new IllegalArgumentException("the checkpoint is of " + recipe.get("records") + " records of "
                        + base.location() + " that the program chose by their indices, and has only a checksum of the"
                        + " indices; give them as well");
            }
            return selection == null ? Subset.of(base, chosen) : Subset.of(base, selection);
        }
    }
}
