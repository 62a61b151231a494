// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Cleaner;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/// Batches of a dataset, made ahead by threads, in an order that is a function of seed, epoch and position.
///
/// Iterating goes through one epoch; iterating again through the next, whether or not the one before came to its
/// end. [#state] says where the consumer is, and [#resume] goes on there: with the same samples, whatever the
/// batch size, the threads and the number of ranks were and are.
///
/// **Ownership.** The dataset stays the caller's and must outlive the loader. Batches are the loader's; each may
/// be used until the next one is asked for, be it by `hasNext`.
///
/// **Lifecycle.** One that is forgotten rather than closed ends its threads once it is garbage, and never keeps
/// the process alive.
///
/// **Threads.** One consumer at a time. [#close] and all that only tells something, such as [#stats], [#state] and
/// [#epoch], may be called from any thread, those of transforms too.
public final class Loader implements Iterable<LoaderBatch>, AutoCloseable {
    /// Closing waits for the batches under way, but not longer; what is not done then goes with the last thread.
    private static final long CLOSE_MILLIS = 800;

    /// How often a loader that waits for its threads looks whether it was closed.
    private static final long LOOK_MILLIS = 50;

    private static final Cleaner CLEANER = Cleaner.create();

    private final Dataset dataset;
    private final LoaderOptions options;
    private final List<Field> fields;
    /// The order as it was asked for, and that of the epoch, which may be of fewer records.
    private final Sampler wholeSampler;

    private Sampler sampler;
    private final LoaderMemory memory;
    private final LoaderCounts counts = new LoaderCounts();
    private long epoch;
    /// Samples of the epoch that all ranks had before the pass under way.
    private long start;
    private long stepsTaken;
    private Steps steps;
    /// The pass that the iterator made last goes through.
    private Pipeline underWay;

    private boolean isMovingOn;
    private String fingerprint;
    private long fingerprintCount = -1;
    private volatile boolean isClosed;

    private Loader(Dataset dataset, LoaderOptions options) {
        this.dataset = dataset;
        this.options = options;
        this.wholeSampler = options.sampler() == null ? new SequentialSampler(dataset.count()) : options.sampler();
        this.sampler = wholeSampler;
        if (sampler.recordCount() != dataset.count()) {
            throw new IllegalArgumentException(
                    "the order is of " + sampler.recordCount() + " records, the dataset has " + dataset.count());
        }
        steps(0);
        List<Field> read = options.fields() == null ? dataset.fields() : options.fields();
        for (Field field : read) {
            if (!dataset.fields().contains(field)) {
                throw new IllegalArgumentException(
                        "no field " + field + " in " + dataset.location() + "; there are: " + dataset.fields());
            }
        }
        this.fields = BatchMaker.stageFields(read, options.transforms()).getLast();
        this.memory = LoaderMemory.create(dataset, read, fields, options);
        CLEANER.register(this, memory::release);
    }

    /// Makes a loader. Nothing is read before it is iterated.
    ///
    /// @throws IllegalArgumentException when the order is of another number of records, its shares cannot be
    ///                                  divided among the ranks, the dataset lacks a field, or a transform does
    ///                                  not fit the fields
    public static Loader open(Dataset dataset, LoaderOptions options) {
        return new Loader(dataset, options);
    }

    /// What the batches hold, after all transforms.
    public List<Field> fields() {
        return fields;
    }

    /// The epoch that is being iterated, or comes next.
    public synchronized long epoch() {
        return epoch;
    }

    /// Records that this epoch draws from: those of the dataset, or fewer when it was resumed after it had grown.
    public synchronized long recordCount() {
        return sampler.recordCount();
    }

    /// Steps of the pass under way, from where it began to the end of the epoch; 0 when there is none.
    public synchronized long passStepCount() {
        return steps == null ? 0 : steps.count();
    }

    /// Goes to the start of an epoch.
    public void setEpoch(long epoch) {
        if (epoch < 0) {
            throw new IllegalArgumentException("epochs count from 0, and " + epoch + " is below");
        }
        stopPass();
        beginEpoch(epoch);
    }

    /// Steps of a whole epoch.
    public synchronized long stepCount() {
        return steps(0).count();
    }

    private Steps steps(long start) {
        return Steps.of(sampler, start, options.batchSize(), options.ranks().worldSize(), options.isDroppingLast());
    }

    /// Where the consumer is: what was handed out counts, what was made ahead does not.
    public LoaderState state() throws IOException {
        return state(Long.MAX_VALUE);
    }

    /// Where the consumer is when it has used only the first steps of the pass under way.
    ///
    /// @param usedSteps steps since the iterator was made; more than were handed out count as all of them
    public synchronized LoaderState state(long usedSteps) throws IOException {
        long delivered = steps == null ? start : steps.deliveredAfter(Math.min(usedSteps, stepsTaken));
        long recordCount = sampler.recordCount();
        return new LoaderState(
                fingerprint(recordCount), recordCount, sampler.name(), sampler.parameters(), epoch, delivered);
    }

    /// The fingerprint is kept, so that a state may be asked for with every step.
    private String fingerprint(long recordCount) throws IOException {
        if (fingerprintCount != recordCount) {
            fingerprint = dataset.fingerprint(recordCount);
            fingerprintCount = recordCount;
        }
        return fingerprint;
    }

    /// Goes on where a state was taken. A dataset that has grown by appending since then is taken at its old
    /// length, for this and all further epochs, until [#moveOn].
    ///
    /// @throws IllegalArgumentException when it is of another dataset or another order
    public void resume(LoaderState state) throws IOException {
        Sampler order = requireOwn(state);
        stopPass();
        synchronized (this) {
            sampler = order;
            isMovingOn = false;
            epoch = state.epoch();
            start = state.delivered();
        }
    }

    /// @return the order that a state goes on with
    private synchronized Sampler requireOwn(LoaderState state) throws IOException {
        long recordCount = state.recordCount();
        boolean hasGrown = recordCount < dataset.count();
        Sampler order = hasGrown ? state.resizing(wholeSampler) : wholeSampler;
        String then = hasGrown ? dataset.fingerprint(recordCount) : fingerprint(dataset.count());
        boolean isSame = state.fingerprint().equals(then)
                || recordCount <= dataset.count() && dataset.hasFingerprint(state.fingerprint(), recordCount);
        state.requireOf(then, isSame, dataset.count(), order);
        if (state.delivered() > order.length()) {
            throw new IllegalArgumentException(
                    "the state has " + state.delivered() + " samples of an epoch of " + order.length());
        }
        return order;
    }

    /// Goes back within the pass under way, so that batches that were handed out and could not be used come again.
    /// The iterator is over after that; the next one goes on with the first of these batches.
    ///
    /// @param usedSteps steps that were used since the iterator was made
    /// @return whether there were such batches
    public boolean rewind(long usedSteps) {
        synchronized (this) {
            requireOpen();
            if (steps == null || usedSteps >= stepsTaken) {
                return false;
            }
            if (usedSteps < 0) {
                throw new IllegalArgumentException("a consumer cannot have used " + usedSteps + " steps");
            }
            stepsTaken = usedSteps;
        }
        stopPass();
        return true;
    }

    /// Takes in the records that the dataset has gained: from the next epoch on, for the one under way has its
    /// order already.
    public synchronized void moveOn() {
        isMovingOn = true;
        if (start == 0 && steps == null) {
            beginEpoch(epoch);
        }
    }

    private synchronized void beginEpoch(long epoch) {
        this.epoch = epoch;
        this.start = 0;
        if (isMovingOn) {
            sampler = wholeSampler;
        }
    }

    /// A batch for [#read].
    public LoaderBatch createBatch() {
        return new LoaderBatch(Batch.create(fields));
    }

    /// The batch of any step of any epoch, counted from the start of the epoch; the iteration is not touched.
    ///
    /// @throws IndexOutOfBoundsException when an epoch has no such step
    public void read(long epoch, long step, LoaderBatch target) throws IOException {
        Sampler order;
        Steps whole;
        synchronized (this) {
            requireOpen();
            order = sampler;
            whole = steps(0);
        }
        if (epoch < 0 || step < 0 || step >= whole.count()) {
            throw new IndexOutOfBoundsException(
                    "step " + step + " of epoch " + epoch + " is not among the " + whole.count() + " of an epoch");
        }
        try (BatchMaker maker = memory.createMaker()) {
            maker.make(order, epoch, whole, step, target);
        }
    }

    /// One epoch, or what is left of it after [#resume]. Iterating again is the next epoch, also when the one
    /// before was left early.
    ///
    /// A batch counts as delivered when `next` has returned it. Another iterator, [#setEpoch] and [#resume] put an
    /// end to this one: using it then is an [IllegalStateException].
    @Override
    public Iterator<LoaderBatch> iterator() {
        Pipeline pass = beginPass();
        return new Iterator<>() {
            private LoaderBatch next;
            private long waitNanos;
            private boolean isOver;

            @Override
            public boolean hasNext() {
                if (next == null && !isOver) {
                    long before = System.nanoTime();
                    next = take(pass);
                    waitNanos = System.nanoTime() - before;
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
                handOut(pass, result, waitNanos);
                return result;
            }
        };
    }

    private Pipeline beginPass() {
        boolean isLeftEarly;
        synchronized (this) {
            isLeftEarly = stepsTaken > 0;
        }
        stopPass();
        synchronized (this) {
            requireOpen();
            if (isLeftEarly) {
                beginEpoch(epoch + 1);
            }
            Steps rest = steps(start);
            underWay = memory.startPass(sampler, epoch, rest);
            steps = rest;
            stepsTaken = 0;
            return underWay;
        }
    }

    /// The next batch, or null at the end of the epoch.
    private LoaderBatch take(Pipeline pass) {
        long step;
        long nextEpoch;
        boolean isOver;
        synchronized (this) {
            if (isClosed) {
                return null;
            }
            requireUnderWay(pass);
            step = stepsTaken;
            nextEpoch = epoch + 1;
            isOver = step >= steps.count();
        }
        if (isOver) {
            stopPass();
            beginEpoch(nextEpoch);
            return null;
        }
        try {
            return pass.take(step);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private void requireUnderWay(Pipeline pass) {
        if (underWay != pass) {
            throw new IllegalStateException("this iteration is over: another one began, or the loader was moved to"
                    + " another place; use the iterator that was made last");
        }
    }

    private synchronized void handOut(Pipeline pass, LoaderBatch batch, long waitNanos) {
        if (!isClosed) {
            requireUnderWay(pass);
            stepsTaken++;
            counts.add(batch, waitNanos);
        }
    }

    /// What was done so far. Waits for nobody.
    public LoaderStats stats() {
        return counts.stats(memory);
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the loader is closed");
        }
    }

    /// Ends the pass under way. It waits for the threads without a lock, for a transform may ask this loader
    /// something.
    private void stopPass() {
        synchronized (this) {
            if (steps != null) {
                start = steps.deliveredAfter(stepsTaken);
                steps = null;
                underWay = null;
                stepsTaken = 0;
            }
        }
        memory.stopPass(() -> isClosed, LOOK_MILLIS);
    }

    /// Ends the threads and frees the memory. A consumer that waits gets the end of the epoch.
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            memory.release();
            memory.awaitRelease(CLOSE_MILLIS);
        }
    }
}
