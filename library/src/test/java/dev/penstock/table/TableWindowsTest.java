// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.StoredRows;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Access;
import dev.penstock.file.MemoryDisk;
import dev.penstock.view.Subset;
import dev.penstock.view.Windows;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Windows of the rows of a table are the rows, wherever files end; files without a header are tables.
class TableWindowsTest {
    @TempDir
    Path folder;

    @Test
    void windowsOfAnyTableAreItsRows() throws IOException {
        Random random = new Random(20);
        for (String type : List.of("<u2", ">u2", "[('a', '<u4'), ('b', '>i2', (2,)), ('c', '|S3')]", "|u1")) {
            RowType rowType = RowType.of(DType.parse(type));
            byte[] bytes = Tables.rows(rowType, 100, random);
            for (int shardRows : new int[] {0, 7, 33}) {
                MemoryDisk disk = Tables.disk();
                Path path = shardRows == 0 ? Tables.FILE : Tables.FOLDER;
                TableWriter.Options options = Tables.writing(disk);
                Tables.write(path, rowType, shardRows == 0 ? options : options.withShardRows(shardRows), bytes);
                for (Access access : Access.values()) {
                    try (TableReader table = Tables.open(disk, path, access)) {
                        compare(table, 1, 1, random);
                        compare(table, 10, 3, random);
                        compare(table, 64, 1, random);
                        compare(table, 100, 5, random);
                    }
                }
            }
        }
    }

    /// Compares windows with rows that are gathered one by one, as columns and as they are stored.
    private static void compare(TableReader table, long length, long stride, Random random) throws IOException {
        try (Windows windows = Windows.of(table, length, stride);
                Batch batch = Batch.create(windows.fields());
                Batch rows = Batch.create(table.fields());
                Arena arena = Arena.ofConfined()) {
            assertEquals((100 - length) / stride + 1, windows.count());
            long[] wanted = random.longs(40, 0, windows.count()).toArray();
            long[] wantedRows = Arrays.stream(wanted)
                    .flatMap(window -> LongStream.range(window * stride, window * stride + length))
                    .toArray();
            table.gather(wantedRows, rows);
            windows.gather(wanted, batch);
            assertEquals(wanted.length, batch.rowCount());
            for (Column column : batch.columns()) {
                assertEquals(length, column.field().shape().getFirst());
                assertEquals(
                        -1,
                        column.values()
                                .mismatch(rows.column(column.field().name()).values()));
            }
            StoredRows stored = assertInstanceOf(StoredRows.class, windows);
            MemorySegment own = arena.allocate(wanted.length * stored.rowSize());
            stored.read(MemorySegment.ofArray(wanted), own);
            MemorySegment expected = arena.allocate(wantedRows.length * table.rowSize());
            table.read(MemorySegment.ofArray(wantedRows), expected);
            assertEquals(-1, own.mismatch(expected));
            assertEquals(
                    -1,
                    batch.column(0)
                            .value(3)
                            .mismatch(windows.get(wanted[3]).values().getFirst()));
        }
    }

    @Test
    void windowsOfAViewAreItsRecords() throws IOException {
        MemoryDisk disk = Tables.disk();
        Tables.write(Tables.FILE, RowType.of(DType.parse("|u1")), Tables.writing(disk), new byte[] {5, 6, 7, 8, 9});
        try (TableReader table = Tables.open(disk, Tables.FILE, Access.MMAP);
                Subset backwards = Subset.of(table, new long[] {4, 3, 2, 1, 0});
                Windows windows = Windows.of(backwards, 3, 2);
                Batch batch = Batch.create(windows.fields())) {
            windows.gather(new long[] {1, 0}, batch);
            assertArrayEquals(
                    new byte[] {7, 6, 5, 9, 8, 7}, batch.column(0).values().toArray(ValueLayout.JAVA_BYTE));
            assertFalse(windows instanceof StoredRows);
            assertThrows(IndexOutOfBoundsException.class, () -> windows.gather(new long[] {2}, batch));
            assertEquals(0, batch.rowCount());
        }
    }

    @Test
    void impossibleWindowsAreRefused() throws IOException {
        MemoryDisk disk = Tables.disk();
        Tables.write(Tables.FILE, Tables.PLAIN, Tables.writing(disk), new byte[40]);
        try (TableReader table = Tables.open(disk, Tables.FILE, Access.MMAP)) {
            assertThrows(IllegalArgumentException.class, () -> Windows.of(table, 0, 1));
            assertThrows(IllegalArgumentException.class, () -> Windows.of(table, 1, 0));
            assertThrows(IllegalArgumentException.class, () -> Windows.of(table, Long.MAX_VALUE, 1));
            assertEquals(0, Windows.of(table, 11, 1).count());
            assertEquals(1, Windows.of(table, 10, 1).count());
            Windows closed = Windows.of(table, 2, 1);
            String fingerprint = closed.fingerprint();
            assertFalse(fingerprint.equals(Windows.of(table, 2, 2).fingerprint()));
            closed.close();
            assertThrows(IllegalStateException.class, () -> closed.get(0));
            assertEquals(10, table.count());
        }
    }

    @Test
    void aFileWithoutAHeaderOpensWithAType() throws IOException {
        Path file = Files.write(folder.resolve("train.bin"), new byte[] {1, 0, 2, 1, 3, 0});
        Catalog.Options options = Catalog.Options.DEFAULT.withRawType(RowType.of(DType.parse("<u2")));
        try (Dataset dataset = Catalog.open(file, options);
                Batch batch = Batch.create(dataset.fields())) {
            assertEquals(3, dataset.count());
            dataset.gather(new long[] {1, 0}, batch);
            assertArrayEquals(new byte[] {2, 1, 1, 0}, batch.column(0).values().toArray(ValueLayout.JAVA_BYTE));
            assertEquals(true, dataset.facts().get("raw"));
            assertTrue(dataset.verify(Progress.NONE).isOk());
        }
        assertTrue(Catalog.verify(file, options, Progress.NONE).isOk());
        try (Dataset dataset = Catalog.open(Files.write(folder.resolve("empty.bin"), new byte[0]), options)) {
            assertEquals(0, dataset.count());
        }
    }

    @Test
    void aFileThatDoesNotFitItsTypeIsRefused() throws IOException {
        Path file = Files.write(folder.resolve("odd.bin"), new byte[7]);
        Catalog.Options options = Catalog.Options.DEFAULT.withRawType(RowType.of(DType.parse("<u2")));
        DatasetException odd = assertThrows(DatasetException.class, () -> Catalog.open(file, options));
        assertEquals(Reason.TRUNCATED, odd.reason());
        assertEquals(6, odd.offset());
        assertTrue(odd.getMessage().contains("7 bytes, which is not a multiple of the 2 bytes"), odd.getMessage());
        assertFalse(Catalog.verify(file, options, Progress.NONE).isOk());
        Path table = folder.resolve("table.npy");
        Tables.write(table, Tables.PLAIN, TableWriter.Options.DEFAULT, new byte[8]);
        assertThrows(IllegalArgumentException.class, () -> Catalog.open(table, options));
        assertThrows(IllegalArgumentException.class, () -> Catalog.open(folder, options));
        assertThrows(NoSuchFileException.class, () -> Catalog.open(folder.resolve("none"), options));
        Catalog.Options nothing = Catalog.Options.DEFAULT.withRawType(RowType.of(DType.parse("|S0")));
        assertThrows(IllegalArgumentException.class, () -> Catalog.open(file, nothing));
    }
}
