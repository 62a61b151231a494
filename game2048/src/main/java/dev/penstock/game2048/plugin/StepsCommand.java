// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.plugin.CommandGroup;
import java.util.Map;
import picocli.CommandLine;

/// The commands for steps datasets.
@CommandLine.Command(
        name = "steps",
        header = "Commands for steps datasets: the steps of many games of 2048 as rows (steps.npy, metadata.db).",
        footer = {"", "Example:", "  penstock game2048 steps build --input games.a2pack --output steps"})
class StepsCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("build", StepsBuildCommand.class);
        commands.put("append", StepsAppendCommand.class);
        commands.put("repair", StepsRepairCommand.class);
        commands.put("stats", StepsStatsCommand.class);
        commands.put("check", StepsCheckCommand.class);
        commands.put("export", StepsExportCommand.class);
    }
}
