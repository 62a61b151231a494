// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.OpenResources;
import dev.penstock.Progress;
import dev.penstock.file.Access;
import dev.penstock.file.MappingLimit;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Whatever is done to tables, nothing of them stays open or mapped, and no memory is used that is not ours.
@Tag("full")
class TableLeakTest {
    private static final int ROUNDS = 200;

    @TempDir
    Path folder;

    private int mappedBefore;

    @BeforeEach
    void count() {
        mappedBefore = MappingLimit.live();
    }

    private void requireNothingLeft() throws IOException {
        assertEquals(List.of(), OpenResources.under(folder));
        assertEquals(mappedBefore, MappingLimit.live());
    }

    private Path table(String name, int shardRows) throws IOException {
        Path path = folder.resolve(name);
        byte[] rows = Tables.rows(Tables.RECORD, 20, new Random(1));
        Tables.write(path, Tables.RECORD, TableWriter.Options.DEFAULT.withShardRows(shardRows), rows);
        return path;
    }

    @ParameterizedTest
    @EnumSource
    void readersThatAreClosedLeaveNothing(Access access) throws IOException {
        Path path = table("table", 3);
        for (int round = 0; round < ROUNDS; round++) {
            TableReader.Options options = TableReader.Options.DEFAULT.withAccess(access);
            try (TableReader table = TableReader.open(path, options);
                    Batch batch = Batch.create(table.fields())) {
                table.gather(new long[] {1, 19, 0}, batch);
                table.get(7);
                table.column("q.x").getLong(3);
                table.verify(Progress.NONE);
            }
        }
        requireNothingLeft();
    }

    @ParameterizedTest
    @EnumSource
    void foldersOfWhichOneShardIsBadLeaveNothing(Access access) throws IOException {
        Path path = table("table", 3);
        Path bad = path.resolve("rows-00004.npy");
        byte[] whole = Files.readAllBytes(bad);
        TableReader.Options options = TableReader.Options.DEFAULT.withAccess(access);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] cut = Arrays.copyOf(whole, round % whole.length);
            Files.write(bad, cut);
            assertThrows(DatasetException.class, () -> TableReader.open(path, options));
        }
        Files.delete(bad);
        assertThrows(DatasetException.class, () -> TableReader.open(path, options));
        Files.createDirectory(bad);
        assertThrows(IOException.class, () -> TableReader.open(path, options));
        assertThrows(IOException.class, () -> TableReader.open(folder.resolve("absent"), options));
        requireNothingLeft();
    }

    @Test
    void writersThatAreAbortedOrRefusedLeaveNothing() throws IOException {
        Path path = table("table", 3);
        for (int round = 0; round < ROUNDS; round++) {
            TableWriter.create(folder.resolve("new.npy"), Tables.RECORD, TableWriter.Options.DEFAULT)
                    .abort();
            TableWriter.extend(path, TableWriter.Options.DEFAULT).abort();
            assertThrows(IOException.class, () -> TableWriter.create(path, Tables.RECORD, TableWriter.Options.DEFAULT));
        }
        requireNothingLeft();
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(path), files.toList());
        }
    }

    /// Rows are copied to addresses, so memory that is closed, or another thread's, has to be refused before.
    @Test
    void memoryThatIsNotToBeUsedIsRefused() throws Exception {
        Path path = table("table.npy", 100);
        try (TableReader table = TableReader.open(path)) {
            MemorySegment indices = MemorySegment.ofArray(new long[] {1, 2, 3});
            Arena closed = Arena.ofConfined();
            MemorySegment freed = closed.allocate(4096);
            closed.close();
            assertThrows(IllegalStateException.class, () -> table.read(indices, freed));
            try (Arena confined = Arena.ofConfined()) {
                MemorySegment ours = confined.allocate(4096);
                AtomicReference<Throwable> thrown = new AtomicReference<>();
                Thread other = Thread.ofPlatform().start(() -> {
                    try {
                        table.read(indices, ours);
                    } catch (Throwable e) {
                        thrown.set(e);
                    }
                });
                other.join();
                assertEquals(WrongThreadException.class, thrown.get().getClass());
                table.read(indices, ours);
                assertThrows(IllegalArgumentException.class, () -> table.read(indices, ours.asReadOnly()));
                assertThrows(IllegalArgumentException.class, () -> table.read(indices, ours.asSlice(0, 10)));
            }
            Batch batch = Batch.create(table.fields());
            batch.close();
            assertThrows(IllegalStateException.class, () -> table.gather(indices, batch));
        }
    }
}
