// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandGroup;
import dev.penstock.plugin.HelpSection;
import java.util.Map;
import picocli.CommandLine;

/// The commands for packs.
@HelpSection(HelpSection.Name.MAKE)
@CommandLine.Command(
        name = "pack",
        aliases = "a2pack",
        header = "Commands for packs: one immutable file of many byte records (A2PACK).",
        description = {
            "validate, stats and inspect have the names and the output of the original program, and show information"
                    + " from the index of a pack. The commands for all formats are penstock verify, stats and get."
        },
        footer = {"", "Example:", "  penstock pack build --input runs --output runs.a2pack"})
final class PackCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("build", PackBuildCommand.class);
        commands.put("validate", PackValidateCommand.class);
        commands.put("stats", PackStatsCommand.class);
        commands.put("extract", PackExtractCommand.class);
        commands.put("inspect", PackInspectCommand.class);
    }
}
