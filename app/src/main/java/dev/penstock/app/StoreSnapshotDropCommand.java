// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.store.StoreSnapshots;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/// Removes a named snapshot of a store.
@CommandLine.Command(
        name = "drop",
        header = "Remove a snapshot of a store, and the chunks that only it needs.",
        description =
                "The store and its other snapshots are not changed. A snapshot that is being read is not" + " removed.",
        footer = {"", "Example:", "  penstock store snapshot drop images before-cleanup"})
final class StoreSnapshotDropCommand extends StorefileCommand {
    @Parameters(index = "1", arity = "1", paramLabel = "NAME", description = "The name of the snapshot.")
    String name;

    @Override
    public Integer call() throws IOException {
        long start = System.nanoTime();
        StoreSnapshots.of(path).drop(name);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("snapshot", name);
        report("Dropped the snapshot {snapshot} of {store}", figures, start);
        return 0;
    }
}
