// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.Batch;
import dev.penstock.file.Disk;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A small grouped table: 10 rows, the groups 0 to 2, 3 to 3 (no rows), 3 to 8 and 8 to 10.
final class SampleGroups {
    static final String TABLE = "CREATE TABLE groups (id INTEGER PRIMARY KEY, first_row INTEGER NOT NULL,"
            + " num_rows INTEGER NOT NULL, score INTEGER, weight REAL, label TEXT)";

    static final List<Object[]> ROWS = List.of(
            new Object[] {0, 0, 3, 100, 0.5, "a"},
            new Object[] {1, 3, 0, 300, 1.5, "none"},
            new Object[] {2, 3, 5, 300, null, "b"},
            new Object[] {3, 8, 2, 200, 2.5, null});

    private SampleGroups() {}

    /// Writes `rows.npy`: row `i` has the fields `x` = i and `move` = i % 4.
    static void writeRows(Path folder, int count) throws IOException {
        RowType type = new RowType(DType.parse("[('x', '<i8'), ('move', '|u1')]"), List.of());
        try (TableWriter writer =
                TableWriter.create(folder.resolve("rows.npy"), type, TableWriter.Options.DEFAULT.withReplacing(true))) {
            for (int i = 0; i < count; i++) {
                MemorySegment row = MemorySegment.ofArray(new byte[9]);
                row.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, i);
                row.set(ValueLayout.JAVA_BYTE, 8, (byte) (i % 4));
                writer.append(row);
            }
        }
    }

    static void writeDatabase(Path folder, List<String> statements, List<Object[]> rows) throws IOException {
        try (GroupDatabase database = GroupDatabase.create(folder.resolve(GroupFormat.DATABASE), statements)) {
            if (!rows.isEmpty()) {
                String marks = "?" + ", ?".repeat(rows.getFirst().length - 1);
                database.insert("INSERT INTO groups VALUES (" + marks + ")", rows);
            }
            database.publish(Disk.real(), folder);
        }
    }

    static Path write(Path folder) throws IOException {
        writeRows(folder, 10);
        writeDatabase(folder, List.of(TABLE), ROWS);
        return folder;
    }

    /// The values of `x` in all rows of a view.
    static List<Long> xs(GroupedTable table) throws IOException {
        List<Long> values = new ArrayList<>();
        try (Batch batch = Batch.create(table.fields())) {
            for (long i = 0; i < table.count(); i++) {
                table.gather(new long[] {i}, batch);
                values.add(batch.column("x").values().get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
            }
        }
        return values;
    }
}
