// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandGroup;
import dev.penstock.plugin.HelpSection;
import java.util.Map;
import picocli.CommandLine;

/// The commands for trees.
@HelpSection(HelpSection.Name.CHANGE)
@CommandLine.Command(
        name = "tree",
        header = "Commands for trees: one immutable file that maps byte paths to unsigned 64-bit values (ACTree03).",
        description = {
            "",
            "Keys are printed and given as UTF-8 text. A backslash is \\\\, tab, newline and carriage return are \\t,"
                    + " \\n"
                    + " and \\r"
                    + ", and any other byte can be written as \\x and two hexadecimal digits."
        },
        footer = {"", "Example:", "  penstock tree build --input words.txt --output words.act --unsorted"})
final class TreeCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("build", TreeBuildCommand.class);
        commands.put("get", TreeGetCommand.class);
        commands.put("ls", TreeListCommand.class);
        commands.put("dump", TreeDumpCommand.class);
        commands.put("stats", TreeStatsCommand.class);
        commands.put("put", TreePutCommand.class);
        commands.put("remove", TreeRemoveCommand.class);
        commands.put("snapshot", TreeSnapshotCommand.class);
    }
}
