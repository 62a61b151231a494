// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandGroup;
import dev.penstock.plugin.HelpSection;
import java.util.Map;
import picocli.CommandLine;

/// The commands for stores.
@HelpSection(HelpSection.Name.CHANGE)
@CommandLine.Command(
        name = "store",
        header = "Commands for stores: records of several fields that can be appended, updated and deleted.",
        description =
                "A store is a folder. One process at a time can write it, and any number can read it at the same time,"
                        + " with `info`, `head`, `get`, `stats`, `export` and `verify` as for every dataset.",
        footer = {
            "",
            "Example:",
            "  penstock store create images --field pixels:uint8:28x28:zstd --field label:int64:scalar",
            "  penstock store append images --input pixels=pixels.npy --input label=labels.npy"
        })
final class StoreCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("create", StoreCreateCommand.class);
        commands.put("append", StoreAppendCommand.class);
        commands.put("get", StoreGetCommand.class);
        commands.put("update", StoreUpdateCommand.class);
        commands.put("delete", StoreDeleteCommand.class);
        commands.put("stats", StoreStatsCommand.class);
        commands.put("checkpoint", StoreCheckpointCommand.class);
        commands.put("rebalance", StoreRebalanceCommand.class);
        commands.put("snapshot", StoreSnapshotCommand.class);
        commands.put("field", StoreFieldCommand.class);
    }
}
