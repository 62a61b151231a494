// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.FileInUseException;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.PublishMode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// Several writers make one table, which appears in one step.
@SuppressWarnings("try")
class TableCommitTest {
    private static final RowType LONGS = RowType.of(List.of(Field.fixed("n", ElementType.I64)));

    private final Disk disk = new MemoryDisk().put(Path.of("/disk/other"), new byte[1]);
    private final Path folder = Path.of("/disk/table");

    private TableCommit begin(String job, PublishMode mode) throws IOException {
        return TableCommit.begin(folder, LONGS, job, mode, Map.of("job", job), disk);
    }

    private TableShard shard(String job, long task, long attempt, long... values) throws IOException {
        Path file = folder.resolve(TableCommit.shardName(job, task, attempt, 0));
        try (TableShardWriter writer = TableShardWriter.create(file, LONGS, disk)) {
            writer.append(MemorySegment.ofArray(values));
            assertEquals(values.length, writer.rowCount());
            return writer.finish();
        }
    }

    private void write(String job, PublishMode mode, long... values) throws IOException {
        try (TableCommit commit = begin(job, mode)) {
            commit.commit(List.of(shard(job, 0, 0, values)));
        }
    }

    private long[] read() throws IOException {
        try (TableReader table = TableReader.open(folder, TableReader.Options.DEFAULT.withDisk(disk));
                Batch batch = Batch.create(table.fields())) {
            assertTrue(table.verify(Progress.NONE).problems().isEmpty());
            table.gather(LongStream.range(0, table.count()).toArray(), batch);
            return batch.column(0).values().toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        }
    }

    @Test
    void shardsAppearInTheOrderOfTheList() throws IOException {
        try (TableCommit commit = begin("a1", PublishMode.CREATE)) {
            TableShard second = shard("a1", 1, 0, 3, 4);
            TableShard first = shard("a1", 0, 0, 1, 2);
            commit.commit(List.of(first, second));
        }
        assertArrayEquals(new long[] {1, 2, 3, 4}, read());
    }

    @Test
    void nothingIsReadBeforeTheCommit() throws IOException {
        try (TableCommit commit = begin("a1", PublishMode.CREATE)) {
            shard("a1", 0, 0, 1);
            assertThrows(DatasetException.WrongFormat.class, this::read);
        }
        // The job has ended without a commit, so that the name is free.
        assertFalse(disk.list(folder).stream().anyMatch(file -> file.toString().endsWith(".npy")));
        write("a2", PublishMode.CREATE, 7);
        assertArrayEquals(new long[] {7}, read());
    }

    @Test
    void anAppendKeepsTheRowsAndAReplacementRemovesThem() throws IOException {
        write("a1", PublishMode.APPEND, 1, 2);
        write("a2", PublishMode.APPEND, 3);
        assertArrayEquals(new long[] {1, 2, 3}, read());
        write("a3", PublishMode.REPLACE, 9);
        assertArrayEquals(new long[] {9}, read());
        assertEquals(
                List.of(TableCommit.shardName("a3", 0, 0, 0), "manifest.json"),
                disk.list(folder).stream()
                        .map(file -> file.getFileName().toString())
                        .sorted(Comparator.reverseOrder())
                        .toList());
    }

    @Test
    void anExistingTableIsNotReplacedByCreate() throws IOException {
        write("a1", PublishMode.CREATE, 1);
        assertThrows(FileAlreadyExistsException.class, () -> begin("a2", PublishMode.CREATE));
        assertArrayEquals(new long[] {1}, read());
    }

    @Test
    void shardsOfOtherAttemptsAreRemoved() throws IOException {
        try (TableCommit commit = begin("a1", PublishMode.CREATE)) {
            shard("a1", 0, 0, 1, 2, 3);
            commit.commit(List.of(shard("a1", 0, 1, 1, 2, 3)));
        }
        assertArrayEquals(new long[] {1, 2, 3}, read());
        assertFalse(disk.exists(folder.resolve(TableCommit.shardName("a1", 0, 0, 0))));
    }

    @Test
    void shardsOfAKilledJobAreRemovedByTheNext() throws IOException {
        write("a1", PublishMode.CREATE, 1);
        shard("bb", 0, 0, 5);
        assertArrayEquals(new long[] {1}, read());
        write("a2", PublishMode.APPEND, 2);
        assertFalse(disk.exists(folder.resolve(TableCommit.shardName("bb", 0, 0, 0))));
        assertArrayEquals(new long[] {1, 2}, read());
    }

    @Test
    void rowsOfAnotherTypeAreNotAppended() throws IOException {
        write("a1", PublishMode.CREATE, 1);
        RowType ints = RowType.of(List.of(Field.fixed("n", ElementType.I32)));
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> TableCommit.begin(folder, ints, "a2", PublishMode.APPEND, Map.of(), disk));
        assertTrue(e.getMessage().contains("<i4"), e.getMessage());
        write("a3", PublishMode.APPEND, 2);
        assertArrayEquals(new long[] {1, 2}, read());
    }

    @Test
    void aMissingShardStopsTheCommit() throws IOException {
        write("a1", PublishMode.CREATE, 1);
        try (TableCommit commit = begin("a2", PublishMode.REPLACE)) {
            TableShard shard = shard("a2", 0, 0, 2);
            disk.delete(folder.resolve(shard.name()));
            IOException e = assertThrows(IOException.class, () -> commit.commit(List.of(shard)));
            assertTrue(e.getMessage().contains("same file system"), e.getMessage());
        }
        assertArrayEquals(new long[] {1}, read());
    }

    @Test
    void noRowsMakeAnEmptyTable() throws IOException {
        try (TableCommit commit = begin("a1", PublishMode.CREATE)) {
            commit.commit(List.of());
        }
        assertArrayEquals(new long[] {}, read());
    }

    @Test
    void twoJobsCannotWriteOneTable() throws IOException {
        try (TableCommit commit = begin("a1", PublishMode.CREATE)) {
            assertThrows(FileInUseException.class, () -> begin("a2", PublishMode.APPEND));
            commit.commit(List.of(shard("a1", 0, 0, 1)));
        }
    }

    @Test
    void aTableWriterContinuesAfterACommit() throws IOException {
        write("a1", PublishMode.CREATE, 1);
        try (TableWriter writer = TableWriter.extend(folder, TableWriter.Options.DEFAULT.withDisk(disk))) {
            writer.append(MemorySegment.ofArray(new long[] {2}));
        }
        assertArrayEquals(new long[] {1, 2}, read());
        write("a2", PublishMode.APPEND, 3);
        assertArrayEquals(new long[] {1, 2, 3}, read());
    }
}
