// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/// Collects the rows of the group table, in the order of the groups' first rows. It rejects values of other types,
/// overlapping groups and negative ranges.
final class GroupRows {
    private static final int CAPACITY_MIN = 16;

    private final GroupDatabase database;
    private final GroupFormat.Layout layout;
    private final List<Field> fields;
    private final int firstColumn;
    private final int countColumn;
    /// By field, the numeric values; texts are in `texts`.
    private final long[][] numbers;
    private final ByteArrayOutputStream[] texts;
    private final BitSet[] missing;
    private int count;
    private long previousLimit;

    GroupRows(GroupDatabase database, GroupFormat.Layout layout, List<Field> fields) {
        this.database = database;
        this.layout = layout;
        this.fields = fields;
        this.firstColumn = fields.indexOf(Field.fixed(layout.first(), ElementType.I64));
        this.countColumn = fields.indexOf(Field.fixed(layout.count(), ElementType.I64));
        this.numbers = new long[fields.size()][CAPACITY_MIN];
        this.texts = new ByteArrayOutputStream[fields.size()];
        this.missing = new BitSet[fields.size()];
        for (int i = 0; i < fields.size(); i++) {
            texts[i] = new ByteArrayOutputStream();
            missing[i] = new BitSet();
        }
    }

    void add(ResultSet row) throws SQLException {
        if (count + 1 >= numbers[0].length) {
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = Arrays.copyOf(numbers[i], Math.multiplyExact(numbers[i].length, 2));
            }
        }
        for (int i = 0; i < fields.size(); i++) {
            add(i, row.getObject(i + 1));
        }
        long first = numbers[firstColumn][count];
        long rowCount = numbers[countColumn][count];
        boolean isMissing = missing[firstColumn].get(count) || missing[countColumn].get(count);
        if (isMissing || first < 0 || rowCount < 0) {
            throw refused("has an invalid range of rows: " + layout.first() + " is " + shown(firstColumn) + " and "
                    + layout.count() + " is " + shown(countColumn));
        }
        if (first < previousLimit) {
            throw refused("overlaps the group before it: it starts at row " + first + ", but that group ends at row "
                    + previousLimit + "; " + GroupedSource.HOW_TO_REPAIR);
        }
        if (first > Long.MAX_VALUE - rowCount) {
            throw refused("ends after row " + Long.MAX_VALUE);
        }
        previousLimit = first + rowCount;
        count++;
    }

    private String shown(int column) {
        return missing[column].get(count) ? "NULL" : Long.toString(numbers[column][count]);
    }

    private DatasetException refused(String what) {
        return new DatasetException.Corrupt(
                database.file(),
                0,
                GroupReason.BAD_GROUPS,
                "group " + count + " of the table " + layout.table() + " " + what);
    }

    private void add(int column, Object value) {
        // For texts the number is the offset of the value.
        numbers[column][count] = texts[column].size();
        ElementType type = fields.get(column).type();
        if (value == null) {
            missing[column].set(count);
        } else if (type == ElementType.I64 && (value instanceof Integer || value instanceof Long)) {
            numbers[column][count] = ((Number) value).longValue();
        } else if (type == ElementType.F64 && value instanceof Number number) {
            // SQLite stores whole numbers of a NUMERIC column as integers.
            numbers[column][count] = Double.doubleToRawLongBits(number.doubleValue());
        } else if (type == ElementType.UTF8 && value instanceof String text) {
            texts[column].writeBytes(text.getBytes(StandardCharsets.UTF_8));
        } else if (type == ElementType.BYTES && value instanceof byte[] bytes) {
            texts[column].writeBytes(bytes);
        } else {
            throw refused("has a value of " + fields.get(column).name() + " that is not " + type
                    + ", the type of the column, but a " + value.getClass().getSimpleName());
        }
    }

    Groups groups() {
        Attribute[] attributes = new Attribute[fields.size()];
        for (int i = 0; i < attributes.length; i++) {
            attributes[i] = i == firstColumn || i == countColumn ? null : attribute(i);
        }
        int[] members = new int[count];
        long[] starts = Arrays.copyOf(numbers[firstColumn], count);
        long[] limits = new long[count];
        for (int i = 0; i < count; i++) {
            members[i] = i;
            limits[i] = starts[i] + numbers[countColumn][i];
        }
        return new Groups(
                database.file(), database.size(), layout, new ArrayList<>(fields), attributes, members, starts, limits);
    }

    private Attribute attribute(int column) {
        Field field = fields.get(column);
        long[] values = numbers[column];
        if (field.type() == ElementType.I64) {
            return new Attribute.Whole(field, Arrays.copyOf(values, count), missing[column]);
        }
        if (field.type() == ElementType.F64) {
            double[] reals = new double[count];
            for (int i = 0; i < count; i++) {
                reals[i] = Double.longBitsToDouble(values[i]);
            }
            return new Attribute.Real(field, reals, missing[column]);
        }
        int[] offsets = new int[count + 1];
        for (int i = 0; i < count; i++) {
            offsets[i] = (int) values[i];
        }
        offsets[count] = texts[column].size();
        return new Attribute.Text(field, texts[column].toByteArray(), offsets, missing[column]);
    }
}
