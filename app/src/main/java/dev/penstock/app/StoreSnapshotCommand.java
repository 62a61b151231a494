// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandGroup;
import java.util.Map;
import picocli.CommandLine;

/// The commands for named snapshots of a store.
@CommandLine.Command(
        name = "snapshot",
        header = "Keep a state of a store under a name.",
        description = "A snapshot is the last commit at the time when it is created. It stays readable whatever"
                + " happens to the store, and the garbage it needs is kept. Read it with --snapshot NAME, or by"
                + " its path"
                + " PATH/snapshot/NAME.",
        footer = {
            "",
            "Example:",
            "  penstock store snapshot create images before-cleanup",
            "  penstock head images --snapshot before-cleanup"
        })
final class StoreSnapshotCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("create", StoreSnapshotCreateCommand.class);
        commands.put("list", StoreSnapshotListCommand.class);
        commands.put("drop", StoreSnapshotDropCommand.class);
    }
}
