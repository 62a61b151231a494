// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.bridge.Calls.Failure;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The functions, through their native addresses.
final class BridgeTest {
    private static final long COUNT = 1000;

    @TempDir
    Path folder;

    private final Arena arena = Arena.ofShared();
    private int handlesBefore;
    private long dataset;

    /// Row `i` of a table of numbers is 3 `i`.
    static Path table(Path path) throws IOException {
        RowType row = RowType.of(DType.parse("'<i8'"));
        try (TableWriter writer = TableWriter.create(path, row, TableWriter.Options.DEFAULT)) {
            writer.append(MemorySegment.ofArray(
                    LongStream.range(0, COUNT).map(i -> 3 * i).toArray()));
        }
        return path;
    }

    @BeforeEach
    void open() throws IOException {
        handlesBefore = Handles.count();
        dataset = Calls.make("open", "path", table(folder.resolve("t.npy")).toString());
    }

    @AfterEach
    void nothingIsLeft() {
        Calls.release(dataset);
        arena.close();
        assertEquals(handlesBefore, Handles.count());
    }

    @Test
    void takenRecordsAreTheCallersUntilTheyAreReleased() {
        MemorySegment info = Calls.info(arena, 1);
        long batch = Calls.take(dataset, new long[] {5, 999, 5}, info);
        assertTrue(batch > 0);
        assertEquals(3, info.getAtIndex(ValueLayout.JAVA_LONG, 0));
        assertEquals(0, Calls.release(dataset));
        assertEquals(
                List.of(15L, 2997L, 15L), List.of(Calls.value(info, 0), Calls.value(info, 1), Calls.value(info, 2)));
        assertEquals(0, Calls.release(batch));
        assertEquals(Bridge.FAILED, Calls.release(batch));
    }

    @Test
    void indicesThatNameNothingAreRefusedBeforeAnythingIsRead() {
        MemorySegment info = Calls.info(arena, 1);
        for (long wrong : new long[] {-1, COUNT, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE / 8}) {
            assertEquals(Bridge.FAILED, Calls.take(dataset, new long[] {0, wrong}, info));
            assertEquals("IndexOutOfBoundsException", Calls.failure().type());
            assertEquals(Bridge.FAILED, Calls.takeRows(dataset, new long[] {0, wrong}, arena.allocate(16)));
            assertEquals("IndexOutOfBoundsException", Calls.failure().type());
        }
    }

    @Test
    void rowsGoIntoMemoryOfTheCallerThatIsLargeEnough() {
        MemorySegment target = arena.allocate(ValueLayout.JAVA_LONG, 2);
        assertEquals(0, Calls.takeRows(dataset, new long[] {7, 8}, target));
        assertEquals(24, target.getAtIndex(ValueLayout.JAVA_LONG, 1));
        assertEquals(Bridge.FAILED, Calls.takeRows(dataset, new long[] {1, 2, 3}, target));
        assertFalse(Calls.failure().message().isEmpty());
        assertEquals(24, target.getAtIndex(ValueLayout.JAVA_LONG, 1));
    }

    @Test
    void numbersThatNameNothingOrSomethingElseAreFailures() {
        MemorySegment info = Calls.info(arena, 1);
        long sampler = Calls.make("sampler", "kind", "sequential", "count", 5L);
        for (long wrong : new long[] {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, sampler}) {
            assertEquals(Bridge.FAILED, Calls.take(wrong, new long[] {0}, info));
            assertEquals("closed", Calls.failure().message());
            assertEquals(Bridge.FAILED, Calls.takeRows(wrong, new long[] {0}, info));
            assertEquals("closed", Calls.failure().message());
            assertEquals(Bridge.FAILED, Calls.next(wrong, info));
            assertEquals("closed", Calls.failure().message());
        }
        assertEquals(Bridge.FAILED, Calls.next(dataset, info));
        assertEquals(Bridge.FAILED, Calls.release(Long.MIN_VALUE));
        assertEquals(0, Calls.release(sampler));
    }

    @Test
    void whatIsNoRequestIsAFailure() {
        for (String wrong : List.of(
                "",
                "[",
                "[]",
                "null",
                "7",
                "{}",
                "{\"verb\":7}",
                "{\"verb\":null}",
                "{\"verb\":\"handles\",}",
                "\0",
                "[,]",
                "{\"verb\":\"fly\"}",
                "{\"verb\":\"handles\",\"verb\":\"handles\"}",
                "[".repeat(100_000))) {
            Failure failure = assertInstanceOf(
                    Failure.class, Calls.ask(wrong.getBytes(StandardCharsets.UTF_8)), "answered: " + wrong);
            assertTrue(
                    List.of("IllegalArgumentException", "WrongTypeException").contains(failure.type()),
                    failure.message());
        }
        assertInstanceOf(Failure.class, Calls.ask(new byte[] {'"', (byte) 0xff, (byte) 0xc0, '"'}));
        assertEquals("unknown request: fly", ((Failure) Calls.ask("fly")).message());
    }

    @Test
    void aLoaderHandsOutAnEpochAndThenNothing() {
        MemorySegment info = Calls.info(arena, 1);
        long loader = Calls.make("loader", "dataset", dataset, "batchSize", 300L);
        long sum = 0;
        for (long rows : new long[] {300, 300, 300, 100}) {
            long batch = Calls.next(loader, info);
            assertEquals(rows, info.getAtIndex(ValueLayout.JAVA_LONG, 0));
            sum += LongStream.range(0, rows).map(row -> Calls.value(info, row)).sum();
            Calls.release(batch);
        }
        assertEquals(3 * COUNT * (COUNT - 1) / 2, sum);
        assertEquals(0, Calls.next(loader, info));
        assertEquals(1L, ((Map<?, ?>) Calls.ask("progress", "handle", loader)).get("epoch"));
        assertEquals(0, Calls.release(loader));
        assertEquals(Bridge.FAILED, Calls.next(loader, info));
    }

    @Test
    void failuresAreTheThreadsOwn() throws Exception {
        Calls.take(-1, new long[] {0}, Calls.info(arena, 1));
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            Failure failure = (Failure) other.submit(() -> Calls.ask("fly")).get();
            assertEquals("unknown request: fly", failure.message());
        }
        assertEquals("closed", Calls.failure().message());
    }

    @Test
    void releasingLeavesTheFailureOfItsThreadAlone() {
        Calls.take(dataset, new long[] {-1}, Calls.info(arena, 1));
        assertEquals(Bridge.FAILED, Calls.release(-1));
        assertEquals("IndexOutOfBoundsException", Calls.failure().type());
    }

    @Test
    void aWriterThatIsReleasedIsGivenUp() {
        Path path = folder.resolve("new.npy");
        long writer = Calls.make("tableWriter", "path", path.toString(), "dtype", "'<i8'", "shape", List.of());
        assertEquals(0, Calls.release(writer));
        long pack =
                Calls.make("packWriter", "path", folder.resolve("new.a2pack").toString());
        assertEquals(0, Calls.release(pack));
        assertEquals(List.of("t.npy"), List.of(folder.toFile().list()));
        assertFalse(Files.exists(path));
    }

    @Test
    void manyThreadsTakeReleaseAndClose() throws Exception {
        AtomicInteger releases = new AtomicInteger();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<Object>> results = threads.invokeAll(IntStream.range(0, 8)
                    .<Callable<Object>>mapToObj(seed -> () -> {
                        MemorySegment info = Calls.info(Arena.ofAuto(), 1);
                        for (int i = 0; i < 500; i++) {
                            long index = (seed * 131 + i * 7) % COUNT;
                            long batch = Calls.take(dataset, new long[] {index, 0}, info);
                            if (batch == Bridge.FAILED) {
                                assertEquals("ClosedException", Calls.failure().type());
                                continue;
                            }
                            assertEquals(3 * index, Calls.value(info, 0));
                            assertEquals(0, Calls.release(batch));
                            releases.incrementAndGet();
                            if (seed == 0 && i == 400) {
                                assertEquals(0, Calls.release(dataset));
                            }
                        }
                        return null;
                    })
                    .toList());
            for (Future<Object> result : results) {
                result.get();
            }
        }
        assertTrue(releases.get() > 400, "only " + releases.get() + " worked");
    }

    /// Classes are named by text there, and a failure would be seen on stderr only.
    @Test
    void whatIsLoadedAheadIsThere() {
        new Warmup().run();
    }

    @Test
    void functionsThatDoNotExistFail() {
        for (long function : new long[] {-1, 100, 1000}) {
            assertEquals(Bridge.FAILED, Calls.invoke(function, dataset));
            assertEquals("unknown function number " + function, Calls.failure().message());
        }
        assertEquals(Bridge.FAILED, Calls.invoke(1L << 40, dataset));
    }

    /// An array object as NumPy lays it out, without its head.
    private MemorySegment array(MemorySegment data, int flags, long... shape) {
        MemorySegment object = arena.allocate(56);
        object.set(ValueLayout.JAVA_LONG, 0, data.address());
        object.set(ValueLayout.JAVA_INT, 8, shape.length);
        object.set(
                ValueLayout.JAVA_LONG,
                16,
                arena.allocateFrom(ValueLayout.JAVA_LONG, shape).address());
        object.set(ValueLayout.JAVA_INT, 48, flags);
        return object;
    }

    private long fill(MemorySegment indices, MemorySegment target) {
        return Calls.invoke(6, dataset, indices.address(), target.address());
    }

    @Test
    void arraysAreFilledWhereTheyAre() {
        MemorySegment indices = arena.allocateFrom(ValueLayout.JAVA_LONG, 7, 8);
        MemorySegment target = arena.allocate(24);
        int aligned = ArrayObject.IS_CONTIGUOUS | ArrayObject.IS_ALIGNED;
        int writeable = ArrayObject.IS_CONTIGUOUS | ArrayObject.IS_WRITEABLE;
        assertEquals(0, fill(array(indices, aligned, 2), array(target, writeable, 2)));
        assertEquals(21, target.get(ValueLayout.JAVA_LONG, 0));
        assertEquals(24, target.get(ValueLayout.JAVA_LONG, 8));
        assertEquals(0, target.get(ValueLayout.JAVA_LONG, 16));

        MemorySegment plain = array(indices, aligned, 2);
        for (MemorySegment other : List.of(
                array(target, writeable, 3),
                array(target, writeable, 2, 1),
                array(target, writeable),
                array(target, ArrayObject.IS_CONTIGUOUS, 2),
                array(target, ArrayObject.IS_WRITEABLE, 2))) {
            assertEquals(1, fill(plain, other));
        }
        for (MemorySegment other : List.of(
                array(indices, ArrayObject.IS_CONTIGUOUS, 2),
                array(indices, ArrayObject.IS_ALIGNED, 2),
                array(indices, aligned, 2, 1),
                array(indices, aligned))) {
            assertEquals(1, fill(other, array(target, writeable, 2)));
        }
        MemorySegment wrong = arena.allocateFrom(ValueLayout.JAVA_LONG, 7, -8);
        assertEquals(Bridge.FAILED, fill(array(wrong, aligned, 2), array(target, writeable, 2)));
        assertEquals("IndexOutOfBoundsException", Calls.failure().type());
    }
}
