// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Seeds;
import dev.penstock.file.Access;
import dev.penstock.file.ChildJava;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Tables beyond 4 GiB, in files with holes, and beyond the memory they may hold.
@ExtendWith(Seeds.class)
@Tag("full")
class TableLargeTest {
    private static final RowType ROW = RowType.of(DType.parse("[('id', '<i8'), ('rest', '|V24')]"));
    private static final long ROW_SIZE = 32;
    private static final long HUGE_ROWS = 1_250_000_000;

    @TempDir
    Path folder;

    @BeforeEach
    void requireHoles() throws IOException {
        FileStore store = Files.getFileStore(folder);
        if (!store.type().matches("ext[234]|xfs|btrfs|tmpfs|overlay")) {
            Assumptions.abort("needs a file system with holes, not " + store.type());
        }
    }

    /// A file of zeros in which some rows say where they are, counted from a first one.
    private static void writeSparse(Path file, long rowCount, long firstId, long[] marked) throws IOException {
        byte[] header = TableHeader.write(ROW, rowCount);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(header), 0);
            for (long row : marked) {
                ByteBuffer id =
                        ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, firstId + row);
                channel.write(id, header.length + row * ROW_SIZE);
            }
            if (rowCount > 0) {
                channel.write(ByteBuffer.allocate(1), header.length + rowCount * ROW_SIZE - 1);
            }
        }
    }

    private static long[] marked(long rowCount, int count) {
        long[] rows = Seeds.random().longs(count, 0, rowCount).toArray();
        rows[0] = 0;
        rows[1] = rowCount - 1;
        rows[2] = (1L << 32) / ROW_SIZE;
        rows[3] = Math.min(rowCount - 1, Integer.MAX_VALUE / ROW_SIZE + 1);
        return rows;
    }

    private static void requireRows(TableReader table, long[] rows) throws IOException {
        try (Batch batch = Batch.create(table.fields());
                Arena arena = Arena.ofConfined()) {
            table.gather(rows, batch);
            MemorySegment raw = arena.allocate(rows.length * ROW_SIZE);
            table.read(MemorySegment.ofArray(rows), raw);
            for (int i = 0; i < rows.length; i++) {
                assertEquals(rows[i], batch.column(0).value(i).get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
                assertEquals(rows[i], raw.get(ValueLayout.JAVA_LONG_UNALIGNED, i * ROW_SIZE));
                assertEquals(rows[i], table.column("id").getLong(rows[i]));
                assertEquals(rows[i], table.get(rows[i]).value(0).get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
            }
            assertThrows(IndexOutOfBoundsException.class, () -> table.get(table.count()));
            assertEquals(32, table.fingerprint().length());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBillionRowsAreReadLikeOthers(Access access) throws IOException {
        Path file = folder.resolve("large.npy");
        long[] rows = marked(HUGE_ROWS, 300);
        writeSparse(file, HUGE_ROWS, 0, rows);
        assertEquals(40_000_000_000L, Files.size(file) - TableHeader.write(ROW, HUGE_ROWS).length);
        for (long memoryBytes : new long[] {ReaderOptions.AUTOMATIC, 1 << 20, 0}) {
            TableReader.Options options =
                    TableReader.Options.DEFAULT.withAccess(access).withMemoryBytes(memoryBytes);
            try (TableReader table = TableReader.open(file, options)) {
                assertEquals(HUGE_ROWS, table.count());
                requireRows(table, rows);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shardsOfMoreThanFourGiBInAllAreOneTable(Access access) throws IOException {
        long[] counts = {0, 1, 100_000_000, 0, 7, 300_000_000, 0, 0, 150_000_000, 2, 0};
        long total = 0;
        for (int i = 0; i < counts.length; i++) {
            long[] ends = counts[i] == 0 ? new long[0] : new long[] {0, counts[i] / 2, counts[i] - 1};
            writeSparse(folder.resolve(new ShardName("rows-", i, 5).file()), counts[i], total, ends);
            total += counts[i];
        }
        try (TableReader table = TableReader.open(folder, TableReader.Options.DEFAULT.withAccess(access))) {
            assertEquals(total, table.count());
            assertTrue(table.bytes() > 1L << 34);
            long start = 0;
            for (long count : counts) {
                if (count > 0) {
                    requireRows(table, new long[] {start, start + count / 2, start + count - 1});
                }
                start += count;
            }
        }
    }

    /// A program of its own reads a file at random that is not in the system's cache and larger than it may
    /// hold. Of a file in the cache the system maps what lies beside a page too, up to two megabytes with each.
    @Test
    void aTableLargerThanItsMemoryHoldsLittleMore() throws Exception {
        Path file = folder.resolve("large.npy");
        writeSparse(file, 250_000_000, 0, new long[0]);
        long bounded = heldBytes(file, 16 << 20);
        assertTrue(bounded < 40L << 20, "held " + bounded);
        long free = heldBytes(file, 4L << 30);
        assertTrue(free > 200L << 20, "the measure sees what is held: " + free);
    }

    private long heldBytes(Path file, long memoryBytes) throws Exception {
        List<String> command = ChildJava.command(folder, BoundedTable.class, file, memoryBytes, 100);
        ChildJava.Result result = ChildJava.run(folder, command);
        assertEquals(0, result.exitCode(), result::output);
        return Long.parseLong(result.output().strip().replaceAll("(?s).* ", ""));
    }
}
