// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.Batch;
import dev.penstock.ClosedException;
import dev.penstock.Field;
import dev.penstock.Findings;
import dev.penstock.Fingerprint;
import dev.penstock.GroupedRecords;
import dev.penstock.Indices;
import dev.penstock.Origin;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.Shard;
import dev.penstock.StoredRows;
import dev.penstock.Verification;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import dev.penstock.query.Scan;
import dev.penstock.query.Where;
import dev.penstock.table.TableReader;
import dev.penstock.view.Selection;
import dev.penstock.view.ViewRecipe;
import dev.penstock.view.Windows;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;

/// A table whose rows come in groups, or a view of some of its rows that keeps their groups.
///
/// The records are the rows. [#groups] has one record for each group. A condition may name fields of the rows and
/// attributes of the groups; if both have the same name, the attribute is named `group.NAME`. [#where], [#split],
/// [#group] and [#windows] return zero-copy views.
///
/// The database is the commit of a grouped table: rows behind the last group do not count, and readers read the
/// database before they open the rows. Rows and groups are two files; so a reader finds the old pair or the new
/// one at any moment.
///
/// **Ownership.** An opened table owns its mappings. A view belongs to the table it was made from: closing the
/// view leaves the table open, and closing the table closes its views.
///
/// **Threads.** Safe for any number of threads, as for every [Dataset][dev.penstock.Dataset].
public final class GroupedTable implements StoredRows, GroupedRecords {
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

    /// A split of the groups for training and testing.
    public record Split(GroupedTable train, GroupedTable test) {}

    /// Opens the grouped table in a folder.
    ///
    /// @throws java.nio.file.NoSuchFileException when the folder does not exist
    /// @throws dev.penstock.DatasetException     when the folder is not a grouped table, or is damaged
    public static GroupedTable open(Path folder) throws IOException {
        return open(folder, TableReader.Options.DEFAULT);
    }

    /// Opens a grouped table with options.
    public static GroupedTable open(Path folder, TableReader.Options options) throws IOException {
        return open(Location.of(folder), options);
    }

    /// Opens a grouped table on a disk or in a remote storage. The database is read into memory in any case.
    public static GroupedTable open(Location folder, TableReader.Options options) throws IOException {
        GroupedSource source = GroupedSource.open(folder, options);
        return new GroupedTable(source, null, source.groups());
    }

    /// Whether a folder has a grouped table, decided by the names of its files.
    public static boolean isGrouped(Disk disk, Path folder) throws IOException {
        return isGrouped(Storage.of(disk), Location.of(folder));
    }

    /// Whether a folder of any storage has a grouped table, decided by the names of its files.
    public static boolean isGrouped(Storage storage, Location folder) throws IOException {
        return GroupedSource.isGrouped(storage, folder);
    }

    /// The groups, with their ranges in this view.
    @Override
    public Groups groups() {
        return groups;
    }

    @Override
    public Range range(long group) {
        return new Range(groups.start(group), groups.limit(group));
    }

    @Override
    public long groupOf(long row) {
        return groups.groupOf(Objects.checkIndex(row, count()));
    }

    /// The bytes of an SQLite database with the groups of the opened table. Groups that were appended since it was
    /// opened are not included.
    public byte[] database() throws IOException {
        return source.database();
    }

    /// The rows of one group.
    ///
    /// @throws IndexOutOfBoundsException when the group is out of range
    public GroupedTable group(long group) {
        return ofGroups(new int[] {(int) Objects.checkIndex(group, groups.count())});
    }

    /// The rows of some groups, in ascending order.
    ///
    /// @throws IndexOutOfBoundsException when a group is out of range
    public GroupedTable ofGroups(int[] chosen) {
        for (int group : chosen) {
            Objects.checkIndex(group, groups.count());
        }
        return view(groups.rowsOf(chosen), groups.of(chosen));
    }

    /// Creates a view of rows of the opened table with some of its groups. It equals another view with this
    /// [#selection] and these [Groups#members].
    ///
    /// @param rows    rows in ascending order
    /// @param members groups in ascending order
    /// @throws IndexOutOfBoundsException when a row or group is out of range
    public GroupedTable ofRows(Selection rows, int[] members) {
        Groups all = source.groups();
        for (int member : members) {
            Objects.checkIndex(member, all.count());
        }
        if (rows.count() > 0) {
            Objects.checkIndex(rows.at(rows.count() - 1), source.rowCount());
        }
        requireOpen();
        return new GroupedTable(source, rows, all.of(rows, members));
    }

    /// The groups of this view with all rows that they have in the opened table, also those that a condition left
    /// out.
    public GroupedTable wholeGroups() {
        requireOpen();
        int[] members = groups.members();
        Groups all = source.groups();
        return new GroupedTable(source, all.rowsOf(members), all.of(members));
    }

    private GroupedTable view(Selection rows, Groups rest) {
        requireOpen();
        return new GroupedTable(source, selection == null ? rows : selection.then(rows), rest);
    }

    /// Returns the rows that match a condition, such as `max_score >= 20000 and move == 2`. A condition on
    /// attributes only reads no rows and keeps matching groups that are empty. Any other condition keeps the
    /// groups that still have rows.
    ///
    /// @throws IllegalArgumentException when the condition is invalid for the fields and attributes
    public GroupedTable where(String condition) throws IOException {
        requireOpen();
        Where where = Where.parse(condition, conditionFields());
        if (where.fields().stream().noneMatch(fields()::contains)) {
            return ofGroups(GroupAttributes.matching(groups, where));
        }
        long[] rows = Scan.of(this).withFields(List.of()).withWhere(where).indices();
        Selection chosen = Selection.ofAscending(rows);
        return view(chosen, groups.of(chosen));
    }

    /// Splits the groups at random into a test part and a training part. No group is in both parts. The same seed
    /// gives the same split.
    ///
    /// @param test the fraction of the groups for testing, greater than 0 and less than 1; at least one group is
    ///             taken
    public Split split(double test, long seed) {
        if (!(test > 0 && test < 1)) {
            throw new IllegalArgumentException("the test fraction must be greater than 0 and less than 1, got " + test);
        }
        return splitCount(groups.count() == 0 ? 0 : Math.max(1, Math.round(test * groups.count())), seed);
    }

    /// [#split] with a number of groups for testing.
    public Split splitCount(long testCount, long seed) {
        int total = (int) groups.count();
        if (testCount < 0 || testCount > total) {
            throw new IllegalArgumentException(
                    "the test part must have between 0 and " + total + " groups, got " + testCount);
        }
        int[] drawn = GroupAttributes.shuffled(total, seed);
        int[] test = Arrays.copyOf(drawn, (int) testCount);
        int[] train = Arrays.copyOfRange(drawn, (int) testCount, total);
        Arrays.sort(test);
        Arrays.sort(train);
        return new Split(ofGroups(train), ofGroups(test));
    }

    /// Returns all windows of consecutive rows of a given length that stay inside a group. The length becomes the
    /// first dimension of each field. Groups with fewer rows have no window.
    ///
    /// @param length the number of rows of a window, at least 1
    public Windows windows(long length) {
        return windows(length, 1);
    }

    /// [#windows(long)] with a distance between the starts of windows.
    ///
    /// @param stride the number of rows from the start of a window to the start of the next, at least 1
    @Override
    public Windows windows(long length, long stride) {
        requireOpen();
        LongStream all = LongStream.range(0, groups.count());
        long[] starts = LongStream.range(0, groups.count()).map(groups::start).toArray();
        return Windows.of(
                this, length, stride, starts, all.map(groups::rowCount).toArray());
    }

    /// The rows of the opened table that this view has, or null when it has all of them.
    public Selection selection() {
        return selection;
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException(
                    (selection == null ? "the grouped table " : "the view of ") + location() + " is closed");
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
        return source.folder();
    }

    /// The path of the folder that was opened.
    ///
    /// @throws UnsupportedOperationException when the folder is remote
    public Path path() {
        return source.folder().path();
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

    /// Those of the opened table, cut at the last row that belongs to it; a view has one.
    @Override
    public List<Shard> shards() {
        return selection == null
                ? source.rows().shards().stream()
                        .filter(shard -> shard.firstIndex() < count())
                        .map(shard -> new Shard(
                                shard.location(),
                                shard.firstIndex(),
                                Math.min(shard.recordCount(), count() - shard.firstIndex())))
                        .toList()
                : StoredRows.super.shards();
    }

    /// The fields of a row, followed by the attributes.
    @Override
    public List<Field> conditionFields() {
        return source.conditionFields();
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
                GroupAttributes.gather(rows, translated, own, groups, indices, batch);
            }
        });
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

    /// The files of an opened table; empty for a view.
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
    public void readRanges(MemorySegment firstRows, long length, MemorySegment target) throws IOException {
        if (selection == null) {
            rows().readRanges(firstRows, length, target);
        } else {
            StoredRows.super.readRanges(firstRows, length, target);
        }
    }

    @Override
    public boolean gatherRanges(MemorySegment firstRows, long length, Batch batch) throws IOException {
        // Attributes of the groups are not stored in the rows.
        return selection == null && rows().gatherRanges(firstRows, length, batch);
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

    /// Verifies the rows and the pages of the database.
    @Override
    public Verification verify(Progress progress) throws IOException {
        Findings findings = new Findings();
        Verification ofRows = rows().verify(progress, source.listedCrc(findings));
        findings.addAll(ofRows);
        GroupDatabase.verify(source.reading(), location(), findings);
        long uncommitted = source.rows().count() - source.rowCount();
        if (uncommitted > 0) {
            findings.warning(
                    location(),
                    0,
                    GroupReason.UNCOMMITTED,
                    uncommitted + " rows after the last group belong to no group and are ignored");
        }
        return findings.result(ofRows.checkedBytes() + groups.bytes());
    }

    /// A table grows by whole groups after its last one, so this is known where a group ends. Groups without rows
    /// that begin there are counted as well.
    @Override
    public String fingerprint(long recordCount) throws IOException {
        Indices.requireFirst(this, recordCount);
        if (recordCount == count()) {
            return fingerprint();
        }
        return selection == null && groups.isEnd(recordCount)
                ? fingerprint(recordCount, groups.countUpTo(recordCount))
                : null;
    }

    /// Also accepts a fingerprint from before groups without rows were added at the end.
    @Override
    public boolean hasFingerprint(String noted, long recordCount) throws IOException {
        if (noted.equals(fingerprint(recordCount))) {
            return true;
        }
        if (selection != null || !groups.isEnd(recordCount)) {
            return false;
        }
        int groupCount = groups.countUpTo(recordCount);
        while (groupCount > 0 && groups.rowCount(groupCount - 1) == 0) {
            groupCount--;
            if (noted.equals(fingerprint(recordCount, groupCount))) {
                return true;
            }
        }
        return false;
    }

    private String fingerprint(long rowCount, int groupCount) throws IOException {
        return new Fingerprint("groups 1")
                .add(rows().fingerprint(rowCount))
                .add(groups.first(groupCount).fingerprint())
                .text();
    }

    /// A fingerprint built from the fingerprint of the rows, the groups, and the rows of a view.
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
    public List<Origin> origins(long row) {
        Objects.checkIndex(row, count());
        long stored = selection == null ? row : selection.at(row);
        Origin origin = rows().origins(stored).getFirst();
        return List.of(new Origin(this, stored, 1, origin.file(), origin.fileRecord(), null));
    }

    /// A view has the rows that it selects as ranges, if they are few.
    @Override
    public Map<String, Object> recipe() throws IOException {
        if (selection == null) {
            return StoredRows.super.recipe();
        }
        Map<String, Object> whole = new LinkedHashMap<>();
        whole.put("path", location().toString());
        whole.put("format", format());
        whole.put("records", source.rowCount());
        Map<String, Object> recipe = new LinkedHashMap<>();
        recipe.put("view", "groups");
        recipe.put("of", List.of(whole));
        ViewRecipe.addRanges(recipe, selection);
        return recipe;
    }

    @Override
    public String name(long row) {
        Objects.checkIndex(row, count());
        return null;
    }

    /// Closes the table. Closing a view leaves the table open.
    @Override
    public void close() {
        isClosed = true;
        if (selection == null) {
            source.close();
        }
    }

    @Override
    public long groupCount() {
        return groups().count();
    }
}
