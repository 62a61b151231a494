// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.PlantedBug;
import dev.penstock.Progress;
import dev.penstock.Waiting;
import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Several threads write values at the same time, each to a chunk of its own; rows have an index once they are
/// placed, failures reach the caller, and closing ends in time.
@Timeout(600)
class StoreWritersTest {
    private static final int LARGE = 2 << 20;

    private final MemoryDisk memory = new MemoryDisk().addFolder(StoreModel.FOLDER);
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private volatile boolean isDiskFull;
    private volatile CountDownLatch writeGate = new CountDownLatch(0);
    private volatile CountDownLatch forceGate = new CountDownLatch(0);
    private volatile CountDownLatch forcing = new CountDownLatch(0);
    private final CountDownLatch writing = new CountDownLatch(2);
    private final Set<Thread> chunkWriters =
            Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    /// Its chunks can be full, and can let writes and forces wait.
    private final Disk disk = new ForwardingDisk(memory) {
        @Override
        public Writable create(Path file) throws IOException {
            return wrap(file, super.create(file));
        }

        @Override
        public Writable openForWriting(Path file) throws IOException {
            return wrap(file, super.openForWriting(file));
        }

        private Writable wrap(Path file, Writable writable) {
            return !file.toString().endsWith(".zr")
                    ? writable
                    : new ForwardingWriter(writable) {
                        @Override
                        public void write(MemorySegment source, long offset) throws IOException {
                            chunkWriters.add(Thread.currentThread());
                            writing.countDown();
                            await(writeGate);
                            if (isDiskFull) {
                                throw new IOException("No space left on device");
                            }
                            super.write(source, offset);
                        }

                        @Override
                        public void force() throws IOException {
                            forcing.countDown();
                            await(forceGate);
                            super.force();
                        }
                    };
        }

        private void await(CountDownLatch gate) throws IOException {
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    };

    @AfterEach
    void openTheGates() {
        writeGate.countDown();
        forceGate.countDown();
        threads.shutdown();
    }

    private StoreWriter create(StoreOptions options) throws IOException {
        List<StoreField> fields =
                List.of(StoreField.bytes("A"), StoreField.bytes("B").withCompression(StoreCompression.ZSTD));
        return StoreWriter.create(StoreModel.STORE, fields, options.withDisk(disk));
    }

    private static StoreOptions writers(int count) {
        return StoreOptions.DEFAULT.withWriters(count);
    }

    private static List<byte[]> row(String a, byte[] b) {
        return List.of(a.getBytes(), b);
    }

    /// Rows `number` to `number + count - 1`, with a value of 4 KiB each.
    private static Batch rows(StoreWriter store, int number, int count) {
        Batch rows = Batch.create(List.of(store.fields().getFirst().column()));
        int size = 4096;
        MemorySegment values = rows.column(0).reserveValues((long) count * size);
        MemorySegment offsets = rows.column(0).reserveOffsets(count);
        for (int i = 0; i <= count; i++) {
            offsets.setAtIndex(dev.penstock.file.Layouts.U64, i, (long) i * size);
            if (i < count) {
                values.asSlice((long) i * size, size).fill((byte) (number + i));
            }
        }
        rows.complete(count);
        return rows;
    }

    private List<Long> chunks() throws IOException {
        return StoreFormat.chunkIds(memory, StoreModel.STORE);
    }

    @Test
    void twoThreadsWriteTwoChunksAtTheSameTime() throws Exception {
        try (StoreWriter store = create(writers(2))) {
            writeGate = new CountDownLatch(1);
            List<Future<Long>> appends = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                appends.add(threads.submit(() -> store.append(List.of(new byte[LARGE], new byte[LARGE]))));
            }
            // Both are writing, and none has an index yet.
            writing.await();
            assertEquals(2, chunks().size());
            assertEquals(0, store.count());
            writeGate.countDown();
            Set<Long> indices = Set.of(appends.get(0).get(), appends.get(1).get());
            assertEquals(Set.of(0L, 1L), indices);
        }
        assertEquals(2, StoreModel.read(memory).size());
    }

    @Test
    void aThirdThreadWaitsForAWriter() throws Exception {
        try (StoreWriter store = create(writers(2))) {
            writeGate = new CountDownLatch(1);
            Set<Thread> appending = ConcurrentHashMap.newKeySet();
            List<Future<Long>> appends = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                appends.add(threads.submit(() -> {
                    appending.add(Thread.currentThread());
                    return store.append(List.of(new byte[LARGE], new byte[LARGE]));
                }));
            }
            writing.await();
            Waiting.until(
                    "the third thread does not wait",
                    () -> appending.size() == 3 && appending.stream().allMatch(Waiting::isWaiting));
            assertEquals(2, chunkWriters.size(), "values of the third thread stay with it");
            writeGate.countDown();
            for (Future<Long> append : appends) {
                append.get();
            }
            assertEquals(3, store.count());
        }
    }

    @Test
    void aLargeBatchIsPlacedBySeveralThreadsInTheOrderOfItsRows() throws Exception {
        int count = 1500;
        try (StoreWriter store = create(writers(2))) {
            // The threads wait for each other, so that both have to write.
            writeGate = writing;
            try (Batch rows = rows(store, 0, count)) {
                assertEquals(0, store.appendAll(rows));
            }
            assertTrue(chunkWriters.size() > 1, chunkWriters + " have written");
            try (Batch rows = rows(store, count, 1)) {
                assertEquals(count, store.appendAll(rows));
            }
        }
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, memory)) {
            for (int i = 0; i <= count; i++) {
                assertEquals((byte) i, reader.get(i).value(0).get(java.lang.foreign.ValueLayout.JAVA_BYTE, 7), "" + i);
            }
        }
    }

    @Test
    void appendsGoOnWhileACommitWaitsForTheDisk() throws Exception {
        try (StoreWriter store = create(writers(1))) {
            store.append(row("one", new byte[0]));
            store.commit();
            store.append(row("two", new byte[0]));
            forceGate = new CountDownLatch(1);
            forcing = new CountDownLatch(1);
            Future<Long> commit = threads.submit(store::commit);
            // It has taken its two records, and those that follow belong to the next one.
            forcing.await();
            for (int i = 0; i < 5; i++) {
                store.append(List.of(new byte[LARGE], new byte[LARGE]));
            }
            assertFalse(commit.isDone());
            forceGate.countDown();
            commit.get();
            try (StoreReader snapshot = store.snapshot()) {
                assertEquals(2, snapshot.count());
            }
        }
        assertEquals(7, StoreModel.read(memory).size());
    }

    @Test
    void theFirstErrorNamesRowAndFieldAndNothingIsAppended() throws Exception {
        try (StoreWriter store = create(writers(2))) {
            store.append(row("one", new byte[0]));
            store.commit();
            isDiskFull = true;
            IOException error;
            try (Batch rows = rows(store, 0, 600)) {
                error = assertThrows(IOException.class, () -> store.appendAll(rows));
            }
            assertTrue(error.getMessage().contains(", field A: No space left on device"), error.getMessage());
            assertTrue(error.getMessage().matches("(?s).*: row \\d+, field .*"), error.getMessage());
            isDiskFull = false;
            assertEquals(1, store.count());
            assertEquals(1, store.append(row("two", new byte[0])), "the failed rows never had an index");
        }
        assertEquals(List.of("'one' ''", "'two' ''"), StoreModel.read(memory));
    }

    /// A call has placed a value, and before it has an index the write of another thread fails, which takes the
    /// collected value with it.
    @Test
    void aValueThatIsLostBeforeItHasAnIndexIsAnError() throws Exception {
        try (StoreWriter store = create(writers(1))) {
            store.append(row("one", new byte[0]));
            store.commit();
            IOException error = assertThrows(
                    IOException.class,
                    () -> append(store, "lost", () -> {
                        isDiskFull = true;
                        Future<Long> other =
                                threads.submit(() -> store.append(List.of(new byte[LARGE], new byte[LARGE])));
                        assertThrows(ExecutionException.class, other::get);
                        isDiskFull = false;
                    }));
            assertTrue(error.getMessage().contains("make them again"), error.getMessage());
            store.append(row("two", new byte[0]));
        }
        assertEquals(List.of("'one' ''", "'two' ''"), StoreModel.read(memory));
    }

    /// Something that happens while a call has placed its values and they have no index yet.
    @FunctionalInterface
    private interface Meanwhile {
        void run() throws Exception;
    }

    private static void append(StoreWriter store, String text, Meanwhile meanwhile) throws IOException {
        MemorySegment[] cells = {MemorySegment.ofArray(text.getBytes()), MemorySegment.ofArray(new byte[0])};
        RowPlacer placer = new RowPlacer(store.fields(), store.core().chunks());
        store.core().append(() -> {
            PlacedRows placed = placer.place(cells);
            try {
                meanwhile.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return placed;
        });
    }

    private void rebalanceWhilePlacing() throws Exception {
        try (StoreWriter store = create(writers(1))) {
            for (int i = 0; i < 10; i++) {
                store.append(row("x" + i, new byte[0]));
            }
            store.commit();
            append(store, "placed", () -> store.rebalance(RebalanceOptions.DEFAULT.withMinGarbage(0), Progress.NONE));
        }
        assertEquals("'placed' ''", StoreModel.read(memory).getLast());
    }

    @Test
    void aRebalanceLeavesChunksInWhichValuesArePlacedThatHaveNoIndexYet() throws Exception {
        rebalanceWhilePlacing();
    }

    @Test
    void aRebalanceWaitsForTheCommitOfAnotherThread() throws Exception {
        try (StoreWriter store = create(writers(1))) {
            store.append(row("one", new byte[0]));
            store.append(row("two", new byte[0]));
            store.delete(0);
            store.commit();
            store.append(row("three", new byte[0]));
            AtomicReference<Thread> rebalancing = new AtomicReference<>();
            Future<RebalanceReport> report = threads.submit(() -> {
                rebalancing.set(Thread.currentThread());
                return store.rebalance(
                        RebalanceOptions.DEFAULT.withMinGarbage(0).withWaitMillis(TimeUnit.MINUTES.toMillis(10)),
                        Progress.NONE);
            });
            while (!report.isDone()
                    && (rebalancing.get() == null || rebalancing.get().getState() != Thread.State.TIMED_WAITING)) {
                Thread.onSpinWait();
            }
            store.commit();
            assertEquals(1, report.get().chunkCount(), "the chunk with the value that was committed meanwhile");
        }
        assertEquals("'three' ''", StoreModel.read(memory).getLast());
    }

    @Test
    void aRebalanceThatDeletesSuchChunksIsCaught() throws Exception {
        assertTrue(PlantedBug.answering(StoreCore.class, "hasPlacing", false).call(RebalanceWhilePlacing.class));
    }

    /// Whether a bug in the writer shows.
    static final class RebalanceWhilePlacing implements Callable<Boolean> {
        @Override
        public Boolean call() {
            try {
                new StoreWritersTest().rebalanceWhilePlacing();
                return false;
            } catch (Exception | AssertionError e) {
                return true;
            }
        }
    }

    @Test
    void closingLetsCallsUnderWayFinishAndRefusesNewOnes() throws Exception {
        StoreWriter store = create(writers(2));
        CountDownLatch placed = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<?> call = threads.submit(() -> {
            append(store, "under way", () -> {
                placed.countDown();
                goOn.await();
            });
            return null;
        });
        placed.await();
        Future<?> close = threads.submit(() -> {
            store.close();
            return null;
        });
        while (true) {
            try {
                store.append(row("x", new byte[0]));
                Thread.sleep(1);
            } catch (IllegalStateException e) {
                break;
            }
        }
        assertFalse(close.isDone());
        goOn.countDown();
        call.get();
        close.get();
        assertTrue(StoreModel.read(memory).contains("'under way' ''"));
    }

    @Test
    void closingEndsInTimeWhenTheDiskDoesNotAnswer() throws Exception {
        StoreWriter store = create(writers(2).withCloseMillis(50));
        store.append(row("one", new byte[0]));
        forceGate = new CountDownLatch(1);
        IOException error = assertThrows(IOException.class, store::close);
        assertTrue(error.getMessage().contains("closing takes longer than 50 ms"), error.getMessage());
        assertThrows(IllegalStateException.class, () -> store.append(row("two", new byte[0])));
        store.abort();
        forceGate.countDown();
        // Closing goes on in the background, and then the next writer can open the store.
        StoreWriter next = null;
        while (next == null) {
            try {
                next = StoreWriter.open(StoreModel.STORE, StoreOptions.DEFAULT.withDisk(memory));
            } catch (IOException e) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
        next.close();
        assertEquals(List.of("'one' ''"), StoreModel.read(memory));
    }

    @Test
    void abortingDropsTheRowsOfTheCall() throws Exception {
        StoreWriter store = create(writers(2));
        store.append(row("one", new byte[0]));
        store.commit();
        assertThrows(IllegalStateException.class, () -> append(store, "two", store::abort));
        assertEquals(List.of("'one' ''"), StoreModel.read(memory));
    }

    @Test
    void theNextWriterGoesOnInTheChunksThatAreOpen() throws Exception {
        try (StoreWriter store = create(writers(2))) {
            writeGate = writing;
            try (Batch rows = rows(store, 0, 1500)) {
                store.appendAll(rows);
            }
        }
        int count = chunks().size();
        assertTrue(count > 1);
        for (int number : new int[] {1, 4, 2}) {
            try (StoreWriter store =
                    StoreWriter.open(StoreModel.STORE, writers(number).withDisk(disk))) {
                store.append(row("more", new byte[0]));
            }
            assertEquals(count, chunks().size(), "a single thread needs no other chunk");
        }
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, memory)) {
            assertEquals(1503, reader.count());
            assertTrue(reader.verify(Progress.NONE).isOk());
        }
    }

    @Test
    void fewerThanOneOrMoreThanFourWritersAreRefused() {
        for (int count : IntStream.of(0, 5, -1).toArray()) {
            IllegalArgumentException error =
                    assertThrows(IllegalArgumentException.class, () -> StoreOptions.DEFAULT.withWriters(count));
            assertEquals("writers must be between 1 and 4, got " + count, error.getMessage());
        }
    }
}
