// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.PublishMode;
import dev.penstock.groups.GroupFormat;
import dev.penstock.groups.GroupedTable;
import dev.penstock.groups.Grouping;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// The groups of a table that was written in the order of a column. The only class that needs the module for
/// groups, with SQLite, on the driver's class path.
final class GroupedRows {
    private GroupedRows() {}

    /// @throws IllegalStateException    when the module is not on the class path
    /// @throws IllegalArgumentException when groups that are there have attributes which cannot be made again
    static void requireGroups(Path folder, String column, PublishMode mode) throws IOException {
        try {
            if (mode == PublishMode.APPEND && GroupedTable.isGrouped(Disk.real(), folder)) {
                requireMade(folder, column);
            }
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException("groups need penstock-groups and sqlite-jdbc: add both jars to the job", e);
        }
    }

    private static void requireMade(Path folder, String column) throws IOException {
        try (GroupedTable present = GroupedTable.open(folder)) {
            Set<String> attributes = new HashSet<>();
            present.groups().fields().forEach(field -> attributes.add(field.name()));
            attributes.removeAll(List.of("id", "first_row", "num_rows", column));
            attributes.removeIf(name -> name.toLowerCase(Locale.ROOT).startsWith(column.toLowerCase(Locale.ROOT)));
            if (!attributes.isEmpty()) {
                throw new IllegalArgumentException("the groups of " + folder + " have the attributes " + attributes
                        + ", which an append from Spark cannot continue; write a new dataset");
            }
        }
    }

    /// Makes the rows with equal values of a column groups. A value that was appended again is another group.
    static void group(Path folder, String column) throws IOException {
        Grouping.by(
                folder,
                column,
                true,
                Disk.real().exists(folder.resolve(GroupFormat.DATABASE)),
                Disk.real(),
                Progress.NONE);
    }
}
