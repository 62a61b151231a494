// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.plugin.CommandGroup;
import java.util.Map;
import picocli.CommandLine;

/// The commands for runs of the game 2048.
@CommandLine.Command(
        name = "runs",
        header = "Commands for recorded games of 2048 (a2run2 versions 1 and 2).",
        footer = {"", "Example:", "  penstock game2048 runs play --games 100 --output games --seed 7"})
class RunsCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("play", RunsPlayCommand.class);
        commands.put("show", RunsShowCommand.class);
        commands.put("check", RunsCheckCommand.class);
        commands.put("upgrade", RunsUpgradeCommand.class);
        commands.put("split", RunsSplitCommand.class);
    }
}
