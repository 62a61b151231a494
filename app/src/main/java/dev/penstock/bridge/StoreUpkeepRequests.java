// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.StoreDescription;
import dev.penstock.store.RebalanceOptions;
import dev.penstock.store.RebalancePlan;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreSchema;
import dev.penstock.store.StoreSnapshots;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Requests about a store as a whole: refreshing, named snapshots, rebalancing, and changes of fields.
final class StoreUpkeepRequests {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private StoreUpkeepRequests() {}

    /// @return a value for JSON
    static Object answer(Request request) throws IOException {
        return switch (request.verb()) {
            case "storeRefresh" -> refresh(request);
            case "storePlaces" -> places(request);
            case "storeSnapshotCreate" -> StoreDescription.of(snapshots(request).create(request.text("name")));
            case "storeSnapshotList" ->
                snapshots(request).list().stream().map(StoreDescription::of).toList();
            case "storeSnapshotPath" -> snapshotLocation(request).toString();
            case "storeSnapshotDrop" -> drop(request);
            case "storeFieldAdd" -> addField(request);
            case "storeFieldDrop" -> dropField(request);
            case "storeFieldCompress" -> compress(request);
            case "storeRebalance" -> rebalance(request);
            case "storeRebalancePlan" -> plan(request);
            case "storeRebalanceAt" -> rebalanceAt(request);
            case "storeRebalancePlanAt" -> planAt(request);
            default -> throw new IllegalArgumentException("unknown request: " + request.verb());
        };
    }

    /// Writes the places of values of a field: the number of a file in the answer, -1 for a missing value; its
    /// offset; its size.
    ///
    /// @return the files
    private static Object places(Request request) throws IOException {
        if (!(request.object("handle", Source.class).dataset() instanceof StoreReader store)) {
            throw new IllegalArgumentException("only the values of a store that is opened as a whole can be mapped");
        }
        List<String> names = store.storeFields().stream().map(StoreField::name).toList();
        MemorySegment target = request.memory("target");
        List<String> files = new ArrayList<>();
        long first = request.number("first");
        for (long i = 0; i < target.byteSize() / (3 * Long.BYTES); i++) {
            Optional<StoreReader.Place> place = store.place(names.indexOf(request.text("field")), first + i);
            String file =
                    place.map(StoreReader.Place::chunk).map(Path::toString).orElse(null);
            if (file != null && !files.contains(file)) {
                files.add(file);
            }
            target.setAtIndex(LONG, 3 * i, place.isEmpty() ? -1 : file == null ? 0 : files.indexOf(file));
            target.setAtIndex(
                    LONG, 3 * i + 1, place.map(StoreReader.Place::offset).orElse(0L));
            target.setAtIndex(
                    LONG, 3 * i + 2, place.map(StoreReader.Place::size).orElse(0L));
        }
        return files;
    }

    private static Path path(Request request) {
        return Path.of(request.text("path"));
    }

    private static StoreSnapshots snapshots(Request request) throws IOException {
        return StoreSnapshots.of(path(request));
    }

    private static Location snapshotLocation(Request request) throws IOException {
        return StoreSnapshots.location(
                Location.parse(request.text("path")), request.text("name"), ReaderOptions.DEFAULT);
    }

    private static Object drop(Request request) throws IOException {
        snapshots(request).drop(request.text("name"));
        return null;
    }

    private static Object addField(Request request) throws IOException {
        Request field = new Request(request.list("fields", Map.class).getFirst());
        StoreSchema.addField(path(request), StoreRequests.declared(field), StoreOptions.DEFAULT);
        return null;
    }

    private static Object dropField(Request request) throws IOException {
        StoreSchema.dropField(path(request), request.text("name"), StoreOptions.DEFAULT);
        return null;
    }

    private static Object compress(Request request) throws IOException {
        StoreCompression compression = StoreCompression.of(request.text("compress"));
        StoreSchema.compress(path(request), request.text("name"), compression, StoreOptions.DEFAULT, Progress.NONE);
        return null;
    }

    private static RebalanceOptions options(Request request) {
        RebalanceOptions options = RebalanceOptions.DEFAULT;
        if (request.isTrue("isAuthor")) {
            options = options.withWaitMillis(0);
        }
        if (request.has("apart")) {
            options = options.withApart(request.list("apart", String.class));
        }
        if (request.has("order")) {
            options = options.withOrder(request.memory("order").toArray(ValueLayout.JAVA_LONG_UNALIGNED));
        }
        return request.has("minGarbage") ? options.withMinGarbage(request.real("minGarbage")) : options;
    }

    private static Object rebalance(Request request) throws IOException {
        return StoreDescription.of(StoreRequests.writer(request).rebalance(options(request), Progress.NONE));
    }

    private static Object rebalanceAt(Request request) throws IOException {
        try (StoreWriter store = StoreWriter.open(path(request), StoreOptions.DEFAULT)) {
            return StoreDescription.of(store.rebalance(options(request), Progress.NONE));
        }
    }

    private static Object plan(Request request) throws IOException {
        try (StoreReader store = StoreRequests.writer(request).snapshot()) {
            return plan(store, request);
        }
    }

    private static Object planAt(Request request) throws IOException {
        try (StoreReader store = StoreReader.open(path(request))) {
            return plan(store, request);
        }
    }

    private static Object plan(StoreReader store, Request request) throws IOException {
        return StoreDescription.of(RebalancePlan.of(store, options(request), Progress.NONE));
    }

    /// Refreshes a dataset to the last commit, if `move` is set.
    ///
    /// @return whether there was a newer commit, and the values that may have changed
    private static Object refresh(Request request) throws IOException {
        Dataset dataset = DatasetRequests.dataset(request);
        boolean isMoved = request.isTrue("move") && dataset.refresh();
        Map<String, Object> answer = Description.ofOpen(dataset);
        answer.put("moved", isMoved);
        return answer;
    }
}
