// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.memory.Layouts.U64;

import dev.penstock.Dataset;
import dev.penstock.Field;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// The batches and threads of a loader: all that has to be ended and freed.
///
/// It does not know the loader, so that one which is forgotten can become garbage while its threads still wait.
///
/// **Threads.** Any number; a pass is started and stopped by one at a time.
final class LoaderMemory {
    /// How often memory that could not be freed is tried again.
    private static final long FREE_NANOS = 10_000_000;

    private final Dataset dataset;
    private final List<Field> readFields;
    private final LoaderOptions options;
    private final LoaderBatches batches;
    private final BatchMaker[] makers;
    private Pipeline pipeline;
    private long pastFillNanos;
    private boolean isReleased;
    /// Open when all memory is freed that nobody uses.
    private final CountDownLatch freed = new CountDownLatch(1);

    private LoaderMemory(Dataset dataset, List<Field> readFields, LoaderOptions options, LoaderBatches batches) {
        this.dataset = dataset;
        this.readFields = readFields;
        this.options = options;
        this.batches = batches;
        this.makers = new BatchMaker[options.threads()];
        for (int i = 0; i < makers.length; i++) {
            makers[i] = createMaker();
        }
    }

    /// @param readFields what is read
    /// @param fields     what is handed out
    static LoaderMemory create(Dataset dataset, List<Field> readFields, List<Field> fields, LoaderOptions options) {
        long rowBytes = U64.byteSize();
        for (Field field : fields) {
            rowBytes += field.isVariable() ? dataset.bytes() / Math.max(1, dataset.count()) : field.itemSize();
        }
        long batchBytes = Math.multiplyExact(rowBytes, options.batchSize());
        LoaderBatches batches = new LoaderBatches(fields, batchBytes, options.prefetchBytes());
        return new LoaderMemory(dataset, readFields, options, batches);
    }

    BatchMaker createMaker() {
        return new BatchMaker(dataset, readFields, options);
    }

    /// Starts to make the batches of an epoch.
    ///
    /// @throws IllegalStateException when all is freed or about to be, or another pass is under way
    synchronized Pipeline startPass(Sampler sampler, long epoch, Steps steps) {
        if (isReleased) {
            throw new IllegalStateException("the loader is closed");
        }
        if (pipeline != null) {
            // Their threads would share batches.
            throw new IllegalStateException("two threads iterate at once; a loader has one consumer");
        }
        BatchMaker[] own = makers;
        batches.beginPass();
        pipeline = new Pipeline(
                batches,
                own.length,
                steps.count(),
                (thread, step, batch) -> own[thread].make(sampler, epoch, steps, step, batch));
        pipeline.start();
        return pipeline;
    }

    /// The one under way, or null.
    synchronized Pipeline pipeline() {
        return pipeline;
    }

    /// Ends the threads and waits for them, for they use the batches of the next pass.
    void stopPass(BooleanSupplier isGivenUp, long lookMillis) {
        Pipeline running = pipeline();
        if (running == null) {
            return;
        }
        running.stop();
        while (!running.awaitEnd(lookMillis)) {
            if (isGivenUp.getAsBoolean()) {
                return;
            }
        }
        synchronized (this) {
            if (pipeline == running) {
                pastFillNanos += running.fillNanos();
                pipeline = null;
            }
        }
    }

    /// Ends the threads and frees everything as soon as none of them uses it.
    synchronized void release() {
        if (isReleased) {
            return;
        }
        isReleased = true;
        if (pipeline == null) {
            startFreeing();
        } else {
            pipeline.stop(this::startFreeing);
        }
    }

    /// Waits until the threads have ended and memory is freed, but not for ever.
    void awaitRelease(long millis) {
        long deadline = System.nanoTime() + millis * 1_000_000;
        boolean wasInterrupted = false;
        boolean isDone = false;
        while (!isDone) {
            try {
                freed.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                isDone = true;
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// Freeing the memory of thousands of columns takes longer than whoever closes the loader should wait.
    private void startFreeing() {
        try {
            Thread.ofPlatform().daemon().name("penstock-loader-free").start(this::free);
        } catch (OutOfMemoryError e) {
            // The system has no thread to spare.
            free();
        }
    }

    /// Frees everything. The consumer may be writing its batch somewhere at this moment, and that memory can be
    /// freed only when the write ends.
    private void free() {
        for (BatchMaker maker : makers) {
            maker.close();
        }
        boolean isAll = batches.release();
        freed.countDown();
        while (!isAll) {
            LockSupport.parkNanos(FREE_NANOS);
            isAll = batches.release();
        }
    }

    synchronized long fillNanos() {
        return pastFillNanos + (pipeline == null ? 0 : pipeline.fillNanos());
    }

    synchronized int queuedCount() {
        return pipeline == null ? 0 : pipeline.readyCount();
    }

    /// Memory of all batches that are handed out.
    long heldBytes() {
        return batches.allocatedBytes();
    }
}
