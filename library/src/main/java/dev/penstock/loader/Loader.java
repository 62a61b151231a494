// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Batch;
import dev.penstock.ClosedException;
import dev.penstock.Dataset;
import dev.penstock.Field;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Cleaner;
import java.util.Iterator;
import java.util.List;

/// Batches of a dataset, prefetched by threads, in an order that is a function of seed, epoch and position.
///
/// Iterating goes through one epoch; iterating again goes through the next, even if the previous one was not
/// finished. [#state] returns a checkpoint of the consumer, and [#resume] continues from it with the same samples,
/// for any batch size, number of threads and number of ranks.
///
/// **Ownership.** The dataset belongs to the caller and must outlive the loader. Batches belong to the loader;
/// each may be used until the next one is requested, also by `hasNext`.
///
/// **Lifecycle.** A loader that becomes garbage without being closed ends its threads. It never keeps the process
/// alive.
///
/// **Threads.** One consumer at a time. [#close] and all methods that only return information, such as [#stats],
/// [#state] and [#epoch], may be called from any thread, including those of transforms.
public final class Loader implements Iterable<LoaderBatch>, AutoCloseable {
    /// The longest time that closing waits for running batches. Afterwards the last thread frees the rest.
    private static final long CLOSE_MILLIS = 800;

    /// How often a loader that waits for its threads checks whether it was closed.
    private static final long LOOK_MILLIS = 50;

    private static final Cleaner CLEANER = Cleaner.create();

    private final Dataset dataset;
    private final LoaderOptions options;
    private final int rank;
    private final List<Field> fields;
    private final LoaderOrder order;
    private final SegmentLog log;
    private final LoaderMemory memory;
    private final LoaderCounts counts = new LoaderCounts();
    private long epoch;
    /// The number of samples of the epoch that all ranks had before the running pass.
    private long start;
    private long stepsTaken;
    /// The pass of the last iterator; null when there is none.
    private LoaderPass underWay;

    /// The time spent in [#awaitNext] for the next batch.
    private long awaitedNanos;
    /// The number of finished passes.
    private long passCount;
    /// The pass through the next epoch, whose batches are prefetched from the end of the present one on; null if
    /// they are not.
    private LoaderPass ahead;

    private volatile boolean isClosed;

    private Loader(Dataset dataset, LoaderOptions options) {
        this.dataset = dataset;
        this.options = options;
        this.rank = options.ranks().rank();
        this.order = new LoaderOrder(dataset, options);
        this.log = new SegmentLog(options);
        order.steps(0);
        List<Field> read = options.fields() == null ? dataset.fields() : options.fields();
        for (Field field : read) {
            if (!dataset.fields().contains(field)) {
                throw new IllegalArgumentException(
                        dataset.location() + " has no field " + field + "; its fields are " + dataset.fields());
            }
        }
        this.fields = BatchMaker.stageFields(read, options.transforms()).getLast();
        this.memory = LoaderMemory.create(dataset, read, fields, options);
        CLEANER.register(this, memory::release);
    }

    /// Creates a loader. Nothing is read before it is iterated.
    ///
    /// @throws IllegalArgumentException when the sampler has another number of records, its shares cannot be
    ///                                  divided among the ranks, the dataset lacks a field, or a transform does
    ///                                  not fit the fields
    public static Loader open(Dataset dataset, LoaderOptions options) {
        return new Loader(dataset, options);
    }

    /// The fields of the batches, after all transforms.
    public List<Field> fields() {
        return fields;
    }

    /// The epoch that is being iterated, or the next one.
    public synchronized long epoch() {
        return epoch;
    }

    /// The number of records that this epoch samples: those of the dataset, or fewer if a checkpoint was resumed
    /// after the dataset had grown.
    public synchronized long recordCount() {
        return order.sampler().recordCount();
    }

    /// The number of steps of the running pass, from its start to the end of the epoch; or of the next pass, when
    /// there is none.
    public synchronized long passStepCount() {
        return underWay == null ? order.steps(start).count(rank) : underWay.count();
    }

    /// Moves to the start of an epoch.
    public void setEpoch(long epoch) {
        if (epoch < 0) {
            throw new IllegalArgumentException("the epoch must not be negative, got " + epoch);
        }
        synchronized (this) {
            if (ahead != null && ahead.epoch() == epoch && canUse(ahead) && !order.isMovingOn()) {
                return;
            }
        }
        stopPass();
        beginEpoch(epoch);
    }

    /// The number of steps of a whole epoch on this rank.
    public synchronized long stepCount() {
        return order.steps(0).count(rank);
    }

    /// Returns a checkpoint of the consumer. Delivered batches count, prefetched ones do not.
    public LoaderState state() throws IOException {
        return state(Long.MAX_VALUE);
    }

    /// Returns a checkpoint of a consumer that has used only the first steps of the running pass.
    ///
    /// @param usedSteps the number of steps used since the iterator was created; larger numbers count as all
    ///                  delivered steps
    public synchronized LoaderState state(long usedSteps) throws IOException {
        long used = Math.min(usedSteps, stepsTaken);
        long delivered = underWay == null ? start : underWay.steps().deliveredAfter(used);
        return order.state(epoch, delivered, log.segments());
    }

    /// Continues from a checkpoint. If the dataset has grown by appending since then, its old length is used for
    /// this and all further epochs, until [#moveOn].
    ///
    /// @throws IllegalArgumentException when the checkpoint belongs to another dataset or another sampler
    public void resume(LoaderState state) throws IOException {
        Sampler resumed;
        synchronized (this) {
            resumed = order.requireOwn(state);
        }
        stopPass();
        synchronized (this) {
            order.resume(resumed, state);
            epoch = state.epoch();
            start = state.delivered();
            log.resume(state);
        }
    }

    /// Moves back within the running pass, so that batches that were delivered but not used are delivered again.
    /// The present iterator ends; the next one starts with the first of these batches.
    ///
    /// @param usedSteps the number of steps used since the iterator was created
    /// @return whether there were such batches
    public boolean rewind(long usedSteps) {
        synchronized (this) {
            requireOpen();
            if (underWay == null || usedSteps >= stepsTaken) {
                return false;
            }
            if (usedSteps < 0) {
                throw new IllegalArgumentException("usedSteps is out of range: " + usedSteps);
            }
            stepsTaken = usedSteps;
        }
        stopPass();
        return true;
    }

    /// Includes records that were added to the dataset, also by [Dataset#refresh], from the next epoch on. The
    /// order of the running epoch does not change.
    public synchronized void moveOn() {
        order.moveOn();
        if (start == 0 && underWay == null) {
            beginEpoch(epoch);
        }
    }

    private synchronized void beginEpoch(long epoch) {
        this.epoch = epoch;
        this.start = 0;
        order.beginEpoch();
    }

    /// Creates a batch for [#read].
    public LoaderBatch createBatch() {
        return new LoaderBatch(Batch.create(fields));
    }

    /// What this loader delivers in any epoch, with its present number of records.
    public synchronized Plan plan() {
        return new Plan(order.sampler(), order.steps(0));
    }

    /// What training has seen at every step, and what it will see with this loader.
    public synchronized History history() {
        List<Segment> segments =
                underWay == null ? log.continuing(epoch, start, order.sampler().recordCount()) : log.segments();
        return new History(segments, order::sampler);
    }

    /// Reads the batch of any step of any epoch, counted from the start of the epoch, without changing the
    /// iteration.
    ///
    /// @throws IndexOutOfBoundsException when the step is out of range
    public void read(long epoch, long step, LoaderBatch target) throws IOException {
        Sampler sampler;
        Steps whole;
        synchronized (this) {
            requireOpen();
            sampler = order.sampler();
            whole = order.steps(0);
        }
        long count = whole.count(rank);
        if (epoch < 0 || step < 0 || step >= count) {
            throw new IndexOutOfBoundsException(
                    "step " + step + " of epoch " + epoch + " is out of range: an epoch has " + count + " steps");
        }
        try (BatchMaker maker = memory.createMaker()) {
            maker.make(sampler, epoch, whole, step, target);
        }
    }

    /// Iterates over one epoch, or over its rest after [#resume]. Iterating again goes through the next epoch,
    /// even if the previous one was left early.
    ///
    /// A batch counts as delivered when `next` has returned it. Another iterator, [#setEpoch] and [#resume] end
    /// this one: using it afterwards throws an [IllegalStateException].
    @Override
    public Iterator<LoaderBatch> iterator() {
        return new LoaderIterator(this, beginPass());
    }

    private LoaderPass beginPass() {
        boolean isLeftEarly;
        synchronized (this) {
            isLeftEarly = stepsTaken > 0;
            if (ahead != null && !isClosed && canUse(ahead)) {
                underWay = ahead;
                stepsTaken = 0;
                ahead = null;
                log.begin(epoch, start, order.sampler().recordCount());
                return underWay;
            }
        }
        stopPass();
        synchronized (this) {
            requireOpen();
            if (isLeftEarly) {
                beginEpoch(epoch + 1);
            } else if (passCount > 0 && start == 0 && options.isFollowing()) {
                order.beginEpoch();
            }
            underWay = startPass();
            stepsTaken = 0;
            log.begin(epoch, start, order.sampler().recordCount());
            return underWay;
        }
    }

    private boolean canUse(LoaderPass next) {
        return underWay == null && start == 0 && epoch == next.epoch() && order.sampler() == next.sampler();
    }

    /// Starts threads that make the rest of the epoch. They continue with the next epochs, except in the first
    /// pass, because many loaders are used for a single pass, such as an evaluation.
    private LoaderPass startPass() {
        Steps rest = order.steps(start);
        long count = rest.count(rank);
        boolean isLasting = passCount > 0 && start == 0 && count > 0 && !order.isMovingOn();
        Pipeline pipeline = memory.startPass(order.sampler(), epoch, rest, isLasting);
        return new LoaderPass(pipeline, order.sampler(), epoch, rest, count, 0, isLasting);
    }

    /// Moves to the next epoch. If the threads are already working on it, they continue.
    private void endPass(LoaderPass pass) {
        synchronized (this) {
            passCount++;
            log.reach(pass.epoch() + 1, 0);
            if (pass.isLasting() && !order.isMovingOn() && !isClosed) {
                epoch = pass.epoch() + 1;
                start = 0;
                stepsTaken = 0;
                underWay = null;
                ahead = pass.following();
                return;
            }
        }
        stopPass();
        synchronized (this) {
            beginEpoch(pass.epoch() + 1);
            // A loader that follows a writer begins an epoch with the last commit, so it makes no batch ahead of
            // it.
            if (passCount > 1 && !isClosed && !options.isFollowing() && stepCount() > 0) {
                ahead = startPass();
            }
        }
    }

    /// Waits until the next batch of the running pass is ready, at most for the given time. It is for callers that
    /// have other things to do while they wait. It requests the next batch, so the previous one must not be used
    /// any more.
    ///
    /// @return whether the iterator returns without waiting
    public boolean awaitNext(long millis) {
        LoaderPass pass;
        long step;
        synchronized (this) {
            if (isClosed || underWay == null || stepsTaken >= underWay.count()) {
                return true;
            }
            pass = underWay;
            step = pass.firstStep() + stepsTaken;
        }
        long before = System.nanoTime();
        boolean isReady = pass.pipeline().awaitReady(step, millis);
        synchronized (this) {
            awaitedNanos += System.nanoTime() - before;
        }
        return isReady;
    }

    /// Returns the next batch, or null at the end of the epoch.
    LoaderBatch take(LoaderPass pass) {
        long step;
        synchronized (this) {
            if (isClosed) {
                return null;
            }
            requireUnderWay(pass);
            step = stepsTaken;
        }
        if (step >= pass.count()) {
            endPass(pass);
            return null;
        }
        try {
            return pass.pipeline().take(pass.firstStep() + step);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private void requireUnderWay(LoaderPass pass) {
        if (underWay != pass) {
            throw new IllegalStateException(
                    "this iteration is over: another one was started, or the loader was moved to"
                            + " another position; use the newest iterator");
        }
    }

    /// Counts a batch as delivered.
    synchronized void handOut(LoaderPass pass, LoaderBatch batch, long waitNanos) {
        if (!isClosed) {
            requireUnderWay(pass);
            stepsTaken++;
            counts.add(batch, waitNanos + awaitedNanos);
            awaitedNanos = 0;
        }
    }

    /// The statistics so far. It does not wait for a running batch.
    public LoaderStats stats() {
        return counts.stats(memory);
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException("the loader is closed");
        }
    }

    /// Ends the running pass. It waits for the threads without holding a lock, because a transform may call this
    /// loader.
    private void stopPass() {
        synchronized (this) {
            ahead = null;
            if (underWay != null) {
                start = underWay.steps().deliveredAfter(stepsTaken);
                boolean isWhole = stepsTaken >= underWay.count();
                log.reach(isWhole ? underWay.epoch() + 1 : underWay.epoch(), isWhole ? 0 : start);
                underWay = null;
                stepsTaken = 0;
            }
        }
        memory.stopPass(() -> isClosed, LOOK_MILLIS);
    }

    /// Ends the threads and frees the memory. For a waiting consumer the epoch ends.
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            memory.release();
            memory.awaitRelease(CLOSE_MILLIS);
        }
    }
}
