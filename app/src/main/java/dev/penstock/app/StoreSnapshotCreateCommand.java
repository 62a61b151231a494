// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.store.StoreSnapshots;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/// Keeps the last commit of a store under a name.
@CommandLine.Command(
        name = "create",
        header = "Keep the last commit of a store under a name.",
        description =
                "It works while a writer is open. Chunks are shared by hard links, and the tables are written once"
                        + " more: 16 bytes for each record and field.",
        footer = {"", "Example:", "  penstock store snapshot create images before-cleanup"})
final class StoreSnapshotCreateCommand extends StorefileCommand {
    @Parameters(index = "1", arity = "1", paramLabel = "NAME", description = "The name of the snapshot.")
    String name;

    @Override
    public Integer call() throws IOException {
        long start = System.nanoTime();
        StoreSnapshots.Snapshot snapshot = StoreSnapshots.of(path).create(name);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("snapshot", snapshot.name());
        figures.put("commit", snapshot.sequence());
        figures.put("records", snapshot.recordCount());
        report("Created the snapshot {snapshot} of {store}" + STATE, figures, start);
        return 0;
    }
}
