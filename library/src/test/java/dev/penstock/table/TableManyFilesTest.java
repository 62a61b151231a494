// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Seeds;
import dev.penstock.file.Access;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.Location;
import dev.penstock.file.MappingLimit;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A table of more files than may be mapped at once is opened and read like any other.
@ExtendWith(Seeds.class)
class TableManyFilesTest {
    private static final int FILE_COUNT = 10_000;
    private static final int ROWS_PER_FILE = 3;
    private static final int ROW_COUNT = FILE_COUNT * ROWS_PER_FILE;

    /// The number of mappings that no table may exceed, whatever its number of files.
    private static final int MAPPED_MAX = 512;

    private static final RowType TYPE = RowType.of(DType.parse("<i8"));
    private static final MemoryDisk MANY = manyFiles();

    private final Random random = Seeds.random();

    /// Row `i` holds the number `i * i`.
    private static MemoryDisk manyFiles() {
        MemoryDisk disk = Tables.disk().addFolder(Tables.FOLDER);
        for (int file = 0; file < FILE_COUNT; file++) {
            ByteBuffer rows = ByteBuffer.allocate(8 * ROWS_PER_FILE).order(ByteOrder.LITTLE_ENDIAN);
            for (long row = 0; row < ROWS_PER_FILE; row++) {
                long index = (long) file * ROWS_PER_FILE + row;
                rows.putLong(index * index);
            }
            String header = Tables.header("'<i8'", "(" + ROWS_PER_FILE + ",)");
            disk.put(
                    Tables.FOLDER.resolve(new ShardName("rows-", file, 5).file()),
                    Tables.file(1, header, rows.array()));
        }
        return disk;
    }

    /// Notes the largest number of files that are mapped at once.
    private static final class CountingDisk extends ForwardingDisk {
        private final int liveBefore = MappingLimit.live();
        private int liveMax;

        CountingDisk(MemoryDisk disk) {
            super(disk);
        }

        @Override
        public synchronized MemorySegment map(Path file, Arena arena) throws IOException {
            liveMax = Math.max(liveMax, MappingLimit.live() - liveBefore);
            return super.map(file, arena);
        }
    }

    @Test
    void allRowsAreReadWithABoundedNumberOfMappings() throws IOException {
        CountingDisk disk = new CountingDisk(MANY);
        try (TableReader table = Tables.open(disk, Tables.FOLDER, Access.MMAP);
                Batch batch = Batch.create(table.fields())) {
            assertEquals(ROW_COUNT, table.count());
            requireSquares(table, batch, random.longs(1000, 0, ROW_COUNT).toArray());
            requireSquares(table, batch, neighbours(random.nextInt(ROW_COUNT - 2000)));
            long row = random.nextInt(ROW_COUNT);
            MemorySegment value = table.get(row).value(0);
            assertEquals(row * row, value.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
            assertEquals(row * row, table.column(RowType.VALUE).getLong(row));
            assertTrue(disk.liveMax > 0 && disk.liveMax <= MAPPED_MAX, disk.liveMax + " files were mapped at once");
        }
        assertEquals(disk.liveBefore, MappingLimit.live());
    }

    private static long[] neighbours(int first) {
        long[] indices = new long[2000];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = first + i;
        }
        return indices;
    }

    private static void requireSquares(TableReader table, Batch batch, long[] indices) throws IOException {
        table.gather(indices, batch);
        assertEquals(indices.length, batch.rowCount());
        long[] expected = new long[indices.length];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = indices[i] * indices[i];
        }
        assertArrayEquals(expected, batch.column(0).values().toArray(ValueLayout.JAVA_LONG_UNALIGNED));
    }

    @Test
    void verifyAndFingerprintAreThoseOfFewFiles() throws IOException {
        byte[] rows = new byte[8 * ROW_COUNT];
        String fingerprint;
        try (TableReader table = Tables.open(MANY, Tables.FOLDER, Access.MMAP)) {
            assertTrue(table.verify(Progress.NONE).isOk());
            fingerprint = table.fingerprint();
            rows = Tables.rows(table);
        }
        MemoryDisk single = Tables.disk().put(Tables.FILE, Tables.file(TYPE, rows));
        try (TableReader table = Tables.open(single, Tables.FILE, Access.MMAP)) {
            assertEquals(fingerprint, table.fingerprint());
        }
    }

    @Test
    void aFileThatIsShortenedWhileItIsNotMappedIsNoticed() throws IOException {
        MemoryDisk disk = MANY.copy();
        try (TableReader table = Tables.open(disk, Tables.FOLDER, Access.MMAP);
                Batch batch = Batch.create(table.fields())) {
            Path first = table.arrayFiles().getFirst().path();
            disk.put(first, new byte[80]);
            DatasetException.Corrupt refusal =
                    assertThrows(DatasetException.Corrupt.class, () -> table.gather(new long[] {2}, batch));
            assertEquals(Location.of(first), refusal.file());
            assertEquals(Reason.TRUNCATED, refusal.reason());
        }
    }

    @Test
    void rowsAreAppendedToManyFiles() throws IOException {
        MemoryDisk disk = MANY.copy();
        byte[] row = {1, 0, 0, 0, 0, 0, 0, 0};
        Tables.extend(Tables.FOLDER, Tables.writing(disk), row);
        try (TableReader table = Tables.open(disk, Tables.FOLDER, Access.MMAP)) {
            assertEquals(ROW_COUNT + 1, table.count());
            assertEquals(1, table.column(RowType.VALUE).getLong(ROW_COUNT));
        }
    }
}
