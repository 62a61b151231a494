// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.GroupedRecords;
import dev.penstock.Progress;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.RecordFamily;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreSnapshots;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/// Other ways to look at a dataset: the decoded records of a pack, the groups of a table, the named snapshots of a
/// store.
final class Views {
    /// The view with a record for each group.
    static final String GROUPS = "groups";

    private Views() {}

    /// The names of the views of a dataset.
    static List<String> of(Dataset dataset) throws IOException {
        return switch (dataset) {
            case PackReader pack ->
                RecordFamily.of(pack).map(RecordFamily::views).orElse(List.of());
            case StoreReader store
            when isLive(store) ->
                StoreSnapshots.of(store.location().path()).list().stream()
                        .map(StoreSnapshots.Snapshot::name)
                        .toList();
            case GroupedRecords _ -> List.of(GROUPS);
            default -> List.of();
        };
    }

    /// Whether a store is on a local disk and no snapshot.
    static boolean isLive(StoreReader store) {
        return store.isRefreshable() && store.location().isLocal();
    }

    /// Opens a view. Closing it leaves the dataset open.
    ///
    /// @throws IllegalArgumentException when the dataset has no such view
    static Dataset open(Dataset dataset, String name, Catalog.Options options) throws IOException {
        List<String> names = of(dataset);
        if (!names.contains(name)) {
            throw new IllegalArgumentException(dataset.location() + " has no view " + name
                    + (names.isEmpty() ? "" : "; it has " + String.join(", ", names)));
        }
        return switch (dataset) {
            case PackReader pack -> RecordFamily.of(pack).orElseThrow().view(pack, name, Progress.NONE);
            case StoreReader store ->
                Catalog.open(
                        Location.of(StoreSnapshots.of(store.location().path()).path(name)), options);
            case GroupedRecords grouped -> grouped.groups();
            default -> throw new IllegalArgumentException("no views");
        };
    }

    /// The options of commands that name a view.
    static Stream<String> words(Shelf.Entry entry) {
        return switch (entry.format()) {
            case "pack" -> Stream.of("--as", entry.view());
            case "store" -> Stream.of("--snapshot", entry.view());
            default -> Stream.of();
        };
    }
}
