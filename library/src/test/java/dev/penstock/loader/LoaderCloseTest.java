// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.Waiting;
import dev.penstock.pack.PackReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A loader may be closed at any moment, by anyone, and nothing of it stays.
@ExtendWith(Seeds.class)
class LoaderCloseTest {
    private static final int ROUNDS = TestData.isLong() ? 20_000 : 400;
    private static final long SECOND = 1_000_000_000L;

    /// Loaders of earlier tests that were not closed, whose threads live until the loaders are garbage.
    private final Set<Thread> earlierThreads = loaderThreads();

    /// The threads of all loaders of the process.
    static Set<Thread> loaderThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("penstock-loader"))
                .collect(Collectors.toSet());
    }

    /// Returns whether a thread is in a call of the system, where it counts as runnable while it waits.
    private static boolean isInSystemCall(Thread thread) {
        StackTraceElement[] frames = thread.getStackTrace();
        return frames.length > 0 && frames[0].isNativeMethod();
    }

    private boolean hasThreads() {
        return !earlierThreads.containsAll(loaderThreads());
    }

    @AfterEach
    void noThreadIsLeft() throws InterruptedException {
        Waiting.until("a thread of a closed loader lives on", () -> !hasThreads());
    }

    private static LoaderOptions options(Random random) {
        return LoaderOptions.of(1 + random.nextInt(20))
                .withRanks(Ranks.ALONE)
                .withPrefetchBytes(random.nextInt(20_000))
                .withThreads(1 + random.nextInt(4));
    }

    private static void closeInTime(Loader loader) {
        long start = System.nanoTime();
        loader.close();
        long nanos = System.nanoTime() - start;
        // Far more than the stated time, for machines with other work.
        assertTrue(nanos < 300 * SECOND, "closing took " + nanos / 1_000_000 + " ms");
    }

    /// Iterates without looking at the memory, which may be gone at any time: then nothing but an end is seen.
    private static Thread consume(Loader loader, AtomicReference<Throwable> failure, Random random) {
        boolean isMovingAbout = random.nextInt(4) == 0;
        return Thread.ofPlatform().start(() -> {
            try {
                for (long epoch = 0; epoch < 1_000_000; epoch++) {
                    for (LoaderBatch batch : loader) {
                        if (isMovingAbout && batch.step() == 3) {
                            break;
                        }
                    }
                    if (isMovingAbout) {
                        loader.setEpoch(epoch);
                    }
                }
            } catch (IllegalStateException e) {
                // The error of an iteration that begins too late.
                if (!e.getMessage().contains("the loader is closed")) {
                    failure.set(e);
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        });
    }

    private static void pause(Random random) throws InterruptedException {
        int kind = random.nextInt(4);
        if (kind == 0) {
            Thread.sleep(random.nextInt(3));
        } else if (kind > 1) {
            long until = System.nanoTime() + random.nextInt(300_000);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void closingAtAnyMomentIsQuickAndLeavesNothing(@TempDir Path folder) throws IOException, InterruptedException {
        Random random = Seeds.random();
        Path path = RealData.pack(folder.resolve("pack.a2pack"), 300, i -> i % 40);
        try (PackReader pack = PackReader.open(path)) {
            for (int round = 0; round < ROUNDS; round++) {
                Dataset dataset = random.nextBoolean() ? pack : Numbers.of(300);
                Loader loader = Loader.open(dataset, options(random));
                AtomicReference<Throwable> failure = new AtomicReference<>();
                Thread consumer = consume(loader, failure, random);
                pause(random);
                Thread second = random.nextBoolean() ? Thread.ofPlatform().start(loader::close) : new Thread();
                closeInTime(loader);
                second.join();
                consumer.join(300_000);
                assertFalse(consumer.isAlive(), "the consumer waits for ever");
                assertNull(failure.get(), () -> "the consumer saw " + failure.get());
                Waiting.until(
                        "memory is held after closing", () -> loader.stats().heldBytes() == 0);
                assertEquals(0, loader.stats().queuedCount());
            }
        }
        Figures.print("loaders closed at random moments", ROUNDS);
    }

    @Test
    void aGatherThatHangsIsNotWaitedForAndFreesTheMemoryWhenItEnds() throws InterruptedException {
        Numbers.Slow slow = Numbers.slow(1000);
        Loader loader =
                Loader.open(slow, LoaderOptions.of(10).withRanks(Ranks.ALONE).withThreads(3));
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread consumer = consume(loader, failure, new Random(1));
        CountDownLatch isMoving = new CountDownLatch(1);
        Thread mover = Thread.ofPlatform().start(() -> {
            try {
                Waiting.until("the consumer does not wait", () -> slow.isGathering() && Waiting.isWaiting(consumer));
                isMoving.countDown();
                loader.setEpoch(3);
            } catch (InterruptedException e) {
                failure.set(e);
            }
        });
        isMoving.await();
        Waiting.until("the mover does not wait", () -> !mover.isAlive() || Waiting.isWaiting(mover));
        // The gather ends only after its release, so figures that waited for it would never come.
        assertEquals(0, loader.stats().batches());
        Thread.currentThread().interrupt();
        closeInTime(loader);
        assertTrue(Thread.interrupted(), "the interrupt was lost");
        consumer.join(300_000);
        mover.join(300_000);
        assertFalse(consumer.isAlive() || mover.isAlive());
        assertTrue(hasThreads(), "the threads still hang");
        slow.release();
        Waiting.until(
                "memory is held after the last thread", () -> loader.stats().heldBytes() == 0 && !hasThreads());
        assertNull(failure.get());
    }

    @Test
    void aTransformMayCloseItsOwnLoader() {
        Loader[] self = new Loader[1];
        Transform closing = new Transform() {
            @Override
            public List<Field> fields(List<Field> fields) {
                return fields;
            }

            @Override
            public void apply(Batch source, Batch target) {
                if (self[0] != null) {
                    closeInTime(self[0]);
                }
                target.column(0).exchange(source.column(0));
            }
        };
        self[0] = Loader.open(
                Numbers.of(100),
                LoaderOptions.of(10).withRanks(Ranks.ALONE).withThreads(2).withTransforms(closing));
        assertFalse(self[0].iterator().hasNext());
        assertThrows(IllegalStateException.class, self[0]::iterator);
    }

    @Test
    void closingIsQuickWithMuchMemoryToFree() throws InterruptedException {
        List<Field> many = IntStream.range(0, 600)
                .mapToObj(i -> Field.fixed("f" + i, ElementType.I8))
                .toList();
        Transform widening = new Transform() {
            @Override
            public List<Field> fields(List<Field> fields) {
                return many;
            }

            @Override
            public void apply(Batch source, Batch target) {
                target.columns().forEach(column -> column.reserveValues(10));
            }
        };
        Loader loader = Loader.open(
                Numbers.of(1000),
                LoaderOptions.of(10).withRanks(Ranks.ALONE).withThreads(2).withTransforms(widening));
        loader.forEach(batch -> {});
        closeInTime(loader);
        Waiting.until("memory is held after closing", () -> loader.stats().heldBytes() == 0);
    }

    /// The consumer is in the middle of writing a batch when another thread closes the loader: the memory of that
    /// batch cannot be freed before the write ends, all other memory is.
    @Test
    void aBatchThatIsBeingWrittenDoesNotKeepTheOthers() throws IOException, InterruptedException {
        Pipe pipe = Pipe.open();
        Loader loader = Loader.open(
                Numbers.of(1_000_000),
                LoaderOptions.of(100_000).withRanks(Ranks.ALONE).withThreads(2));
        LoaderBatch batch = loader.iterator().next();
        ByteBuffer bytes = batch.column("value").values().asByteBuffer();
        Thread writer = Thread.ofPlatform().start(() -> {
            try {
                pipe.sink().write(bytes);
            } catch (IOException e) {
                // The pipe is closed at the end.
            }
        });
        Waiting.until("nothing is written", () -> isInSystemCall(writer));
        closeInTime(loader);
        assertTrue(loader.stats().heldBytes() <= 2_000_000, loader.stats().toString());
        pipe.source().close();
        pipe.sink().close();
        writer.join(300_000);
        assertFalse(writer.isAlive());
        Waiting.until(
                "the memory of the batch is held after its use",
                () -> loader.stats().heldBytes() == 0);
    }

    /// Batches that turn out large have others given up. One that a consumer still writes, though it has asked for
    /// the next, cannot be, and nobody waits for it.
    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void slowBatchWriteDoesNotBlockLoader() throws IOException, InterruptedException {
        Transform growing = new Transform() {
            @Override
            public List<Field> fields(List<Field> fields) {
                return fields;
            }

            @Override
            public void apply(Batch source, Batch target) {
                MemorySegment numbers = source.column(0).values();
                boolean isLarge = numbers.getAtIndex(U64, 0) == 50;
                target.column(0).reserveValues(isLarge ? 1 << 20 : 80).copyFrom(numbers);
            }
        };
        LoaderOptions options = LoaderOptions.of(10)
                .withRanks(Ranks.ALONE)
                .withThreads(1)
                .withPrefetchBytes(1600)
                .withTransforms(growing);
        Pipe pipe = Pipe.open();
        try (Loader loader = Loader.open(Numbers.of(1000), options)) {
            Iterator<LoaderBatch> batches = loader.iterator();
            ByteBuffer bytes = batches.next().column("value").values().asByteBuffer();
            Waiting.until("the large one is not made", () -> loader.stats().queuedCount() == 5);
            Thread writer = writeToFull(pipe, bytes);
            batches.forEachRemaining(batch -> {});
            assertEquals(100, loader.stats().batches());
            pipe.source().close();
            pipe.sink().close();
            writer.join(300_000);
        }
    }

    private static Thread writeToFull(Pipe pipe, ByteBuffer bytes) throws IOException, InterruptedException {
        pipe.sink().configureBlocking(false);
        while (pipe.sink().write(ByteBuffer.allocate(1)) > 0) {
            // The next write waits until the pipe is read.
        }
        pipe.sink().configureBlocking(true);
        Thread writer = Thread.ofPlatform().start(() -> {
            try {
                pipe.sink().write(bytes);
            } catch (IOException e) {
                // The pipe is closed at the end.
            }
        });
        Waiting.until("nothing is written", () -> isInSystemCall(writer));
        return writer;
    }
}
