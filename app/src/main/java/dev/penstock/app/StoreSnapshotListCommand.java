// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.StoreDescription;
import dev.penstock.plugin.Text;
import dev.penstock.store.StoreSnapshots;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine;

/// Lists the named snapshots of a store.
@CommandLine.Command(
        name = "list",
        header = "List the snapshots of a store.",
        description = "The column kept is the size of chunks that only the snapshot needs.",
        footer = {"", "Example:", "  penstock store snapshot list images --json"})
final class StoreSnapshotListCommand extends StorefileCommand {
    @Override
    public Integer call() throws IOException {
        List<StoreSnapshots.Snapshot> all = StoreSnapshots.of(path).list();
        if (isJson) {
            printJson(all.stream().map(StoreDescription::of).toList());
        }
        for (StoreSnapshots.Snapshot one : isJson ? List.<StoreSnapshots.Snapshot>of() : all) {
            print(Text.row(
                    one.name(),
                    Text.number(one.recordCount()) + " records, commit " + Text.number(one.sequence()) + ", kept "
                            + Text.bytes(one.keptBytes())));
        }
        if (all.isEmpty()) {
            remark(path + " has no snapshots");
        }
        return 0;
    }
}
