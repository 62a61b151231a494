// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Progress;
import dev.penstock.memory.ChildJava;
import dev.penstock.memory.FileInUseException;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A rebalance that one process asks the writer of another for.
class RebalanceRequestTest {
    private static final int RECORDS = 100;
    private static final RebalanceOptions ALL = RebalanceOptions.DEFAULT.withMinGarbage(0);

    @TempDir
    Path folder;

    private Path store;
    private final List<String> waited = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /// Half of the values are garbage.
    @BeforeEach
    void create() throws IOException {
        store = folder.resolve("store");
        try (StoreWriter writer = StoreWriter.create(store, List.of(StoreField.bytes("A")), StoreOptions.DEFAULT)) {
            for (int i = 0; i < RECORDS; i++) {
                writer.append(List.of(new byte[1000]));
            }
            for (int i = 0; i < RECORDS; i++) {
                writer.update(i, "A", value(i));
            }
        }
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private static byte[] value(int index) {
        byte[] value = new byte[1000];
        value[0] = (byte) index;
        return value;
    }

    private RebalanceReport ask(RebalanceOptions options) throws IOException {
        return RebalanceRequest.run(store, StoreOptions.DEFAULT, options, Progress.NONE, waited::add);
    }

    /// Commits until a request is answered, as a program does that goes on with its work.
    private static void commitUntil(StoreWriter writer, Future<?> asked) throws Exception {
        long deadline = System.nanoTime() + 300_000_000_000L;
        while (!asked.isDone()) {
            writer.append(List.of(new byte[] {7}));
            writer.commit();
            Thread.sleep(5);
            assertTrue(System.nanoTime() < deadline, "the request is not served");
        }
    }

    private void assertRebalanced(RebalanceReport report) throws IOException {
        assertTrue(report.deletedBytes() + report.waitingBytes() >= RECORDS * 1000, report.toString());
        assertTrue(report.before().byteUtilisation() < 0.6, report.toString());
        assertTrue(report.after().byteUtilisation() > 0.9, report.toString());
        try (StoreReader reader = StoreReader.open(store)) {
            for (int i = 0; i < RECORDS; i++) {
                assertArrayEquals(value(i), reader.get(i).value(0).toArray(ValueLayout.JAVA_BYTE));
            }
        }
        try (Stream<Path> files = Files.list(store)) {
            assertEquals(
                    List.of(),
                    files.filter(file -> file.getFileName().toString().startsWith("rebalance"))
                            .toList());
        }
    }

    @Test
    void aWriterServesARequestAfterACommit() throws Exception {
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            Future<RebalanceReport> asked = threads.submit(() -> ask(ALL));
            commitUntil(writer, asked);
            assertRebalanced(asked.get());
        }
        assertEquals(1, waited.size());
        assertTrue(waited.getFirst().startsWith("process "), waited.toString());
    }

    @Test
    void aWriterInAnotherProcessServesARequest() throws Exception {
        Process writer = new ProcessBuilder(ChildJava.command(folder, RebalanceRequestTest.class, store))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output.txt").toFile())
                .start();
        try {
            while (!Files.readString(folder.resolve("output.txt")).contains("open")) {
                assertTrue(writer.isAlive(), () -> read(folder.resolve("output.txt")));
                Thread.sleep(10);
            }
            assertRebalanced(ask(ALL));
            assertEquals(1, waited.size());
            assertTrue(writer.isAlive());
        } finally {
            writer.destroyForcibly().waitFor();
        }
    }

    @Test
    void answersThatNobodyReadsAreDeletedByTheNextWriter() throws IOException {
        Path answer = store.resolve("rebalance-" + UUID.randomUUID() + ".answer");
        Path other = Files.createFile(store.resolve("rebalance-notes.answer"));
        Files.writeString(answer, "id=1");
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            writer.append(List.of(new byte[] {1}));
            writer.commit();
            assertFalse(Files.exists(answer), "the process that asked was killed");
        }
        assertTrue(Files.exists(other), "a file of somebody else");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /// The writer in another process: commits until it is killed.
    public static void main(String[] arguments) throws Exception {
        try (StoreWriter writer = StoreWriter.open(Path.of(arguments[0]), StoreOptions.DEFAULT)) {
            System.out.println("open");
            while (true) {
                writer.append(List.of(new byte[] {7}));
                writer.commit();
                Thread.sleep(20);
            }
        }
    }

    @Test
    void theAskingProcessTakesOverWhenTheWriterCloses() throws Exception {
        Future<RebalanceReport> asked;
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            asked = threads.submit(() -> ask(ALL));
            while (!Files.exists(RebalanceRequest.requestFile(store))) {
                Thread.sleep(5);
            }
            FileAlreadyExistsException second = assertThrows(FileAlreadyExistsException.class, () -> ask(ALL));
            assertTrue(second.getMessage().contains("has asked the writer"), second.getMessage());
            assertEquals(RECORDS, writer.count());
        }
        assertRebalanced(asked.get());
    }

    @Test
    void aRequestWaitsForTheRebalanceOfAnotherThread() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            Future<RebalanceReport> first = threads.submit(() -> writer.rebalance(ALL, (done, total) -> {
                begun.countDown();
                await(gate);
            }));
            begun.await();
            Future<RebalanceReport> asked = threads.submit(() -> ask(ALL));
            while (!asked.isDone() && !isServing()) {
                writer.append(List.of(new byte[] {7}));
                writer.commit();
                Thread.sleep(1);
            }
            gate.countDown();
            commitUntil(writer, asked);
            asked.get();
            assertRebalanced(first.get());
        }
    }

    @Test
    void theRebalancesOfTwoThreadsFollowEachOther() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        AtomicReference<Thread> second = new AtomicReference<>();
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            Future<RebalanceReport> one = threads.submit(() -> writer.rebalance(ALL, (done, total) -> {
                begun.countDown();
                await(gate);
                assertThrows(IllegalStateException.class, () -> writer.rebalance(ALL, Progress.NONE));
            }));
            begun.await();
            Future<RebalanceReport> two = threads.submit(() -> {
                second.set(Thread.currentThread());
                return writer.rebalance(ALL, Progress.NONE);
            });
            while (second.get() == null || second.get().getState() == Thread.State.RUNNABLE) {
                Thread.onSpinWait();
            }
            assertFalse(two.isDone());
            gate.countDown();
            assertRebalanced(one.get());
            assertEquals(1, two.get().chunkCount());
        }
    }

    /// Whether a thread of the writer serves a request.
    private static boolean isServing() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("penstock-store-rebalance"));
    }

    private static void await(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Otherwise two processes could create the same chunk.
    @Test
    void aWriterStaysTheOnlyOneUntilItsRebalanceHasStopped() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT);
        Future<RebalanceReport> rebalance = threads.submit(() -> writer.rebalance(ALL, (done, total) -> {
            begun.countDown();
            await(gate);
        }));
        begun.await();
        Future<?> closed = threads.submit(() -> {
            writer.close();
            return null;
        });
        while (writer.isOpen()) {
            Thread.onSpinWait();
        }
        assertThrows(TimeoutException.class, () -> closed.get(200, TimeUnit.MILLISECONDS));
        assertThrows(FileInUseException.class, () -> StoreWriter.open(store, StoreOptions.DEFAULT));
        gate.countDown();
        closed.get();
        assertInstanceOf(
                IllegalStateException.class,
                assertThrows(ExecutionException.class, rebalance::get).getCause());
        assertRebalanced(ask(ALL));
    }

    @Test
    void aFailureOfTheWriterReachesTheAskingProcess() throws Exception {
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            Future<RebalanceReport> asked =
                    threads.submit(() -> ask(RebalanceOptions.DEFAULT.withApart(List.of("other"))));
            commitUntil(writer, asked);
            ExecutionException failure = assertThrows(ExecutionException.class, asked::get);
            assertTrue(failure.getMessage().contains("no field other"), failure.getMessage());
        }
    }

    @Test
    void anOrderIsNotPossibleBesideAWriter() throws IOException {
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            RebalanceOptions ordered = RebalanceOptions.DEFAULT.withOrder(new long[] {1});
            FileInUseException refused = assertThrows(FileInUseException.class, () -> ask(ordered));
            assertTrue(refused.getMessage().contains("is being written by process"), refused.getMessage());
            assertEquals(RECORDS, writer.count());
        }
        assertEquals(List.of(), waited);
    }
}
