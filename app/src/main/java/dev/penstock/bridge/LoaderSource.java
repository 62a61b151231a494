// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import java.util.Iterator;
import java.util.OptionalLong;

/// A loader, and the iteration under way.
///
/// **Threads.** Any number: consumers take turns. Closing waits for none that waits for a batch, and never frees
/// memory that is being handed over.
final class LoaderSource implements AutoCloseable {
    private final Loader loader;
    private final OptionalLong seed;
    private final HeldBatches held;
    /// Held while memory changes hands, and while the loader frees its own.
    private final Object handover = new Object();

    private Iterator<LoaderBatch> batches;

    /// @param seed which seeds the records of batches get, if any
    LoaderSource(Loader loader, OptionalLong seed) {
        this.loader = loader;
        this.seed = seed;
        this.held = new HeldBatches(loader.fields());
    }

    Loader loader() {
        return loader;
    }

    /// Begins to iterate: the rest of the epoch.
    ///
    /// @return the number of steps
    synchronized long begin() {
        batches = loader.iterator();
        return loader.passStepCount();
    }

    /// Begins again behind the steps that the other language has used, if there are others.
    ///
    /// @return the number of steps from there on, or -1 when there were no others
    synchronized long rewind(long usedSteps) {
        return loader.rewind(usedSteps) ? begin() : -1;
    }

    /// Forgets the iteration under way.
    synchronized void end() {
        batches = null;
    }

    /// The next batch; where no iteration is under way, one begins.
    ///
    /// @return null at the end of the epoch
    synchronized HeldBatch next() {
        if (batches == null) {
            begin();
        }
        if (!batches.hasNext()) {
            end();
            return null;
        }
        return hold(batches.next());
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
            // The loader was closed meanwhile.
            one.free();
            throw e;
        }
    }

    @Override
    public void close() {
        synchronized (handover) {
            loader.close();
        }
        held.close();
    }
}
