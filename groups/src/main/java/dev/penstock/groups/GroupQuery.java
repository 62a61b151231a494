// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.sqlite.SQLiteConnection;

/// Reads the groups from a database: finds their table, determines the types of its columns, and checks every
/// value.
final class GroupQuery {
    private static final String SCHEMA = "SELECT type, name, rootpage, sql FROM sqlite_schema ORDER BY rowid";

    private final GroupDatabase database;

    GroupQuery(GroupDatabase database) {
        this.database = database;
    }

    Groups read() {
        return database.run(connection -> {
            GroupFormat.Layout layout = layout(connection);
            requireRowids(connection, layout);
            List<Field> fields = fields(connection, layout);
            return rows(connection, layout, fields);
        });
    }

    /// Finds the table with the groups. The database must have nothing that could change what is read or written.
    GroupFormat.Layout layout() {
        return database.run(this::layout);
    }

    private DatasetException refused(String what) {
        return new DatasetException.Corrupt(database.file(), 0, GroupReason.BAD_DATABASE, what);
    }

    private GroupFormat.Layout layout(SQLiteConnection connection) throws SQLException {
        List<String> seen = new ArrayList<>();
        GroupFormat.Layout found = null;
        try (Statement statement = connection.createStatement();
                ResultSet objects = statement.executeQuery(SCHEMA)) {
            while (objects.next()) {
                String type = objects.getString(1);
                String name = objects.getString(2);
                if ("trigger".equals(type)) {
                    throw refused("the database has the trigger " + shown(name)
                            + ", which could change the data; drop the trigger first");
                }
                for (GroupFormat.Layout layout : GroupFormat.LAYOUTS) {
                    if (layout.table().equals(name)) {
                        requireTable(type, name, objects.getLong(3), objects.getString(4));
                        found = found == null ? layout : found;
                    }
                }
                seen.add(shown(name));
            }
        }
        if (found == null) {
            throw refused("the database has no table of groups: it needs a table "
                    + GroupFormat.LAYOUTS.stream()
                            .map(layout ->
                                    layout.table() + " with the columns " + layout.first() + " and " + layout.count())
                            .collect(Collectors.joining(", or "))
                    + "; it has " + (seen.isEmpty() ? "nothing" : String.join(", ", seen)));
        }
        return found;
    }

    private void requireTable(String type, String name, long rootPage, String sql) {
        boolean isOrdinary = "table".equals(type)
                && rootPage > 0
                && sql != null
                && sql.toUpperCase(Locale.ROOT).startsWith("CREATE TABLE");
        if (!isOrdinary) {
            throw refused("the groups must be in an ordinary table, but " + name + " is a "
                    + ("table".equals(type) ? "virtual table" : type));
        }
    }

    /// Groups with the same first row are ordered by their rowid.
    private void requireRowids(SQLiteConnection connection, GroupFormat.Layout layout) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT wr FROM pragma_table_list(?)")) {
            statement.setString(1, layout.table());
            try (ResultSet found = statement.executeQuery()) {
                if (found.next() && found.getInt(1) != 0) {
                    throw refused(
                            "the table " + layout.table() + " is a WITHOUT ROWID table; create it without these words");
                }
            }
        }
    }

    private static String shown(String name) {
        String text = String.valueOf(name).replaceAll("\\p{Cntrl}", "?");
        return text.length() > 40 ? text.substring(0, 40) + "..." : text;
    }

    private List<Field> fields(SQLiteConnection connection, GroupFormat.Layout layout) throws SQLException {
        List<Field> fields = new ArrayList<>();
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT name, type, hidden FROM pragma_table_xinfo(?)")) {
            statement.setString(1, layout.table());
            try (ResultSet columns = statement.executeQuery()) {
                while (columns.next()) {
                    if (columns.getInt(3) != 0) {
                        throw refused("the column " + shown(columns.getString(1)) + " of " + layout.table()
                                + " is a generated column; store its values instead");
                    }
                    fields.add(field(connection, layout, columns.getString(1), columns.getString(2)));
                    if (fields.size() > GroupFormat.ATTRIBUTE_COUNT_MAX) {
                        throw refused("the table " + layout.table() + " has more than "
                                + GroupFormat.ATTRIBUTE_COUNT_MAX + " columns");
                    }
                }
            }
        }
        for (String name : List.of(layout.first(), layout.count())) {
            if (!fields.contains(Field.fixed(name, ElementType.I64))) {
                throw refused("the table " + layout.table() + " has no column " + name + " of integers");
            }
        }
        return List.copyOf(fields);
    }

    /// The type that SQLite's rules of affinity give a column. Where they leave it open, the values decide.
    private Field field(SQLiteConnection connection, GroupFormat.Layout layout, String name, String declared)
            throws SQLException {
        String type = declared == null ? "" : declared.toUpperCase(Locale.ROOT);
        if (type.contains("INT")) {
            return Field.fixed(name, ElementType.I64);
        }
        if (type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT")) {
            return Field.variable(name, ElementType.UTF8);
        }
        if (type.contains("BLOB")) {
            return Field.variable(name, ElementType.BYTES);
        }
        if (type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB")) {
            return Field.fixed(name, ElementType.F64);
        }
        return fieldByValues(connection, layout, name, type);
    }

    /// BOOLEAN, DATE, NUMERIC and unknown types hold values of any type.
    private Field fieldByValues(SQLiteConnection connection, GroupFormat.Layout layout, String name, String declared)
            throws SQLException {
        Set<String> found = new HashSet<>();
        String sql = "SELECT DISTINCT typeof(" + quoted(name) + ") FROM " + quoted(layout.table()) + " NOT INDEXED";
        try (Statement statement = connection.createStatement();
                ResultSet types = statement.executeQuery(sql)) {
            while (types.next()) {
                found.add(types.getString(1));
            }
        }
        found.remove("null");
        if (found.isEmpty()) {
            boolean isNumber = declared.contains("BOOL") || declared.contains("NUM") || declared.contains("DEC");
            return isNumber ? Field.fixed(name, ElementType.I64) : Field.variable(name, ElementType.UTF8);
        }
        if (found.equals(Set.of("text"))) {
            return Field.variable(name, ElementType.UTF8);
        }
        if (found.equals(Set.of("blob"))) {
            return Field.variable(name, ElementType.BYTES);
        }
        if (Set.of("integer", "real").containsAll(found)) {
            return Field.fixed(name, found.contains("real") ? ElementType.F64 : ElementType.I64);
        }
        throw refused("the column " + shown(name) + " with the declared type '" + shown(declared)
                + "' has values of several types: " + String.join(", ", new TreeSet<>(found))
                + "; declare it as INTEGER, REAL, TEXT or BLOB, and store values of this type");
    }

    private Groups rows(SQLiteConnection connection, GroupFormat.Layout layout, List<Field> fields)
            throws SQLException {
        String columns = fields.stream().map(field -> quoted(field.name())).collect(Collectors.joining(", "));
        GroupRows rows = new GroupRows(database, layout, fields);
        // Indexes are not used: in a malicious file an index could return other rows than the table.
        String sql = "SELECT " + columns + " FROM " + quoted(layout.table()) + " NOT INDEXED ORDER BY "
                + quoted(layout.first()) + ", rowid";
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            while (found.next()) {
                rows.add(found);
            }
        }
        return rows.groups();
    }

    /// Quotes a name for SQL.
    static String quoted(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }
}
