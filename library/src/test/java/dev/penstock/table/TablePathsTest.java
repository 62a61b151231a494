// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Seeds;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.file.Access;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The files of a folder that belong to a table, and their order.
@ExtendWith(Seeds.class)
class TablePathsTest {
    private static final Path FOLDER = Tables.FOLDER;

    private final MemoryDisk disk = Tables.disk();

    /// A shard whose rows are some numbers.
    private void put(String name, int... numbers) throws IOException {
        byte[] rows = new byte[4 * numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            rows[4 * i] = (byte) numbers[i];
        }
        disk.put(FOLDER.resolve(name), Tables.file(RowType.of(DType.parse("<i4")), rows));
    }

    private List<Long> numbers(Path path) throws IOException {
        try (TableReader table = Tables.open(disk, path, Access.MMAP)) {
            TableColumn column = table.column("value");
            List<Long> numbers = new ArrayList<>();
            for (long row = 0; row < table.count(); row++) {
                numbers.add(column.getLong(row));
            }
            return numbers;
        }
    }

    private List<Problem> problems(Path path) throws IOException {
        try (TableReader table = Tables.open(disk, path, Access.READ)) {
            return table.verify(Progress.NONE).problems();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rows-00000.npy rows-00001.npy rows-00002.npy", "rows_00001.npy rows_00002.npy rows_00003.npy",
                "a-b_c-000000.npy a-b_c-000001.npy a-b_c-000002.npy", "s-00009.npy s-00010.npy s-00011.npy",
                "s-99998.npy s-99999.npy s-100000.npy", "shards/x_00000.npy shards/x_00001.npy shards/x_00002.npy",
                "größe-00000.npy größe-00001.npy größe-00002.npy"
            })
    void shardsAreReadInTheOrderOfTheirNumbers(String names) throws IOException {
        String[] name = names.split(" ");
        put(name[1], 3, 4);
        put(name[2], 5);
        put(name[0], 1, 2);
        disk.put(FOLDER.resolve("readme.txt"), new byte[3]);
        disk.put(FOLDER.resolve("other.npy"), new byte[3]);
        disk.put(FOLDER.resolve("x-1.npy"), new byte[3]);
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L), numbers(FOLDER));
        assertEquals(List.of(), problems(FOLDER));
        assertTrue(TablePaths.isTable(Storage.of(disk), Location.of(FOLDER)));
    }

    @Test
    void severalTablesAreOpenedByName() throws IOException {
        put("one-00000.npy", 1);
        put("two_00000.npy", 2);
        DatasetException refusal = assertThrows(DatasetException.WrongFormat.class, () -> numbers(FOLDER));
        assertTrue(refusal.what().contains("NAME one or two"), refusal.what());
        assertEquals(List.of(1L), numbers(FOLDER.resolve("one")));
        assertEquals(List.of(2L), numbers(FOLDER.resolve("two")));
        assertThrows(NoSuchFileException.class, () -> numbers(FOLDER.resolve("three")));
    }

    @Test
    void aGapInTheNumbersIsAWarning() throws IOException {
        put("rows-00000.npy", 1);
        put("rows-00002.npy", 3);
        assertEquals(List.of(1L, 3L), numbers(FOLDER));
        Problem problem = problems(FOLDER).getFirst();
        assertEquals(Severity.WARNING, problem.severity());
        assertEquals(Reason.MISSING_SHARD, problem.reason());
        assertEquals("shard number 1 is missing", problem.what());
    }

    /// Names with five digits beside names with six have no clear order.
    @Test
    void aNumberThatComesTwiceIsRefused() throws IOException {
        put("rows-00001.npy", 1);
        put("rows-000001.npy", 2);
        DatasetException refusal = assertThrows(DatasetException.class, () -> numbers(FOLDER));
        assertTrue(refusal.what().contains("same number"), refusal.what());
    }

    @Test
    void aShardOfAnotherTypeIsRefusedByName() throws IOException {
        put("rows-00000.npy", 1);
        Path odd = FOLDER.resolve("rows-00001.npy");
        disk.put(odd, Tables.file(RowType.of(DType.parse("<f4")), new byte[4]));
        DatasetException refusal = assertThrows(DatasetException.Corrupt.class, () -> numbers(FOLDER));
        assertEquals(Location.of(odd), refusal.file());
        assertEquals(Reason.SHARD_MISMATCH, refusal.reason());
        assertEquals("its rows are '<f4', but those of the first shard are '<i4'", refusal.what());
    }

    @Test
    void aFolderWithoutShardsIsNoTable() throws IOException {
        disk.addFolder(FOLDER);
        assertFalse(TablePaths.isTable(Storage.of(disk), Location.of(FOLDER)));
        assertThrows(DatasetException.WrongFormat.class, () -> numbers(FOLDER));
    }

    @Test
    void aListedShardThatIsGoneIsNamedAndAnUnlistedOneIsNoPart() throws IOException {
        RowType numbers = RowType.of(DType.parse("<i4"));
        Tables.write(FOLDER, numbers, Tables.writing(disk).withShardRows(1), new byte[] {1, 0, 0, 0, 2, 0, 0, 0});
        put("rows-00002.npy", 3);
        assertEquals(List.of(1L, 2L), numbers(FOLDER));
        Problem problem = problems(FOLDER).getFirst();
        assertEquals(Severity.WARNING, problem.severity());
        assertEquals(Reason.UNLISTED_SHARD, problem.reason());
        disk.delete(FOLDER.resolve("rows-00001.npy"));
        DatasetException refusal = assertThrows(DatasetException.Corrupt.class, () -> numbers(FOLDER));
        assertEquals(Location.of(FOLDER.resolve("rows-00001.npy")), refusal.file());
        assertEquals(Reason.MISSING_SHARD, refusal.reason());
        disk.delete(FOLDER.resolve(TableFormat.MANIFEST));
        assertEquals(List.of(1L, 3L), numbers(FOLDER));
    }

    @Test
    void moreRowsThanCanBeCountedAreRefused() throws IOException {
        for (int i = 0; i < 3; i++) {
            byte[] file = Tables.file(2, Tables.header("'|V0'", "(9223372036854775807,)"), new byte[0]);
            disk.put(FOLDER.resolve("rows-0000" + i + ".npy"), file);
        }
        assertThrows(DatasetException.class, () -> Tables.open(disk, FOLDER, Access.MMAP));
    }

    /// Rows are found in shards of very different sizes, empty ones among them.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 40, 300})
    void rowsAreFoundInUnevenShards(int shardCount) throws IOException {
        Random random = Seeds.random();
        int total = 0;
        for (int i = 0; i < shardCount; i++) {
            int rows = random.nextInt(4) == 0 ? 0 : random.nextInt(10) == 0 ? random.nextInt(5000) : random.nextInt(5);
            byte[] bytes = new byte[4 * rows];
            for (int row = 0; row < rows; row++) {
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(4 * row, total + row);
            }
            disk.put(
                    FOLDER.resolve(new ShardName("rows-", i, 5).file()),
                    Tables.file(RowType.of(DType.parse("<i4")), bytes));
            total += rows;
        }
        for (Access access : Access.values()) {
            try (TableReader table = Tables.open(disk, FOLDER, access);
                    Batch batch = Batch.create(table.fields())) {
                assertEquals(total, table.count());
                long[] indices =
                        total == 0 ? new long[0] : random.longs(2000, 0, total).toArray();
                table.gather(indices, batch);
                int[] values = batch.column(0).values().toArray(ValueLayout.JAVA_INT_UNALIGNED);
                assertArrayEquals(
                        LongStream.of(indices).mapToInt(index -> (int) index).toArray(), values);
            }
        }
    }
}
