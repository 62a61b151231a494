// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.util.Map;
import picocli.CommandLine;

/// The commands that only packs have.
@CommandLine.Command(
        name = "pack",
        aliases = "a2pack",
        header = "One immutable file of many byte records (A2PACK).",
        footer = {"", "Example:", "  penstock pack build --input runs --output runs.a2pack"})
final class PackCommand extends CommandGroup {
    @Override
    void list(Map<String, Class<?>> commands) {
        commands.put("build", PackBuildCommand.class);
        commands.put("validate", PackValidateCommand.class);
        commands.put("stats", PackStatsCommand.class);
        commands.put("to-jsonl", PackToJsonlCommand.class);
        commands.put("extract", PackExtractCommand.class);
        commands.put("inspect", PackInspectCommand.class);
    }
}
