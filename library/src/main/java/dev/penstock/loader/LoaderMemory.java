// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.memory.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import java.util.List;
import java.util.function.BooleanSupplier;

/// The batches and threads of a loader: all that has to be ended and freed.
///
/// It does not know the loader, so that one which is forgotten can become garbage while its threads still wait.
///
/// **Threads.** Any number; a pass is started and stopped by one at a time.
final class LoaderMemory {
    /// More batches ahead bring nothing and only take memory.
    private static final int BATCH_COUNT_MAX = 64;

    private final Dataset dataset;
    private final List<Field> readFields;
    private final LoaderOptions options;
    private final LoaderBatch[] batches;
    private final BatchMaker[] makers;
    private Pipeline pipeline;
    private long pastFillNanos;
    private boolean isReleased;

    private LoaderMemory(Dataset dataset, List<Field> readFields, LoaderOptions options, LoaderBatch[] batches) {
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
        long batchBytes = Math.max(1, Math.multiplyExact(rowBytes, options.batchSize()));
        int count = Math.clamp(options.prefetchBytes() / batchBytes, 2, BATCH_COUNT_MAX);
        LoaderBatch[] batches = new LoaderBatch[count];
        for (int i = 0; i < count; i++) {
            batches[i] = new LoaderBatch(Batch.create(fields));
        }
        return new LoaderMemory(dataset, readFields, options, batches);
    }

    BatchMaker createMaker() {
        return new BatchMaker(dataset, readFields, options);
    }

    /// Starts to make the batches of an epoch.
    ///
    /// @throws IllegalStateException when everything was freed
    synchronized Pipeline startPass(Sampler sampler, long epoch, Steps steps) {
        if (isReleased) {
            throw new IllegalStateException("the loader is closed");
        }
        BatchMaker[] own = makers;
        pipeline = new Pipeline(
                batches,
                options.threads(),
                steps.count(),
                options.prefetchBytes(),
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
            pastFillNanos += running.fillNanos();
            pipeline = null;
        }
    }

    /// Ends the threads and frees everything as soon as none of them uses it.
    synchronized void release() {
        if (isReleased) {
            return;
        }
        isReleased = true;
        if (pipeline == null) {
            free();
        } else {
            pipeline.stop(this::free);
        }
    }

    /// Waits for the threads, but not for ever.
    void awaitRelease(long millis) {
        Pipeline running = pipeline();
        if (running != null) {
            running.awaitEnd(millis);
        }
    }

    private void free() {
        for (LoaderBatch batch : batches) {
            batch.close();
        }
        for (BatchMaker maker : makers) {
            maker.close();
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
        long bytes = 0;
        for (LoaderBatch batch : batches) {
            bytes += batch.allocatedBytes();
        }
        return bytes;
    }
}
