// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.ClosedException;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.RemoteCounts;
import dev.penstock.RemoteRecords;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// The batches and threads of a loader: everything that has to be ended and freed.
///
/// It has no reference to the loader, so that a loader that is not used any more can become garbage while its
/// threads wait.
///
/// **Threads.** Safe for any number of threads; a pass is started and stopped by one thread at a time.
final class LoaderMemory {
    /// How often freeing is retried for memory that was in use.
    private static final long FREE_NANOS = 10_000_000;

    private final Dataset dataset;
    private final List<Field> readFields;
    private final LoaderOptions options;
    private final LoaderBatches batches;
    private final BatchMaker[] makers;
    /// The records in remote storage, or null when they are local.
    private final RemoteRecords remote;
    private final RemoteCounts countsBefore;
    private Pipeline pipeline;
    /// Reads ahead for the running pass; null when the records are local.
    private Lookahead lookahead;
    private long pastFillNanos;
    private boolean isReleased;
    /// Released when all memory that is not in use has been freed.
    private final CountDownLatch freed = new CountDownLatch(1);

    private LoaderMemory(Dataset dataset, List<Field> readFields, LoaderOptions options, LoaderBatches batches) {
        this.dataset = dataset;
        this.readFields = readFields;
        this.options = options;
        this.batches = batches;
        this.remote = dataset.remote();
        this.countsBefore = remote == null ? null : remote.counts();
        this.makers = new BatchMaker[options.threads()];
        for (int i = 0; i < makers.length; i++) {
            makers[i] = createMaker();
        }
    }

    /// @param readFields the fields that are read
    /// @param fields     the fields that are delivered
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

    /// Starts making the batches of an epoch.
    ///
    /// @param isLasting whether the threads continue with the same steps of the next epochs
    /// @throws IllegalStateException when the loader is closed, or another pass is running
    synchronized Pipeline startPass(Sampler sampler, long epoch, Steps steps, boolean isLasting) {
        if (isReleased) {
            throw new ClosedException("the loader is closed");
        }
        if (pipeline != null) {
            // The threads of two passes would share batches.
            throw new IllegalStateException(
                    "two threads iterate over the loader at the same time; a loader has a single consumer");
        }
        BatchMaker[] own = makers;
        batches.beginPass();
        long count = steps.count(options.ranks().rank());
        Pipeline.BatchFiller fill = isLasting
                ? (thread, step, batch) -> own[thread].make(sampler, epoch + step / count, steps, step % count, batch)
                : (thread, step, batch) -> own[thread].make(sampler, epoch, steps, step, batch);
        if (remote != null) {
            long recordBytes = dataset.bytes() / Math.max(1, dataset.count());
            lookahead = new Lookahead(remote, sampler, steps, epoch, isLasting, options, recordBytes);
            lookahead.start();
            fill = behind(lookahead, fill);
        }
        pipeline = new Pipeline(batches, own.length, isLasting ? Long.MAX_VALUE : count, fill);
        pipeline.start();
        return pipeline;
    }

    private static Pipeline.BatchFiller behind(Lookahead lookahead, Pipeline.BatchFiller fill) {
        return (thread, step, batch) -> {
            lookahead.before(step);
            try {
                fill.fill(thread, step, batch);
            } finally {
                lookahead.after(step);
            }
        };
    }

    /// The running pipeline, or null.
    synchronized Pipeline pipeline() {
        return pipeline;
    }

    /// Ends the threads and waits for them, because they use the batches of the next pass.
    void stopPass(BooleanSupplier isGivenUp, long lookMillis) {
        Pipeline running = pipeline();
        if (running == null) {
            return;
        }
        running.stop();
        synchronized (this) {
            stopReadingAhead();
        }
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

    /// Ends the threads and frees everything as soon as it is not in use.
    synchronized void release() {
        if (isReleased) {
            return;
        }
        isReleased = true;
        stopReadingAhead();
        if (pipeline == null) {
            startFreeing();
        } else {
            pipeline.stop(this::startFreeing);
        }
    }

    private void stopReadingAhead() {
        if (lookahead != null) {
            lookahead.close();
            lookahead = null;
        }
    }

    /// What was read from remote storage since the loader was created, or null when the records are local.
    RemoteCounts remoteCounts() {
        return remote == null ? null : remote.counts().minus(countsBefore);
    }

    /// Waits until the threads have ended and the memory is freed, up to a time limit.
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

    /// Frees memory on another thread, because freeing thousands of columns takes too long for the caller of
    /// close.
    private void startFreeing() {
        try {
            Thread.ofPlatform().daemon().name("penstock-loader-free").start(this::free);
        } catch (OutOfMemoryError e) {
            // The system cannot create another thread.
            free();
        }
    }

    /// Frees everything. If the consumer is just writing its batch somewhere, that memory is freed when the write
    /// ends.
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

    /// The memory of all batches.
    long heldBytes() {
        return batches.allocatedBytes();
    }
}
