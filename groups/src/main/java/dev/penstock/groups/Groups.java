// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Indices;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.view.Selection;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/// The groups of a table, as a dataset with one record for each group. Its fields are the attributes.
///
/// Groups are in the order of their rows. The two attributes with the range of a group refer to rows of the
/// dataset that the groups belong to, so in a view they differ from the values in the database.
///
/// **Ownership.** The values are in memory; closing has no effect.
///
/// **Threads.** Safe for any number of threads.
public final class Groups implements Dataset {
    private final Location file;
    private final long bytes;
    private final GroupFormat.Layout layout;
    private final List<Field> fields;
    /// By field; null for the two fields of the range.
    private final Attribute[] attributes;
    /// For each group its position among the values of the attributes.
    private final int[] members;
    private final long[] starts;
    private final long[] limits;

    /// @param starts the first row of each group, ascending
    /// @param limits the exclusive end of each group
    Groups(
            Location file,
            long bytes,
            GroupFormat.Layout layout,
            List<Field> fields,
            Attribute[] attributes,
            int[] members,
            long[] starts,
            long[] limits) {
        this.file = file;
        this.bytes = bytes;
        this.layout = layout;
        this.fields = fields;
        this.attributes = attributes;
        this.members = members;
        this.starts = starts;
        this.limits = limits;
    }

    /// The table of the database that the groups are in.
    public GroupFormat.Layout layout() {
        return layout;
    }

    /// The first row of a group.
    ///
    /// @throws IndexOutOfBoundsException when the group is out of range
    public long start(long group) {
        return starts[index(group)];
    }

    /// The exclusive end of a group.
    ///
    /// @throws IndexOutOfBoundsException when the group is out of range
    public long limit(long group) {
        return limits[index(group)];
    }

    /// The number of rows of a group.
    public long rowCount(long group) {
        return limit(group) - start(group);
    }

    private int index(long group) {
        return (int) Objects.checkIndex(group, count());
    }

    /// The end of the last group.
    long rowLimit() {
        long limit = 0;
        for (long one : limits) {
            limit = Math.max(limit, one);
        }
        return limit;
    }

    /// Whether no group has rows on both sides of a row.
    boolean isEnd(long row) {
        return row == 0 || groupOf(row) != groupOf(row - 1);
    }

    /// The number of groups that begin and end at or before a row.
    int countUpTo(long row) {
        int count = 0;
        while (count < limits.length && starts[count] <= row && limits[count] <= row) {
            count++;
        }
        return count;
    }

    /// The first groups, with the same rows.
    Groups first(int count) {
        return new Groups(
                file,
                bytes,
                layout,
                fields,
                attributes,
                Arrays.copyOf(members, count),
                Arrays.copyOf(starts, count),
                Arrays.copyOf(limits, count));
    }

    /// The group of a row, or -1 when the row belongs to none. It is found by binary search.
    public long groupOf(long row) {
        int low = 0;
        int high = starts.length - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            if (starts[middle] <= row) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        // Find the last group that starts at or before the row. Empty groups may start there too.
        int group = high;
        while (group >= 0 && starts[group] == limits[group] && starts[group] == row) {
            group--;
        }
        return group >= 0 && row >= starts[group] && row < limits[group] ? group : -1;
    }

    /// The groups of many rows. Consecutive rows are fast.
    int[] groupsOf(MemorySegment rows, int count) {
        int[] found = new int[count];
        int group = -1;
        for (int i = 0; i < count; i++) {
            long row = Indices.at(rows, i);
            if (group < 0 || row < starts[group] || row >= limits[group]) {
                group = (int) groupOf(row);
            }
            found[i] = group;
        }
        return found;
    }

    /// An integer attribute of a group.
    ///
    /// @throws IllegalArgumentException when the attribute does not exist or has another type
    /// @throws IllegalStateException    when the value is missing; see [#isMissing]
    public long whole(String name, long group) {
        int index = index(group);
        if (name.equals(layout.first())) {
            return starts[index];
        }
        if (name.equals(layout.count())) {
            return limits[index] - starts[index];
        }
        if (!(attribute(name) instanceof Attribute.Whole whole)) {
            throw wrongType(name, "integers");
        }
        requirePresent(whole, name, index);
        return whole.value(members[index]);
    }

    /// A floating-point attribute of a group. See [#whole] for the exceptions.
    public double real(String name, long group) {
        int index = index(group);
        if (!(attribute(name) instanceof Attribute.Real real)) {
            throw wrongType(name, "floating-point numbers");
        }
        requirePresent(real, name, index);
        return real.value(members[index]);
    }

    /// A text attribute of a group. See [#whole] for the exceptions.
    public String text(String name, long group) {
        int index = index(group);
        if (!(attribute(name) instanceof Attribute.Text text)) {
            throw wrongType(name, "text");
        }
        requirePresent(text, name, index);
        return new String(text.value(members[index]).toArray(Layouts.U8), StandardCharsets.UTF_8);
    }

    /// Whether the value of an attribute is missing for a group.
    public boolean isMissing(String name, long group) {
        int index = index(group);
        Attribute attribute = attribute(name);
        return attribute != null && attribute.isMissing(members[index]);
    }

    private void requirePresent(Attribute attribute, String name, int index) {
        if (attribute.isMissing(members[index])) {
            throw new IllegalStateException("group " + index + " of " + file + " has no value of " + name);
        }
    }

    private IllegalArgumentException wrongType(String name, String wanted) {
        return new IllegalArgumentException("the attribute " + name + " of " + file + " does not hold " + wanted);
    }

    private Attribute attribute(String name) {
        for (int i = 0; i < attributes.length; i++) {
            if (fields.get(i).name().equals(name)) {
                return attributes[i];
            }
        }
        throw new IllegalArgumentException(file + " has no attribute " + name + "; its attributes are "
                + String.join(", ", fields.stream().map(Field::name).toList()));
    }

    /// Selects groups, with their rows one after another. The groups are in ascending order.
    Groups of(int[] chosen) {
        int[] ownMembers = new int[chosen.length];
        long[] ownStarts = new long[chosen.length];
        long[] ownLimits = new long[chosen.length];
        long row = 0;
        for (int i = 0; i < chosen.length; i++) {
            ownMembers[i] = members[chosen[i]];
            ownStarts[i] = row;
            row += limits[chosen[i]] - starts[chosen[i]];
            ownLimits[i] = row;
        }
        return new Groups(file, bytes, layout, fields, attributes, ownMembers, ownStarts, ownLimits);
    }

    /// Selects the groups that have some of the selected rows, which are in ascending order.
    Groups of(Selection rows) {
        int[] chosen = IntStream.range(0, members.length)
                .filter(i -> rows.countBelow(limits[i]) > rows.countBelow(starts[i]))
                .toArray();
        return of(rows, chosen);
    }

    /// Selects groups, with those of the selected rows that belong to them. Both are in ascending order.
    Groups of(Selection rows, int[] chosen) {
        int[] ownMembers = new int[chosen.length];
        long[] ownStarts = new long[chosen.length];
        long[] ownLimits = new long[chosen.length];
        for (int i = 0; i < chosen.length; i++) {
            ownMembers[i] = members[chosen[i]];
            ownStarts[i] = rows.countBelow(starts[chosen[i]]);
            ownLimits[i] = rows.countBelow(limits[chosen[i]]);
        }
        return new Groups(file, bytes, layout, fields, attributes, ownMembers, ownStarts, ownLimits);
    }

    /// For each group its number among the groups of the opened table.
    public int[] members() {
        return members.clone();
    }

    /// The rows of these groups.
    Selection rowsOf(int[] chosen) {
        long[] chosenStarts = new long[chosen.length];
        long[] chosenLimits = new long[chosen.length];
        for (int i = 0; i < chosen.length; i++) {
            chosenStarts[i] = starts[chosen[i]];
            chosenLimits[i] = limits[chosen[i]];
        }
        return Selection.ofRanges(chosenStarts, chosenLimits);
    }

    /// Fills a column with an attribute of these groups; -1 stands for no group.
    void copy(Field field, int[] groups, int count, Column target) {
        Attribute attribute = attribute(field.name());
        if (attribute == null) {
            copyRange(field.name().equals(layout.first()), groups, count, target);
            return;
        }
        int[] places = new int[count];
        for (int i = 0; i < count; i++) {
            places[i] = groups[i] < 0 ? -1 : members[groups[i]];
        }
        attribute.copy(places, count, target);
    }

    private void copyRange(boolean isFirst, int[] groups, int count, Column target) {
        MemorySegment memory = target.reserveValues((long) count * Long.BYTES);
        MemorySegment mask = null;
        for (int i = 0; i < count; i++) {
            int group = groups[i];
            long value = group < 0 ? 0 : isFirst ? starts[group] : limits[group] - starts[group];
            memory.set(Layouts.U64, (long) i * Long.BYTES, value);
            if (group < 0) {
                mask = mask == null ? target.reserveMissing(count) : mask;
                mask.set(Layouts.U8, i, (byte) 1);
            }
        }
    }

    @Override
    public String format() {
        return "groups";
    }

    @Override
    public int version() {
        return 1;
    }

    @Override
    public Location location() {
        return file;
    }

    @Override
    public long count() {
        return starts.length;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public List<Field> fields() {
        return fields;
    }

    /// Returns a copy of one group.
    @Override
    public Row get(long group) throws IOException {
        try (Batch batch = Batch.create(fields)) {
            gather(new long[] {group}, batch);
            List<MemorySegment> values = new ArrayList<>();
            for (Column column : batch.columns()) {
                byte[] value = column.value(0).toArray(Layouts.U8);
                values.add(
                        column.isMissing(0)
                                ? null
                                : MemorySegment.ofArray(value).asReadOnly());
            }
            return new Row(group, values);
        }
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) {
        batch.clear();
        int count = Math.toIntExact(Indices.requireAll(indices, count()));
        int[] wanted = new int[count];
        for (int i = 0; i < count; i++) {
            wanted[i] = (int) Indices.at(indices, i);
        }
        for (Column column : batch.columns()) {
            copy(column.field(), wanted, count, column);
        }
        batch.complete(count);
    }

    @Override
    public long length(Field field, long group) {
        int place = members[index(group)];
        return attribute(field.name()) instanceof Attribute.Text text
                ? text.value(place).byteSize()
                : 1;
    }

    /// Does nothing, because the groups are already in memory.
    @Override
    public void prepare() {}

    /// Opening checks all groups. [GroupedTable#verify] checks the pages of the database as well.
    @Override
    public Verification verify(Progress progress) {
        return new Verification(bytes, List.of(), 0, 0);
    }

    /// Covers all attributes of all groups.
    @Override
    public String fingerprint() throws IOException {
        return new Fingerprint("groups 1").add(fullFingerprint(Progress.NONE)).text();
    }

    @Override
    public boolean isFingerprintExact() {
        return true;
    }

    @Override
    public Map<String, String> metadata() {
        return Map.of();
    }

    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("groupTable", layout.table());
        facts.put("groups", count());
        return facts;
    }

    @Override
    public void close() {}
}
