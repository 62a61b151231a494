// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.file.Access;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.Storage;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// With the first check, no call returns a row of a shard whose bytes differ from the manifest.
class TableFirstCheckTest {
    private static final int ROW_COUNT = 9;
    private static final int SHARD_ROWS = 4;
    /// A row of the damaged shard, and one of each sound shard.
    private static final int DAMAGED_ROW = 5;
    private static final long[] SOUND_ROWS = {1, 8};

    private static final int ARCHIVE_END_BYTES = 22;

    private static final Path SHARD = Tables.FOLDER.resolve("rows-00001.npy");

    private final byte[] rows = Tables.rows(Tables.RECORD, ROW_COUNT, new Random(1));
    private MemoryDisk sound;
    private MemoryDisk damaged;

    @BeforeEach
    void damageAShard() throws IOException {
        sound = Tables.folder(Tables.RECORD, rows, SHARD_ROWS);
        damaged = sound.copy();
        byte[] bytes = damaged.bytes(SHARD);
        // A bit of the last row, while the tests read an earlier row of the shard.
        bytes[bytes.length - 1] ^= 4;
        damaged.put(SHARD, bytes);
    }

    /// A call that reads one row.
    @FunctionalInterface
    private interface Call {
        void read(TableReader table, long row) throws IOException;
    }

    private static MemorySegment of(long row) {
        return MemorySegment.ofArray(new long[] {row});
    }

    private static final Map<String, Call> CALLS = Map.of(
            "get", TableReader::get,
            "column", (table, row) -> table.column("move").getLong(row),
            "column bytes", (table, row) -> table.column("board").get(row),
            "gather",
                    (table, row) -> {
                        try (Batch batch = Batch.create(table.fields())) {
                            table.gather(of(row), batch);
                        }
                    },
            "read", (table, row) -> table.read(of(row), MemorySegment.ofArray(new byte[64])),
            "read to a buffer",
                    (table, row) -> {
                        try (Buffer buffer = new Buffer()) {
                            table.read(of(row), buffer);
                        }
                    },
            "read runs", (table, row) -> table.readRanges(of(row), 1, MemorySegment.ofArray(new byte[64])),
            "gather runs",
                    (table, row) -> {
                        List<Field> fields = table.fields().stream()
                                .map(field -> field.inRanges(1))
                                .toList();
                        try (Batch batch = Batch.create(fields)) {
                            assertTrue(table.gatherRanges(of(row), 1, batch));
                        }
                    },
            "subset", (table, row) -> Subset.of(table, new long[] {row}).get(0));

    private static void requireRefused(String call, Call read, TableReader table) throws IOException {
        for (int attempt = 0; attempt < 2; attempt++) {
            DatasetException refused =
                    assertThrows(DatasetException.Corrupt.class, () -> read.read(table, DAMAGED_ROW), call);
            assertEquals(Reason.CHECKSUM, refused.reason());
            assertEquals(SHARD, refused.file().path());
        }
        for (long row : SOUND_ROWS) {
            read.read(table, row);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyCallRefusesADamagedShardAndReadsTheOthers(Access access) throws IOException {
        TableReader.Options options = Tables.reading(damaged).withAccess(access).withFirstCheck(true);
        for (Map.Entry<String, Call> call : CALLS.entrySet()) {
            try (TableReader table = TableReader.open(Tables.FOLDER, options)) {
                requireRefused(call.getKey(), call.getValue(), table);
            }
        }
    }

    @Test
    void everyCallRefusesADamagedShardOfARemoteStore() throws IOException {
        TableReader.Options options =
                Tables.reading(damaged).withStorage(Storage.of(damaged)).withFirstCheck(true);
        for (Map.Entry<String, Call> call : CALLS.entrySet()) {
            try (TableReader table = TableReader.open(Tables.FOLDER, options)) {
                requireRefused(call.getKey(), call.getValue(), table);
            }
        }
    }

    @Test
    void aGatherOverSeveralShardsIsRefusedAsAWhole() throws IOException {
        TableReader.Options options = Tables.reading(damaged).withThreads(3).withFirstCheck(true);
        try (TableReader table = TableReader.open(Tables.FOLDER, options);
                Batch batch = Batch.create(table.fields())) {
            assertThrows(DatasetException.Corrupt.class, () -> table.gather(new long[] {8, 1, DAMAGED_ROW}, batch));
            assertEquals(0, batch.rowCount());
            assertThrows(DatasetException.Corrupt.class, () -> Tables.rows(table));
            assertThrows(IndexOutOfBoundsException.class, () -> table.gather(new long[] {1, ROW_COUNT}, batch));
            assertFalse(table.verify(Progress.NONE).isOk(), "verify lists the damage");
            assertEquals(List.of(), table.arrayFiles(), "nobody maps the files past the check");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSoundTableIsReadAsItIs(Access access) throws IOException {
        TableReader.Options options = Tables.reading(sound).withAccess(access).withFirstCheck(true);
        try (TableReader table = TableReader.open(Tables.FOLDER, options)) {
            assertArrayEquals(rows, Tables.rows(table));
            assertArrayEquals(rows, Tables.rows(table));
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutTheFirstCheckTheChangedBitIsReadAndVerifyFindsIt(Access access) throws IOException {
        try (TableReader table = Tables.open(damaged, Tables.FOLDER, access)) {
            byte[] read = Tables.rows(table);
            assertEquals(1, differences(read));
            assertEquals(1, table.verify(Progress.NONE).errorCount());
        }
    }

    private long differences(byte[] read) {
        int count = 0;
        for (int i = 0; i < read.length; i++) {
            count += read[i] == rows[i] ? 0 : 1;
        }
        return count;
    }

    @Test
    void aTableWithoutChecksumsIsRefused() throws IOException {
        MemoryDisk file = Tables.disk().put(Tables.FILE, Tables.file(Tables.RECORD, rows));
        MemoryDisk folder = sound.copy();
        folder.delete(Tables.FOLDER.resolve(TableFormat.MANIFEST));
        for (Map.Entry<Path, MemoryDisk> one :
                List.of(Map.entry(Tables.FILE, file), Map.entry(Tables.FOLDER, folder))) {
            TableReader.Options options = Tables.reading(one.getValue()).withFirstCheck(true);
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> TableReader.open(one.getKey(), options));
            assertTrue(refused.getMessage().contains("has no checksum"), refused.getMessage());
        }
    }

    /// Lets the reads of the second shard wait or fail.
    private static final class Gate extends ForwardingDisk {
        private final AtomicInteger failures = new AtomicInteger();
        private final AtomicInteger checks = new AtomicInteger();
        private volatile CountDownLatch isReading = new CountDownLatch(1);
        private volatile CountDownLatch mayRead = new CountDownLatch(0);

        Gate(MemoryDisk disk) {
            super(disk);
        }

        @Override
        public Readable open(Path file) throws IOException {
            Readable open = disk.open(file);
            return file.equals(SHARD) ? new Waiting(open) : open;
        }

        private final class Waiting implements Readable {
            private final Readable readable;

            Waiting(Readable readable) {
                this.readable = readable;
            }

            @Override
            public long size() throws IOException {
                return readable.size();
            }

            @Override
            public long read(long offset, MemorySegment target) throws IOException {
                if (offset == 0 && target.byteSize() == readable.size()) {
                    checks.incrementAndGet();
                    isReading.countDown();
                    await();
                    if (failures.getAndDecrement() > 0) {
                        throw new IOException("Input/output error");
                    }
                }
                return readable.read(offset, target);
            }

            private void await() throws IOException {
                try {
                    mayRead.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }

            @Override
            public void close() throws IOException {
                readable.close();
            }
        }
    }

    /// Whether a row could be read: null, or the error.
    private static Throwable outcome(TableReader table) {
        try {
            table.get(DAMAGED_ROW);
            return null;
        } catch (IOException | RuntimeException e) {
            return e;
        }
    }

    private void readByTwoThreads(MemoryDisk disk, boolean isDamaged) throws Exception {
        Gate gate = new Gate(disk);
        try (TableReader table = TableReader.open(
                Tables.FOLDER, Tables.reading(gate).withAccess(Access.READ).withFirstCheck(true))) {
            gate.checks.set(0);
            gate.isReading = new CountDownLatch(1);
            gate.mayRead = new CountDownLatch(1);
            List<Throwable> outcomes = new ArrayList<>();
            CompletableFuture<Throwable> first =
                    CompletableFuture.supplyAsync(() -> outcome(table), Thread::startVirtualThread);
            gate.isReading.await();
            AtomicReference<Throwable> second = new AtomicReference<>(new AssertionError("not run"));
            Thread waiting = Thread.ofPlatform().start(() -> second.set(outcome(table)));
            while (waiting.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            gate.mayRead.countDown();
            waiting.join();
            outcomes.add(first.get());
            outcomes.add(second.get());
            for (Throwable outcome : outcomes) {
                assertEquals(isDamaged, outcome instanceof DatasetException.Corrupt, () -> "outcome: " + outcome);
                assertTrue(isDamaged || outcome == null, () -> "outcome: " + outcome);
            }
            assertEquals(1, gate.checks.get(), "the shard is checked once");
        }
    }

    @Test
    void ofTwoThreadsThatReadAShardFirstOneChecksAndBothKnow() throws Exception {
        readByTwoThreads(sound, false);
        readByTwoThreads(damaged, true);
    }

    @Test
    void aCheckThatCouldNotReadTheShardIsRepeated() throws IOException {
        Gate gate = new Gate(damaged);
        try (TableReader table = TableReader.open(
                Tables.FOLDER, Tables.reading(gate).withAccess(Access.READ).withFirstCheck(true))) {
            gate.checks.set(0);
            gate.failures.set(2);
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThrows(IOException.class, () -> table.get(DAMAGED_ROW));
            }
            assertThrows(DatasetException.Corrupt.class, () -> table.get(DAMAGED_ROW));
            assertThrows(DatasetException.Corrupt.class, () -> table.get(DAMAGED_ROW));
            assertEquals(3, gate.checks.get(), "the result of a complete check is kept");
        }
    }

    @Test
    void anArrayInAnArchiveIsCompared() throws IOException {
        Path file = Tables.HOME.resolve("a.npz");
        byte[] archive =
                new Archives().with("x.npy", Tables.file(Tables.RECORD, rows)).bytes();
        MemoryDisk disk = Tables.disk().put(file, archive);
        TableReader.Options options = Tables.reading(disk).withFirstCheck(true);
        try (TableReader table = TableReader.open(file, options)) {
            assertArrayEquals(rows, Tables.rows(table));
        }
        int directoryBytes = Archives.entry(new Archives.Member("x.npy", rows), 0).length;
        int firstRow = archive.length - ARCHIVE_END_BYTES - directoryBytes - rows.length;
        archive[firstRow] ^= 1;
        disk.put(file, archive);
        try (TableReader table = TableReader.open(file, options)) {
            assertThrows(DatasetException.Corrupt.class, () -> table.get(ROW_COUNT - 1));
        }
    }
}
