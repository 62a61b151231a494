// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Findings;
import dev.penstock.Fingerprint;
import dev.penstock.Indices;
import dev.penstock.Location;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Row;
import dev.penstock.Selection;
import dev.penstock.StoredRows;
import dev.penstock.Verification;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Sampler;
import dev.penstock.memory.Disk;
import dev.penstock.query.Scan;
import dev.penstock.query.Where;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/// A table whose rows come in groups, or a view of some of its rows that keeps their groups.
///
/// The records are the rows. [#groups] has a record for each group. A condition may name fields of the rows and
/// attributes of the groups alike; where both have the same name, the attribute is called `group.NAME`. [#where],
/// [#split], [#group] and [#windows] return views that copy no rows.
///
/// **Ownership.** An opened table owns its mappings. A view belongs to the table that it was made from: closing
/// the view leaves the table open, and a closed table closes its views.
///
/// **Threads.** Any number, as [Dataset] says.
public final class GroupedTable implements StoredRows {
    private static final String GROUP_PREFIX = "group.";

    private final GroupedSource source;
    /// The rows of the source that this view has; null for all of them.
    private final Selection selection;

    private final Groups groups;
    private volatile boolean isClosed;

    private GroupedTable(GroupedSource source, Selection selection, Groups groups) {
        this.source = source;
        this.selection = selection;
        this.groups = groups;
    }

    /// A division of the groups for training and testing.
    public record Split(GroupedTable train, GroupedTable test) {}

    /// Opens the grouped table in a folder.
    ///
    /// @throws DatasetException when there is none, or it is damaged
    public static GroupedTable open(Path folder) throws IOException {
        return open(folder, TableReader.Options.DEFAULT);
    }

    /// Opens a grouped table in a certain way.
    public static GroupedTable open(Path folder, TableReader.Options options) throws IOException {
        GroupedSource source = GroupedSource.open(folder, options);
        return new GroupedTable(source, null, source.groups());
    }

    /// Whether a folder holds a grouped table, going by the names of its files.
    public static boolean isGrouped(Disk disk, Path folder) throws IOException {
        return GroupedSource.isGrouped(disk, folder);
    }

    /// The groups, with the ranges that they have in this view.
    public Groups groups() {
        return groups;
    }

    /// The rows of one group.
    ///
    /// @throws IndexOutOfBoundsException when there is no such group
    public GroupedTable group(long group) {
        return ofGroups(new int[] {(int) Objects.checkIndex(group, groups.count())});
    }

    /// The rows of some groups, which are in ascending order.
    ///
    /// @throws IndexOutOfBoundsException when there is no such group
    public GroupedTable ofGroups(int[] chosen) {
        for (int group : chosen) {
            Objects.checkIndex(group, groups.count());
        }
        return view(groups.rowsOf(chosen), groups.of(chosen));
    }

    private GroupedTable view(Selection rows, Groups rest) {
        requireOpen();
        return new GroupedTable(source, selection == null ? rows : selection.then(rows), rest);
    }

    /// The rows that match a condition, such as `max_score >= 20000 and move == 2`. A condition on attributes
    /// alone reads no rows and keeps matching groups that have none; any other keeps the groups that still have
    /// rows.
    ///
    /// @throws IllegalArgumentException when it is no condition on the fields and attributes
    public GroupedTable where(String condition) throws IOException {
        requireOpen();
        Where where = Where.parse(condition, conditionFields());
        if (where.fields().stream().noneMatch(fields()::contains)) {
            return ofGroups(matching(where));
        }
        long[] rows = Scan.of(this).withFields(List.of()).withWhere(where).indices();
        Selection chosen = Selection.ofAscending(rows);
        return view(chosen, groups.of(chosen));
    }

    private int[] matching(Where where) throws IOException {
        List<Integer> found = new ArrayList<>();
        try (Batch batch = Batch.create(where.fields())) {
            int[] all = IntStream.range(0, (int) groups.count()).toArray();
            for (int i = 0; i < batch.columns().size(); i++) {
                groups.copy(attribute(batch.fields().get(i)), all, all.length, batch.column(i));
            }
            batch.complete(all.length);
            for (long group : where.test(batch).toIndices(0)) {
                found.add((int) group);
            }
        }
        return found.stream().mapToInt(Integer::intValue).toArray();
    }

    /// Divides the groups at random: a share of them for testing, and the others for training. No group is in both
    /// parts. The same seed gives the same parts.
    ///
    /// @param test the share of the groups for testing, above 0 and below 1; at least one group is taken
    public Split split(double test, long seed) {
        if (!(test > 0 && test < 1)) {
            throw new IllegalArgumentException("the share of the test part must be above 0 and below 1, got " + test);
        }
        return splitCount(groups.count() == 0 ? 0 : Math.max(1, (long) (test * groups.count())), seed);
    }

    /// [#split] with a number of groups for testing.
    public Split splitCount(long testCount, long seed) {
        int total = (int) groups.count();
        if (testCount < 0 || testCount > total) {
            throw new IllegalArgumentException(
                    "the test part cannot have " + testCount + " groups: there are " + total);
        }
        Sampler order = new PermutationSampler(total, seed);
        int[] drawn = LongStream.range(0, total)
                .mapToInt(i -> (int) order.index(0, i))
                .toArray();
        int[] test = Arrays.copyOf(drawn, (int) testCount);
        int[] train = Arrays.copyOfRange(drawn, (int) testCount, total);
        Arrays.sort(test);
        Arrays.sort(train);
        return new Split(ofGroups(train), ofGroups(test));
    }

    /// Every run of consecutive rows of a length that stays inside a group, as a dataset: a field gets the length
    /// as its first dimension. Groups with fewer rows have no window.
    ///
    /// @param length the number of rows of a window, at least 1
    public Windows windows(long length) {
        return windows(length, 1);
    }

    /// [#windows(long)] with a distance between the starts of windows.
    ///
    /// @param stride the number of rows from the start of a window to the start of the next, at least 1
    public Windows windows(long length, long stride) {
        requireOpen();
        return Windows.of(this, length, stride);
    }

    /// The rows of the opened table that this view has, or null when it has all of them.
    public Selection selection() {
        return selection;
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the view of " + path() + " is closed");
        }
    }

    private TableReader rows() {
        requireOpen();
        return source.rows();
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
        return Location.of(source.folder());
    }

    /// The folder that was opened.
    public Path path() {
        return source.folder();
    }

    @Override
    public long count() {
        return selection == null ? source.rowCount() : selection.count();
    }

    @Override
    public long bytes() {
        return source.rows().bytes() + groups.bytes();
    }

    @Override
    public List<Field> fields() {
        return source.rows().fields();
    }

    /// The fields of a row, then the attributes.
    @Override
    public List<Field> conditionFields() {
        return source.conditionFields();
    }

    /// The attribute of the groups that a field of a condition stands for.
    private Field attribute(Field field) {
        String name = field.name();
        boolean isPrefixed = name.startsWith(GROUP_PREFIX)
                && groups.fields().stream().noneMatch(one -> one.name().equals(name));
        String own = isPrefixed ? name.substring(GROUP_PREFIX.length()) : name;
        return new Field(own, field.type(), field.elementSize(), field.shape(), field.isVariable());
    }

    /// The name of an attribute in conditions.
    static Field named(Field attribute, List<Field> rowFields) {
        boolean isTaken = rowFields.stream().anyMatch(field -> field.name().equals(attribute.name()));
        return isTaken
                ? new Field(
                        GROUP_PREFIX + attribute.name(),
                        attribute.type(),
                        attribute.elementSize(),
                        attribute.shape(),
                        attribute.isVariable())
                : attribute;
    }

    private long sourceRow(long row) {
        Objects.checkIndex(row, count());
        return selection == null ? row : selection.at(row);
    }

    @Override
    public Row get(long row) throws IOException {
        return new Row(row, rows().get(sourceRow(row)).values());
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        batch.clear();
        TableReader rows = rows();
        List<Field> own = batch.fields().stream().filter(fields()::contains).toList();
        source.use(indices, count(), selection, translated -> {
            if (own.size() == batch.fields().size()) {
                rows.gather(translated, batch);
            } else {
                gatherMixed(indices, translated, own, batch);
            }
        });
    }

    /// Fields of rows through a batch of their own, whose memory goes over without a copy; attributes by group.
    private void gatherMixed(MemorySegment indices, MemorySegment translated, List<Field> own, Batch batch)
            throws IOException {
        int count = Math.toIntExact(Indices.count(indices));
        int[] rowGroups = groups.groupsOf(indices, count);
        try (Batch rowBatch = Batch.create(own)) {
            if (!own.isEmpty()) {
                rows().gather(translated, rowBatch);
            }
            for (int i = 0; i < batch.columns().size(); i++) {
                Field field = batch.fields().get(i);
                if (own.contains(field)) {
                    batch.column(i).exchange(rowBatch.column(field.name()));
                } else {
                    groups.copy(attribute(field), rowGroups, count, batch.column(i));
                }
            }
            batch.complete(count);
        } catch (Throwable e) {
            batch.clear();
            throw e;
        }
    }

    @Override
    public String itemType() {
        return source.rows().itemType();
    }

    @Override
    public List<Long> rowShape() {
        return source.rows().rowShape();
    }

    @Override
    public long rowSize() {
        return source.rows().rowSize();
    }

    /// The files of an opened table; none of a view.
    @Override
    public List<Location> arrayFiles() {
        return selection == null ? source.rows().arrayFiles() : List.of();
    }

    @Override
    public void read(MemorySegment indices, MemorySegment target) throws IOException {
        TableReader rows = rows();
        source.use(indices, count(), selection, translated -> rows.read(translated, target));
    }

    @Override
    public void prepare() {
        rows().prepare();
    }

    @Override
    public void prefetch(long firstIndex, long recordCount) {
        Objects.checkFromIndexSize(firstIndex, recordCount, count());
        if (selection == null) {
            rows().prefetch(firstIndex, recordCount);
        }
    }

    /// Checks the rows, and the pages of the database.
    @Override
    public Verification verify(Progress progress) throws IOException {
        Findings findings = new Findings();
        Verification ofRows = rows().verify(progress);
        findings.addAll(ofRows);
        try (GroupDatabase database = GroupDatabase.read(source.disk(), path())) {
            for (String problem : database.check()) {
                findings.error(database.file(), 0, Reason.BAD_DATABASE, problem);
            }
        } catch (DatasetException e) {
            findings.error(e);
        }
        long uncommitted = source.rows().count() - source.rowCount();
        if (uncommitted > 0) {
            findings.warning(
                    path(),
                    0,
                    Reason.UNCOMMITTED,
                    uncommitted + " rows behind the last group belong to no group and are not read");
        }
        return findings.result(ofRows.checkedBytes() + groups.bytes());
    }

    /// Made of the fingerprint of the rows, the groups, and the rows that a view has.
    @Override
    public String fingerprint() throws IOException {
        Fingerprint fingerprint = new Fingerprint("groups 1")
                .add(rows().fingerprint(source.rowCount()))
                .add(groups.fingerprint());
        if (selection != null) {
            selection.addTo(fingerprint);
        }
        return fingerprint.text();
    }

    @Override
    public boolean isFingerprintExact() {
        return source.rows().isFingerprintExact();
    }

    @Override
    public Map<String, String> metadata() {
        return source.rows().metadata();
    }

    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>(source.rows().facts());
        facts.putAll(groups.facts());
        if (selection != null) {
            facts.put("subsetOf", source.rowCount());
        }
        return facts;
    }

    @Override
    public List<String> remarks() {
        return source.remarks();
    }

    @Override
    public String name(long row) {
        Objects.checkIndex(row, count());
        return null;
    }

    /// Closes the table; closing a view leaves the table open.
    @Override
    public void close() {
        isClosed = true;
        if (selection == null) {
            source.close();
        }
    }
}
