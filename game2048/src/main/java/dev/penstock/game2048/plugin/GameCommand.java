// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.plugin.CommandGroup;
import java.util.Map;
import picocli.CommandLine;

/// The commands for the game 2048.
@CommandLine.Command(
        name = "game2048",
        header = "Commands for recorded games of 2048: runs, and datasets of their steps.",
        footer = {"", "Example:", "  penstock game2048 runs play --games 100 --output games --seed 7"})
final class GameCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("runs", RunsCommand.class);
        commands.put("steps", StepsCommand.class);
    }

    /// `penstock runs`, the short name.
    @CommandLine.Command(name = "runs", hidden = true)
    static final class Runs extends RunsCommand {}

    /// `penstock steps`, the short name.
    @CommandLine.Command(name = "steps", hidden = true)
    static final class Steps extends StepsCommand {}
}
