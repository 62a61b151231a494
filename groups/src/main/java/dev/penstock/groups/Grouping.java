// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.file.NewFile;
import dev.penstock.file.Storage;
import dev.penstock.query.Scan;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/// Derives the groups of a table from one of its columns: consecutive rows with the same value form a group.
///
/// It writes a `metadata.db` with the table `groups`, which has the columns `id`, `first_row`, `num_rows`, and the
/// value of the column.
public final class Grouping {
    /// The number of groups that are inserted together.
    private static final int INSERT_COUNT = 4096;

    private static final List<String> RESERVED = List.of("id", "first_row", "num_rows", "rowid");

    private final Path folder;
    private final Disk disk;
    private final boolean isRepeating;
    private final Set<Object> seen = new HashSet<>();
    private final List<Object[]> pending = new ArrayList<>();
    private Object value;
    private long first = -1;
    private long groupCount;
    private long repeatCount;

    private Grouping(Path folder, Disk disk, boolean isRepeating) {
        this.folder = folder;
        this.disk = disk;
        this.isRepeating = isRepeating;
    }

    /// The result of a grouping.
    ///
    /// @param repeatCount the number of groups whose value occurs in an earlier group
    public record Result(long groupCount, long rowCount, long repeatCount) {}

    /// Groups the table in a folder.
    ///
    /// @param columnName  the column, of single numbers or texts
    /// @param isRepeating whether a value may occur again later, as another group; otherwise that is an error
    /// @param isReplacing whether existing groups are replaced
    /// @throws IllegalArgumentException   when the column does not exist, or a value occurs again
    /// @throws FileAlreadyExistsException when groups exist and may not be replaced
    public static Result by(
            Path folder, String columnName, boolean isRepeating, boolean isReplacing, Disk disk, Progress progress)
            throws IOException {
        if (!disk.exists(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        if (!disk.isDirectory(folder)) {
            throw new IllegalArgumentException(
                    folder + " is not a folder: put the .npy file into a separate folder, and group that folder");
        }
        if (!isReplacing && disk.exists(folder.resolve(GroupFormat.DATABASE))) {
            throw new FileAlreadyExistsException(
                    folder.resolve(GroupFormat.DATABASE).toString(),
                    null,
                    "the table is already grouped; replace the groups to group it again");
        }
        return new Grouping(folder, disk, isRepeating).run(columnName, progress);
    }

    private Result run(String columnName, Progress progress) throws IOException {
        Path rows = GroupedSource.rowsPath(Storage.of(disk), Location.of(folder), new ArrayList<>())
                .path();
        try (NewFile _ = NewFile.createAlone(disk, folder.resolve("lock"), folder);
                TableReader table = TableReader.open(rows, TableReader.Options.DEFAULT.withDisk(disk))) {
            Field field = field(table, columnName);
            String insert = "INSERT INTO groups VALUES (?, ?, ?, ?)";
            try (GroupDatabase database =
                    GroupDatabase.create(folder.resolve(GroupFormat.DATABASE), List.of(schema(field)))) {
                Scan scan = Scan.of(table).withFields(List.of(field)).withProgress(progress);
                scan.forEach(chunk -> {
                    Column column = chunk.batch().column(0);
                    for (int i = 0; i < chunk.indices().length; i++) {
                        add(chunk.indices()[i], value(field, column, i));
                    }
                    if (pending.size() >= INSERT_COUNT) {
                        database.insert(insert, pending);
                        pending.clear();
                    }
                });
                end(table.count());
                database.insert(insert, pending);
                database.publish(disk, folder);
            }
            return new Result(groupCount, table.count(), repeatCount);
        }
    }

    private static Field field(TableReader table, String name) {
        Field field = table.fields().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no field " + name + "; the fields are "
                        + String.join(
                                ", ", table.fields().stream().map(Field::name).toList())));
        if (!field.shape().isEmpty() || field.type().isComplex()) {
            throw new IllegalArgumentException(
                    "field " + name + " is not a single number or text, so rows cannot be" + " grouped by it");
        }
        return field;
    }

    private static String schema(Field field) {
        String type = field.type().isText()
                ? field.type() == ElementType.BYTES ? "BLOB" : "TEXT"
                : field.type().isFloat() ? "REAL" : "INTEGER";
        boolean isTaken = RESERVED.contains(field.name().toLowerCase(Locale.ROOT));
        String name = isTaken ? field.name() + "_value" : field.name();
        return "CREATE TABLE groups (id INTEGER PRIMARY KEY, first_row INTEGER NOT NULL, num_rows INTEGER NOT NULL, "
                + GroupQuery.quoted(name) + " " + type + ")";
    }

    private static Object value(Field field, Column column, long row) {
        MemorySegment bytes = column.value(row);
        if (field.type() == ElementType.BYTES) {
            return ByteBuffer.wrap(bytes.toArray(Layouts.U8));
        }
        if (field.type().isText()) {
            return Elements.toText(field.type(), bytes, 0, bytes.byteSize());
        }
        // Returns an object instead of using a conditional expression, which would convert integers to doubles.
        if (field.type().isFloat()) {
            return Elements.toDouble(field.type(), bytes, 0);
        }
        return Elements.toLong(field.type(), bytes, 0);
    }

    private void add(long row, Object next) {
        if (first >= 0 && Objects.equals(value, next)) {
            return;
        }
        end(row);
        first = row;
        value = next;
        if (!seen.add(next)) {
            repeatCount++;
            if (!isRepeating) {
                throw new IllegalArgumentException("the value " + next + " occurs again at row " + row
                        + " after other values, but the rows of a group must be consecutive: sort the rows by the"
                        + " column first, or allow repeated values, which become several groups");
            }
        }
    }

    private void end(long limit) {
        if (first >= 0) {
            Object stored = value instanceof ByteBuffer bytes ? bytes.array() : value;
            pending.add(new Object[] {groupCount++, first, limit - first, stored});
        }
    }
}
