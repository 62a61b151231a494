// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Disk;
import dev.penstock.query.Scan;
import dev.penstock.query.Stats;
import dev.penstock.query.Where;
import dev.penstock.view.Selection;
import dev.penstock.view.Windows;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Groups, conditions on them, and the views of a grouped table.
final class GroupedTableTest {
    @TempDir
    Path folder;

    @BeforeEach
    void write() throws IOException {
        SampleGroups.write(folder);
    }

    @Test
    void groupsHaveTypedAttributes() throws IOException {
        try (GroupedTable table = GroupedTable.open(folder)) {
            Groups groups = table.groups();
            assertEquals(4, groups.count());
            assertEquals(10, table.count());
            assertEquals(300, groups.whole("score", 2));
            assertEquals(0.5, groups.real("weight", 0));
            assertEquals("b", groups.text("label", 2));
            assertTrue(groups.isMissing("weight", 2));
            assertTrue(groups.isMissing("label", 3));
            assertFalse(groups.isMissing("label", 0));
            assertThrows(IllegalStateException.class, () -> groups.real("weight", 2));
            assertThrows(IllegalArgumentException.class, () -> groups.whole("label", 2));
            assertThrows(IllegalArgumentException.class, () -> groups.whole("nothing", 2));
            assertThrows(IndexOutOfBoundsException.class, () -> groups.start(4));
            assertEquals(List.of(3L, 8L), List.of(groups.start(2), groups.limit(2)));
        }
    }

    @Test
    void everyRowFindsItsGroup() throws IOException {
        try (GroupedTable table = GroupedTable.open(folder)) {
            List<Long> found =
                    LongStream.range(0, 10).map(table.groups()::groupOf).boxed().toList();
            assertEquals(List.of(0L, 0L, 0L, 2L, 2L, 2L, 2L, 2L, 3L, 3L), found);
            assertEquals(-1, table.groups().groupOf(10));
            assertEquals(-1, table.groups().groupOf(-1));
        }
    }

    @Test
    void conditionsNameFieldsAndAttributesAlike() throws IOException {
        try (GroupedTable table = GroupedTable.open(folder)) {
            assertEquals(List.of(3L, 4L, 5L, 6L, 7L, 8L, 9L), SampleGroups.xs(table.where("score >= 200")));
            assertEquals(List.of(6L), SampleGroups.xs(table.where("score >= 200 and move == 2")));
            assertEquals(List.of(0L, 2L, 6L), SampleGroups.xs(table.where("label == 'a' and x != 1 or x == 6")));
            assertEquals(List.of(8L, 9L), SampleGroups.xs(table.where("weight > 2")));
            assertEquals(List.of(), SampleGroups.xs(table.where("weight != 0.5 and label == 'b'")), "a missing value");
            assertEquals(List.of(3L, 4L, 5L, 6L, 7L), SampleGroups.xs(table.where("weight is null")));
            assertEquals(List.of(0L, 1L, 2L), SampleGroups.xs(table.where("weight is not null and label is not null")));
            assertEquals(List.of(6L), SampleGroups.xs(table.where("weight is null and move == 2")));
            IllegalArgumentException refusal =
                    assertThrows(IllegalArgumentException.class, () -> table.where("rowid == 1"));
            assertTrue(refusal.getMessage().contains("no field rowid"), refusal.getMessage());
        }
    }

    @Test
    void viewsKeepTheirGroups() throws IOException {
        try (GroupedTable table = GroupedTable.open(folder)) {
            GroupedTable best = table.where("score == 300");
            assertEquals(2, best.groups().count(), "a group without rows that matches stays");
            assertEquals(
                    List.of(0L, 5L),
                    List.of(best.groups().start(1), best.groups().limit(1)));
            assertEquals("b", best.groups().text("label", best.groups().groupOf(0)));
            GroupedTable odd = table.where("move == 1");
            assertEquals(List.of(1L, 5L, 9L), SampleGroups.xs(odd));
            assertEquals(3, odd.groups().count());
            assertEquals(List.of(5L), SampleGroups.xs(odd.where("score == 300")));
            assertEquals(List.of(5L), SampleGroups.xs(best.where("move == 1")));
            assertEquals(List.of(3L, 4L, 5L, 6L, 7L), SampleGroups.xs(table.group(2)));
        }
    }

    @Test
    void windowsStayInsideGroups() throws IOException {
        try (GroupedTable table = GroupedTable.open(folder);
                Windows windows = table.windows(2)) {
            assertEquals(7, windows.count());
            List<List<Long>> found = new ArrayList<>();
            try (Batch batch = Batch.create(windows.fields())) {
                windows.gather(LongStream.range(0, 7).toArray(), batch);
                for (long i = 0; i < 7; i++) {
                    long[] values = batch.column("x").value(i).toArray(ValueLayout.JAVA_LONG_UNALIGNED);
                    found.add(Arrays.stream(values).boxed().toList());
                }
            }
            assertEquals(
                    List.of(
                            List.of(0L, 1L),
                            List.of(1L, 2L),
                            List.of(3L, 4L),
                            List.of(4L, 5L),
                            List.of(5L, 6L),
                            List.of(6L, 7L),
                            List.of(8L, 9L)),
                    found);
            assertEquals(List.of(2L), windows.fields().getFirst().shape());
            assertEquals(0, table.windows(6).count());
            assertEquals(3, table.windows(2, 3).count() - 1);
            assertThrows(IllegalArgumentException.class, () -> table.windows(0));
            assertThrows(IndexOutOfBoundsException.class, () -> windows.firstRow(7));
        }
    }

    @Test
    void noGroupIsInBothPartsOfASplit() throws IOException {
        try (GroupedTable table = GroupedTable.open(folder)) {
            for (long seed = 0; seed < 20; seed++) {
                GroupedTable.Split split = table.split(0.5, seed);
                assertEquals(2, split.test().groups().count());
                List<Long> all = new ArrayList<>(SampleGroups.xs(split.train()));
                for (long x : SampleGroups.xs(split.test())) {
                    assertFalse(all.contains(x), "row " + x + " is in both parts");
                    all.add(x);
                }
                Collections.sort(all);
                assertEquals(LongStream.range(0, 10).boxed().toList(), all);
                assertEquals(
                        SampleGroups.xs(split.test()),
                        SampleGroups.xs(table.split(0.5, seed).test()));
            }
            assertThrows(IllegalArgumentException.class, () -> table.split(1, 0));
            assertThrows(IllegalArgumentException.class, () -> table.splitCount(5, 0));
        }
    }

    @Test
    void aFractionIsRoundedToTheNearestNumberOfGroups() throws IOException {
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            rows.add(new Object[] {i, i, 1, 0, 0.0, "x"});
        }
        SampleGroups.writeRows(folder, 100);
        SampleGroups.writeDatabase(folder, List.of(SampleGroups.TABLE), rows);
        try (GroupedTable table = GroupedTable.open(folder)) {
            // 0.29 * 100 is a little less than 29.
            assertEquals(29, table.split(0.29, 0).test().groups().count());
        }
    }

    @Test
    void columnsOfOtherDeclaredTypesHaveTheTypeOfTheirValues() throws IOException {
        SampleGroups.writeDatabase(
                folder,
                List.of("CREATE TABLE groups (first_row INTEGER, num_rows INTEGER, won BOOLEAN, day DATE,"
                        + " price DECIMAL(9, 2), note)"),
                List.of(
                        new Object[] {0, 4, true, "2026-01-31", 2.5, null},
                        new Object[] {4, 6, false, "2026-02-01", 3, null}));
        try (GroupedTable table = GroupedTable.open(folder)) {
            List<Field> fields = table.groups().fields();
            assertTrue(fields.contains(Field.fixed("won", ElementType.I64)), fields.toString());
            assertTrue(fields.contains(Field.variable("day", ElementType.UTF8)), fields.toString());
            assertTrue(fields.contains(Field.fixed("price", ElementType.F64)), fields.toString());
            assertTrue(fields.contains(Field.variable("note", ElementType.UTF8)), fields.toString());
            assertEquals(4, Where.select(table, "won == 1").count());
            assertEquals(6, Where.select(table, "price == 3").count());
            assertEquals(6, Where.select(table, "day == '2026-02-01'").count());
        }
    }

    @Test
    void theCatalogueOpensGroupedTablesAndScansThem() throws IOException {
        try (Dataset dataset = Catalog.open(folder)) {
            assertInstanceOf(GroupedTable.class, dataset);
            assertTrue(dataset.verify(Progress.NONE).isOk());
            Scan scan = Scan.of(dataset).withWhere(Where.parse("score == 300", dataset.conditionFields()));
            assertEquals(5, Stats.of(scan).recordCount());
            assertEquals(5, Where.select(dataset, "score == 300").count());
        }
    }

    @Test
    void rowsBehindTheLastGroupAreNotRead() throws IOException {
        SampleGroups.writeRows(folder, 12);
        try (GroupedTable table = GroupedTable.open(folder);
                Batch batch = Batch.create(table.fields())) {
            assertEquals(10, table.count());
            assertThrows(IndexOutOfBoundsException.class, () -> table.gather(new long[] {10}, batch));
            assertThrows(IndexOutOfBoundsException.class, () -> table.get(10));
            assertEquals(1, table.verify(Progress.NONE).problemCount());
        }
    }

    @Test
    void theFirstRowsKeepTheirFingerprintWhenGroupsAreAdded() throws IOException {
        List<Object[]> rows = new ArrayList<>(SampleGroups.ROWS);
        rows.add(new Object[] {4, 10, 0, null, null, "empty"});
        rows.add(new Object[] {5, 10, 4, 7, 0.5, "new"});
        String before;
        try (GroupedTable table = GroupedTable.open(folder)) {
            before = table.fingerprint();
            assertEquals(before, table.fingerprint(10));
        }
        SampleGroups.writeRows(folder, 14);
        Files.delete(folder.resolve(GroupFormat.DATABASE));
        SampleGroups.writeDatabase(folder, List.of(SampleGroups.TABLE), rows);
        try (GroupedTable table = GroupedTable.open(folder)) {
            assertEquals(14, table.count());
            assertTrue(table.hasFingerprint(before, 10));
            assertFalse(table.hasFingerprint(before, 8));
            assertNotNull(table.fingerprint(8), "a group ends there");
            assertNull(table.fingerprint(9), "the middle of a group");
            assertNull(table.where("score >= 0").fingerprint(3), "a view does not grow");
        }
        rows.set(2, new Object[] {2, 3, 5, 301, null, "b"});
        Files.delete(folder.resolve(GroupFormat.DATABASE));
        SampleGroups.writeDatabase(folder, List.of(SampleGroups.TABLE), rows);
        try (GroupedTable table = GroupedTable.open(folder)) {
            assertFalse(table.hasFingerprint(before, 10), "an attribute has changed");
        }
    }

    @Test
    void aTableWithoutGroupsIsAnotherFormat() throws IOException {
        Files.delete(folder.resolve(GroupFormat.DATABASE));
        DatasetException.WrongFormat e =
                assertThrows(DatasetException.WrongFormat.class, () -> GroupedTable.open(folder));
        assertTrue(
                e.getMessage().contains("this is not a grouped table, because metadata.db is missing"), e::getMessage);
    }

    @Test
    void existingGroupsAreKeptUnlessTheyMayBeReplaced() {
        FileAlreadyExistsException e = assertThrows(
                FileAlreadyExistsException.class,
                () -> Grouping.by(folder, "move", true, false, Disk.real(), Progress.NONE));
        assertEquals("the table is already grouped; replace the groups to group it again", e.getReason());
    }

    @Test
    void aClosedTableClosesItsViews() throws IOException {
        GroupedTable table = GroupedTable.open(folder);
        GroupedTable view = table.where("score == 300");
        GroupedTable other = table.where("score == 100");
        other.close();
        assertThrows(IllegalStateException.class, () -> other.get(0));
        assertEquals(5, view.count());
        view.get(0);
        table.close();
        assertThrows(IllegalStateException.class, () -> view.get(0));
    }

    @Test
    void rangesSelectWhatAListOfTheSameIndicesSelects() {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            int size = random.nextInt(60);
            long[] starts = new long[random.nextInt(8)];
            long[] limits = new long[starts.length];
            long at = 0;
            List<Long> expected = new ArrayList<>();
            for (int i = 0; i < starts.length; i++) {
                starts[i] = at + random.nextInt(3);
                limits[i] = starts[i] + random.nextInt(1 + size);
                at = limits[i];
                LongStream.range(starts[i], limits[i]).forEach(expected::add);
            }
            Selection ranges = Selection.ofRanges(starts, limits);
            assertEquals(expected.size(), ranges.count());
            for (int i = 0; i < expected.size(); i++) {
                assertEquals(expected.get(i), ranges.at(i));
            }
            for (long limit = 0; limit < at + 2; limit++) {
                long below = limit;
                assertEquals(expected.stream().filter(x -> x < below).count(), ranges.countBelow(limit));
            }
            long half = ranges.count() / 2;
            Selection part = ranges.then(Selection.ofRanges(new long[] {half / 2}, new long[] {half}));
            assertEquals(half - half / 2, part.count());
            for (long i = 0; i < part.count(); i++) {
                assertEquals(expected.get((int) (half / 2 + i)), part.at(i));
            }
        }
    }
}
