// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.groups.Grouping;
import dev.penstock.memory.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Derives the groups of a table from a column.
@CommandLine.Command(
        name = "group",
        header = "Group the rows of a table by a column.",
        description = {
            "Rows that follow each other with the same value are a group. The groups go into the file metadata.db in"
                    + " the folder, an SQLite database with the table groups; the rows stay as they are.",
            "After that, conditions may name attributes of the groups, and views, splits and windows keep to groups."
        },
        footer = {"", "Example:", "  penstock table group tokens --by document"})
final class TableGroupCommand extends Command {
    @Parameters(arity = "1", paramLabel = "PATH", description = "The folder of the table.")
    Path path;

    @Option(names = "--by", required = true, paramLabel = "COLUMN", description = "The column, a number or text.")
    String column;

    @Option(
            names = "--repeats",
            description = "A value that comes again after others is another group; otherwise it is refused.")
    boolean isRepeating;

    @Option(names = "--overwrite", description = "Replace the groups that are there, in one step.")
    boolean isReplacing;

    @Override
    public Integer call() throws IOException {
        Grouping.Result result;
        try (ProgressBar progress = progress("group", ProgressBar.Unit.RECORDS)) {
            result = Grouping.by(path, column, isRepeating, isReplacing, Disk.real(), progress);
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
