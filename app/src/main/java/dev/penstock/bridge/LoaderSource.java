// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.ClosedException;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import java.util.Iterator;
import java.util.OptionalLong;

/// A loader and its running iteration.
///
/// **Threads.** Safe for any number of threads: consumers take turns. Closing does not wait for a consumer that
/// waits for a batch, and never frees memory that is being handed over.
final class LoaderSource implements AutoCloseable {
    private final Loader loader;
    private final OptionalLong seed;
    private final HeldBatches held;
    /// Held while memory changes its owner, and while the loader frees its own memory.
    private final Object handover = new Object();

    private Iterator<LoaderBatch> batches;
    /// Whether the last iteration has reached the end of its epoch.
    private boolean isOver;
    private volatile boolean isClosed;
    /// The ticket of the last rewind, and its result.
    private long lastTicket;

    private long lastSteps;

    /// @param seed the seed from which the records of batches get their own seeds, if any
    LoaderSource(Loader loader, OptionalLong seed) {
        this.loader = loader;
        this.seed = seed;
        this.held = new HeldBatches(loader.fields());
    }

    Loader loader() {
        return loader;
    }

    /// Starts to iterate over the rest of the epoch.
    ///
    /// @return the number of steps
    synchronized long begin() {
        isOver = false;
        batches = loader.iterator();
        return loader.passStepCount();
    }

    /// Starts again after the steps that Python has used, if it has received more than those.
    ///
    /// An interrupted caller repeats the call with the same ticket.
    ///
    /// @return the number of remaining steps, or -1 when it has used all steps it received
    synchronized long rewind(long ticket, long usedSteps) {
        if (ticket != lastTicket) {
            lastSteps = loader.rewind(usedSteps) ? begin() : -1;
            lastTicket = ticket;
        }
        return lastSteps;
    }

    /// Ends the running iteration.
    synchronized void end() {
        isOver = false;
        batches = null;
    }

    /// Returns the next batch. If no iteration is running, one is started, unless the last one has reached its
    /// end: an interrupted caller may not know of the end.
    ///
    /// @return null at the end of the epoch
    synchronized HeldBatch next() {
        requireOpen();
        beginIfNone();
        if (isOver || !batches.hasNext()) {
            end();
            isOver = true;
            return null;
        }
        return hold(batches.next());
    }

    /// Waits for the next batch, at most for the given time.
    ///
    /// @return whether [#next] returns without waiting
    synchronized boolean awaitNext(long millis) {
        beginIfNone();
        return isOver || loader.awaitNext(millis);
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException("the loader is closed");
        }
    }

    private void beginIfNone() {
        if (batches == null && !isOver) {
            begin();
        }
    }

    /// Takes over a batch of the loader.
    HeldBatch hold(LoaderBatch batch) {
        HeldBatch one = held.borrow();
        try {
            synchronized (handover) {
                one.takeOver(batch, seed);
            }
            return one;
        } catch (RuntimeException e) {
            // The loader was closed in the meantime.
            one.free();
            throw e;
        }
    }

    @Override
    public void close() {
        isClosed = true;
        synchronized (handover) {
            loader.close();
        }
        held.close();
    }
}
