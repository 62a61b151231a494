// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandGroup;
import dev.penstock.plugin.HelpSection;
import java.util.Map;
import picocli.CommandLine;

/// The commands for activation shards.
@HelpSection(HelpSection.Name.MAKE)
@CommandLine.Command(
        name = "shards",
        header = "Commands for activation shards: rows of one width in a fixed order (GAMSAE01).",
        footer = {"", "Example:", "  penstock shards write --input activations.npy --output corpus --dtype bf16"})
final class ShardsCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("write", ShardsWriteCommand.class);
        commands.put("stats", ShardsStatsCommand.class);
        commands.put("sample", ShardsSampleCommand.class);
    }
}
