// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Threads commit together, and commits that need not be durable at once become so later.
@Timeout(600)
class StoreThreadsTest {
    private static final int THREADS = 6;
    private static final int COMMITS = 20;

    private final MemoryDisk memory = new MemoryDisk().addFolder(StoreModel.FOLDER);
    private final AtomicInteger journalForces = new AtomicInteger();
    private volatile boolean isFull;
    private volatile boolean isBroken;
    /// What a force of a journal waits for.
    private volatile CountDownLatch forceGate = new CountDownLatch(0);

    /// Counts the forces of journals and can be full.
    private final Disk disk = new ForwardingDisk(memory) {
        @Override
        public Writable create(Path file) throws IOException {
            return wrap(file, super.create(file));
        }

        private Writable wrap(Path file, Writable writable) {
            boolean isJournal = file.toString().endsWith(".zj");
            return new ForwardingWriter(writable) {
                @Override
                public void write(MemorySegment source, long offset) throws IOException {
                    if (isFull && !isJournal) {
                        throw new IOException("No space left on device");
                    }
                    super.write(source, offset);
                }

                @Override
                public void forceData() throws IOException {
                    if (isBroken) {
                        throw new IOException("Input/output error");
                    }
                    if (isJournal) {
                        journalForces.incrementAndGet();
                        await(forceGate);
                    }
                    super.forceData();
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

    private StoreWriter create(StoreOptions options) throws IOException {
        return StoreWriter.create(StoreModel.STORE, List.of(StoreField.bytes("A")), options.withDisk(disk));
    }

    /// While one thread waits for the disk, the others append and wait with their commits.
    @Test
    void oneForceServesAllThreadsThatWaitForIt() throws Exception {
        try (StoreWriter store = create(StoreOptions.DEFAULT);
                ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (int round = 0; round < COMMITS; round++) {
                CountDownLatch gate = new CountDownLatch(1);
                forceGate = gate;
                int before = journalForces.get();
                Set<Thread> appended = ConcurrentHashMap.newKeySet();
                List<Future<?>> all = new ArrayList<>();
                for (int thread = 0; thread < THREADS; thread++) {
                    all.add(threads.submit(() -> {
                        store.append(List.of("x".getBytes()));
                        appended.add(Thread.currentThread());
                        return store.commit();
                    }));
                    int count = thread + 1;
                    while (appended.size() < count || !appended.stream().allMatch(StoreThreadsTest::isWaiting)) {
                        Thread.onSpinWait();
                    }
                }
                gate.countDown();
                for (Future<?> one : all) {
                    one.get();
                }
                assertEquals(before + 2, journalForces.get(), "the commit of the first thread, and that of the others");
            }
        }
        assertEquals(THREADS * COMMITS, StoreModel.read(memory).size());
    }

    private static boolean isWaiting(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void threadsSeeTheirOwnCommitsInNewReaders() throws Exception {
        try (StoreWriter store = create(StoreOptions.DEFAULT.withChunkRows(70));
                ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> all = new ArrayList<>();
            CountDownLatch start = new CountDownLatch(1);
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                all.add(threads.submit(() -> {
                    start.await();
                    for (int i = 0; i < COMMITS; i++) {
                        String text = number + "." + i;
                        long index = store.append(List.of(text.getBytes()));
                        store.commit();
                        // An acknowledged commit is visible to every reader that opens the store now.
                        try (StoreReader reader = StoreReader.open(StoreModel.STORE, memory)) {
                            assertEquals(
                                    text, new String(reader.get(index).value(0).toArray(ValueLayout.JAVA_BYTE)));
                        }
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> one : all) {
                one.get();
            }
        }
        List<String> found = StoreModel.read(memory);
        assertEquals(THREADS * COMMITS, new TreeSet<>(found).size());
    }

    @Test
    void commitsBecomeDurableTogether() throws Exception {
        try (StoreWriter store = create(StoreOptions.DEFAULT.withBatch(10, 3_600_000))) {
            store.append(List.of("first".getBytes()));
            store.commit();
            int before = journalForces.get();
            for (int i = 0; i < 8; i++) {
                store.append(List.of("x".getBytes()));
                store.commit();
            }
            assertEquals(before, journalForces.get(), "nine records wait");
            store.append(List.of("x".getBytes()));
            store.commit();
            assertEquals(before + 1, journalForces.get(), "ten do not");
        }
    }

    @Test
    void commitsBecomeDurableInTime() throws Exception {
        try (StoreWriter store = create(StoreOptions.DEFAULT.withBatch(1_000_000, 30))) {
            for (int round = 0; round < 3; round++) {
                store.append(List.of("x".getBytes()));
                int before = journalForces.get();
                store.commit();
                while (journalForces.get() == before) {
                    Thread.sleep(5);
                }
            }
        }
    }

    @Test
    void aThreadIsToldThatAnotherHasLostItsChanges() throws Exception {
        try (StoreWriter store = create(StoreOptions.DEFAULT);
                ExecutorService other = Executors.newSingleThreadExecutor()) {
            store.append(List.of("one".getBytes()));
            store.commit();
            other.submit(() -> store.append(List.of("two".getBytes()))).get();
            isFull = true;
            assertThrows(IOException.class, () -> store.append(List.of(new byte[2 << 20])));
            isFull = false;
            Future<Long> commit = other.submit(store::commit);
            Exception error = assertThrows(Exception.class, commit::get);
            assertTrue(error.getMessage().contains("given up"), error.getMessage());
            other.submit(() -> {
                        store.append(List.of("again".getBytes()));
                        return store.commit();
                    })
                    .get();
        }
        assertEquals(List.of("'one'", "'again'"), StoreModel.read(memory));
    }

    /// The disk is well again after one failed force, which proves nothing: only opening the store again helps.
    @Test
    void nothingIsAcknowledgedAfterAFailedForce() throws Exception {
        StoreWriter store = create(StoreOptions.DEFAULT);
        store.append(List.of("one".getBytes()));
        store.commit();
        isBroken = true;
        store.append(List.of("two".getBytes()));
        assertThrows(IOException.class, store::commit);
        isBroken = false;
        for (int i = 0; i < 2; i++) {
            IOException refusal = assertThrows(IOException.class, () -> store.append(List.of("three".getBytes())));
            assertTrue(refusal.getMessage().contains("open the store again"), refusal.getMessage());
            assertThrows(IOException.class, store::commit);
            assertThrows(IOException.class, store::checkpoint);
        }
        try (StoreReader snapshot = store.snapshot()) {
            assertEquals(List.of("'one'"), StoreModel.read(snapshot), "reading goes on");
        }
        assertThrows(StoreStoppedException.class, store::close);
        try (StoreWriter again = StoreWriter.open(StoreModel.STORE, StoreOptions.DEFAULT.withDisk(memory))) {
            again.append(List.of("three".getBytes()));
        }
        assertEquals("'three'", StoreModel.read(memory).getLast());
    }

    @Test
    void closingPublishesOnlyQuickChanges() throws IOException {
        StoreWriter store = create(StoreOptions.DEFAULT);
        store.append(List.of("one".getBytes()));
        store.append(List.of("two".getBytes()));
        store.checkpoint();
        store.update(0, "A", "new".getBytes());
        store.close(0);
        assertEquals(List.of("'one'", "'two'"), StoreModel.readPlain(memory).state());
        assertEquals(List.of("'new'", "'two'"), StoreModel.read(memory));
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, memory)) {
            assertFalse(reader.remarks().isEmpty());
        }
        try (StoreWriter again = StoreWriter.open(StoreModel.STORE, StoreOptions.DEFAULT.withDisk(memory))) {
            assertFalse(again.isPublished());
            again.checkpoint();
            assertTrue(again.isPublished());
        }
        assertEquals(List.of("'new'", "'two'"), StoreModel.readPlain(memory).state());
    }
}
