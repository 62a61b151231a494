// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.memory.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.memory.Parallel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;

/// Batches of a dataset, made ahead by threads, in an order that is a function of seed, epoch and position.
///
/// Iterating goes through one epoch; iterating again through the next. [#state] says where the consumer is, and
/// [#resume] goes on there: with the same samples, whatever the batch size, the threads and the number of ranks
/// were and are.
///
/// **Ownership.** The dataset stays the caller's and must outlive the loader. Batches are the loader's; each may
/// be used until the next one is asked for.
///
/// **Threads.** One consumer at a time. [#close], [#stats] and [#state] may be called from any thread.
public final class Loader implements Iterable<LoaderBatch>, AutoCloseable {
    /// What to do with a record that cannot be read.
    public enum OnError {
        /// The consumer gets a [LoaderException] in place of the batch.
        RAISE,
        /// The batch comes without it, and says so.
        SKIP
    }

    /// How to load.
    ///
    /// @param batchSize      records of a batch on one rank
    /// @param sampler        the order, or null for that of the dataset
    /// @param ranks          which part of each step this process takes
    /// @param isDroppingLast whether the smaller step at the end of an epoch is left out
    /// @param threads        how many threads fill batches
    /// @param prefetchBytes  memory for batches that are ready or being filled; two batches at least
    /// @param fields         those wanted, or null for all
    public record Options(
            long batchSize,
            Sampler sampler,
            Ranks ranks,
            boolean isDroppingLast,
            int threads,
            long prefetchBytes,
            List<Field> fields,
            OnError onError) {
        private static final long PREFETCH_BYTES = 64L << 20;

        public Options {
            Objects.requireNonNull(ranks, "ranks");
            Objects.requireNonNull(onError, "onError");
            if (batchSize < 1 || threads < 1 || prefetchBytes < 0) {
                throw new IllegalArgumentException("batches of " + batchSize + " with " + threads + " threads and "
                        + prefetchBytes + " bytes ahead");
            }
        }

        /// Batches of so many records, with the ranks that the environment names and a share of the cores.
        public static Options of(long batchSize) {
            Ranks ranks = Ranks.fromEnvironment();
            int threads = Math.max(1, Parallel.defaultThreads() / ranks.localWorldSize());
            return new Options(batchSize, null, ranks, false, threads, PREFETCH_BYTES, null, OnError.RAISE);
        }

        public Options withSampler(Sampler sampler) {
            return new Options(batchSize, sampler, ranks, isDroppingLast, threads, prefetchBytes, fields, onError);
        }

        public Options withRanks(Ranks ranks) {
            return new Options(batchSize, sampler, ranks, isDroppingLast, threads, prefetchBytes, fields, onError);
        }

        public Options withDroppingLast(boolean isDroppingLast) {
            return new Options(batchSize, sampler, ranks, isDroppingLast, threads, prefetchBytes, fields, onError);
        }

        public Options withThreads(int threads) {
            return new Options(batchSize, sampler, ranks, isDroppingLast, threads, prefetchBytes, fields, onError);
        }

        public Options withPrefetchBytes(long prefetchBytes) {
            return new Options(batchSize, sampler, ranks, isDroppingLast, threads, prefetchBytes, fields, onError);
        }

        public Options withFields(List<Field> fields) {
            return new Options(batchSize, sampler, ranks, isDroppingLast, threads, prefetchBytes, fields, onError);
        }

        public Options withOnError(OnError onError) {
            return new Options(batchSize, sampler, ranks, isDroppingLast, threads, prefetchBytes, fields, onError);
        }
    }

    /// More batches ahead bring nothing and only take memory.
    private static final int SLOT_COUNT_MAX = 64;

    /// Closing waits for the batches under way, but not longer; what is not done then goes with the last thread.
    private static final long CLOSE_MILLIS = 800;

    private final Dataset dataset;
    private final Options options;
    private final Sampler sampler;
    private final List<Field> fields;
    private final LoaderBatch[] slots;
    private long epoch;
    /// Samples of the epoch that all ranks had before the pass under way.
    private long start;
    private long stepsTaken;
    private Steps steps;
    private Pipeline pipeline;
    private boolean isClosed;
    private long batchCount;
    private long rowTotal;
    private long byteTotal;
    private long skippedTotal;
    private long waitNanos;
    private long pastGatherNanos;

    private Loader(Dataset dataset, Options options) {
        this.dataset = dataset;
        this.options = options;
        this.sampler = options.sampler() == null ? new SequentialSampler(dataset.count()) : options.sampler();
        this.fields = options.fields() == null ? dataset.fields() : options.fields();
        if (sampler.recordCount() != dataset.count()) {
            throw new IllegalArgumentException(
                    "the order is of " + sampler.recordCount() + " records, the dataset has " + dataset.count());
        }
        this.slots = new LoaderBatch[slotCount()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new LoaderBatch(Batch.create(fields));
        }
    }

    /// Makes a loader. Nothing is read before it is iterated.
    public static Loader open(Dataset dataset, Options options) {
        return new Loader(dataset, options);
    }

    private int slotCount() {
        long rowBytes = U64.byteSize();
        for (Field field : fields) {
            rowBytes += field.isVariable() ? dataset.bytes() / Math.max(1, dataset.count()) : field.itemSize();
        }
        long batchBytes = Math.max(1, Math.multiplyExact(rowBytes, options.batchSize()));
        return Math.clamp(options.prefetchBytes() / batchBytes, 2, SLOT_COUNT_MAX);
    }

    /// The epoch that is being iterated, or comes next.
    public synchronized long epoch() {
        return epoch;
    }

    /// Goes to the start of an epoch.
    public synchronized void setEpoch(long epoch) {
        if (epoch < 0) {
            throw new IllegalArgumentException("epochs count from 0, and " + epoch + " is below");
        }
        stopPass();
        this.epoch = epoch;
        this.start = 0;
    }

    /// Steps of a whole epoch.
    public long stepCount() {
        return steps(0).count();
    }

    private Steps steps(long start) {
        return new Steps(
                sampler.length(), start, options.batchSize(), options.ranks().worldSize(), options.isDroppingLast());
    }

    /// Where the consumer is: what was handed out counts, what was made ahead does not.
    public synchronized LoaderState state() throws IOException {
        long delivered = steps == null ? start : steps.deliveredAfter(stepsTaken);
        return new LoaderState(
                dataset.fingerprint(), dataset.count(), sampler.name(), sampler.parameters(), epoch, delivered);
    }

    /// Goes on where a state was taken.
    ///
    /// @throws IllegalArgumentException when it is of another dataset or another order
    public synchronized void resume(LoaderState state) throws IOException {
        state.requireOf(dataset.fingerprint(), sampler);
        if (state.delivered() > sampler.length()) {
            throw new IllegalArgumentException(
                    "the state has " + state.delivered() + " samples of an epoch of " + sampler.length());
        }
        stopPass();
        epoch = state.epoch();
        start = state.delivered();
    }

    /// The rest of the epoch, and when that is done the next one.
    @Override
    public Iterator<LoaderBatch> iterator() {
        beginPass();
        return new Iterator<>() {
            private LoaderBatch next;
            private boolean isOver;

            @Override
            public boolean hasNext() {
                if (next == null && !isOver) {
                    next = take();
                    isOver = next == null;
                }
                return next != null;
            }

            @Override
            public LoaderBatch next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                LoaderBatch result = next;
                next = null;
                return result;
            }
        };
    }

    private synchronized void beginPass() {
        requireOpen();
        stopPass();
        steps = steps(start);
        stepsTaken = 0;
        long passEpoch = epoch;
        Steps passSteps = steps;
        pipeline = new Pipeline(
                slots, options.threads(), 0, steps.count(), (step, batch) -> fill(passEpoch, passSteps, step, batch));
        pipeline.start();
    }

    /// The next batch, or null at the end of the epoch.
    private LoaderBatch take() {
        Pipeline running;
        long step;
        synchronized (this) {
            running = pipeline;
            step = stepsTaken;
            if (running == null || step >= steps.count()) {
                endEpoch();
                return null;
            }
        }
        long before = System.nanoTime();
        try {
            LoaderBatch batch = running.take(step);
            return batch == null ? null : taken(batch, System.nanoTime() - before);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized LoaderBatch taken(LoaderBatch batch, long waited) {
        stepsTaken++;
        batchCount++;
        rowTotal += batch.rowCount();
        byteTotal += batch.columns().stream()
                .mapToLong(column -> column.values().byteSize())
                .sum();
        skippedTotal += batch.skippedCount();
        waitNanos += waited;
        return batch;
    }

    private void endEpoch() {
        if (pipeline != null) {
            stopPass();
            epoch++;
            start = 0;
        }
    }

    private void fill(long epoch, Steps steps, long step, LoaderBatch batch) throws IOException {
        Steps.Share share = steps.share(step, options.ranks().rank());
        MemorySegment indices = batch.reserve(share.count());
        long realBytes = share.realCount() * U64.byteSize();
        sampler.fill(epoch, share.position(), indices.asSlice(0, realBytes));
        sampler.fill(epoch, share.padPosition(), indices.asSlice(realBytes));
        try {
            dataset.gather(indices, batch.batch());
            batch.complete(epoch, step, share.count(), share.paddedCount(), 0);
        } catch (DatasetException e) {
            Failing.handle(dataset, options.onError(), e, epoch, step, share, indices, batch);
        }
    }

    /// What was done so far.
    public synchronized LoaderStats stats() {
        long heldBytes = 0;
        for (LoaderBatch slot : slots) {
            heldBytes += slot.allocatedBytes();
        }
        long gatherNanos = pastGatherNanos + (pipeline == null ? 0 : pipeline.gatherNanos());
        int queuedCount = pipeline == null ? 0 : pipeline.readyCount();
        return new LoaderStats(
                batchCount, rowTotal, byteTotal, skippedTotal, waitNanos, gatherNanos, queuedCount, heldBytes);
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the loader is closed");
        }
    }

    private void stopPass() {
        if (pipeline == null) {
            return;
        }
        start = steps.deliveredAfter(stepsTaken);
        pipeline.stop();
        pipeline.awaitEnd(Long.MAX_VALUE / 2_000_000);
        pastGatherNanos += pipeline.gatherNanos();
        pipeline = null;
        steps = null;
        stepsTaken = 0;
    }

    /// Ends the threads and frees the memory. A consumer that waits gets the end of the epoch.
    @Override
    public void close() {
        Pipeline running;
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            running = pipeline;
        }
        if (running != null) {
            running.stop();
        }
        if (running == null || running.awaitEnd(CLOSE_MILLIS)) {
            for (LoaderBatch slot : slots) {
                slot.close();
            }
        }
    }
}
