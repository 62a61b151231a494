// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups.plugin;

import dev.penstock.file.Disk;
import dev.penstock.groups.Grouping;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Derives the groups of a table from a column.
@CommandLine.Command(
        name = "group",
        header = "Group the rows of a table by a column.",
        description = {
            "Consecutive rows with the same value form a group. The groups are stored in the file metadata.db in"
                    + " the folder, an SQLite database with the table groups. The rows are not changed.",
            "Conditions can then use attributes of the groups, and views, splits and windows respect groups."
        },
        footer = {"", "Example:", "  penstock table group tokens --by document"})
final class TableGroupCommand extends Command {
    @Parameters(arity = "1", paramLabel = "PATH", description = "The folder of the table.")
    Path path;

    @Option(
            names = "--by",
            required = true,
            paramLabel = "COLUMN",
            description = "The column to group by, a number or text.")
    String column;

    @Option(
            names = "--repeats",
            description = "Start another group if a value occurs again later. Without it this is an error.")
    boolean isRepeating;

    @Mixin
    OverwriteOption overwrite;

    @Override
    public Integer call() throws IOException {
        Grouping.Result result;
        try (ProgressBar progress = progress("group", ProgressBar.Unit.RECORDS)) {
            result = Grouping.by(path, column, isRepeating, overwrite.isGiven, Disk.real(), progress);
        }
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("path", path);
            json.put("groups", result.groupCount());
            json.put("rows", result.rowCount());
            json.put("repeats", result.repeatCount());
            printJson(json);
        } else {
            remark("Grouped " + Text.number(result.rowCount()) + " rows of " + path + " into "
                    + Text.number(result.groupCount()) + " groups");
        }
        return 0;
    }
}
