// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.util.Map;
import picocli.CommandLine;

/// The commands that only tables have.
@CommandLine.Command(
        name = "table",
        header = "Rows of fixed width in NumPy's files (.npy), one or a folder of them.",
        footer = {"", "Example:", "  penstock table write --input steps.csv --output steps.npy"})
final class TableCommand extends CommandGroup {
    @Override
    void list(Map<String, Class<?>> commands) {
        commands.put("write", TableWriteCommand.class);
        commands.put("append", TableAppendCommand.class);
        commands.put("select", TableSelectCommand.class);
        commands.put("group", TableGroupCommand.class);
    }
}
