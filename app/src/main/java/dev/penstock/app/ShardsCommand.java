// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.util.Map;
import picocli.CommandLine;

/// The commands that only activation shards have.
@CommandLine.Command(
        name = "shards",
        header = "Activation rows of one width, in shards with a fixed order (GAMSAE01).",
        footer = {"", "Example:", "  penstock shards write --input activations.npy --output corpus --dtype bf16"})
final class ShardsCommand extends CommandGroup {
    @Override
    void list(Map<String, Class<?>> commands) {
        commands.put("write", ShardsWriteCommand.class);
        commands.put("stats", ShardsStatsCommand.class);
        commands.put("sample", ShardsSampleCommand.class);
    }
}
