// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandGroup;
import dev.penstock.plugin.HelpSection;
import java.util.Map;
import picocli.CommandLine;

/// The commands for tables.
@HelpSection(HelpSection.Name.CHANGE)
@CommandLine.Command(
        name = "table",
        header = "Commands for tables: rows of fixed width in a NumPy file (.npy) or a folder of them.",
        footer = {"", "Example:", "  penstock table write --input steps.csv --output steps.npy"})
final class TableCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("write", TableWriteCommand.class);
        commands.put("append", TableAppendCommand.class);
        commands.put("select", SelectCommand.class);
    }
}
