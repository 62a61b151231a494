// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Pool;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import java.util.Iterator;

/// A loader, and the iteration under way.
///
/// **Threads.** As [Loader] says: one consumer at a time.
final class LoaderSource implements AutoCloseable {
    private final Loader loader;
    private final Pool<HeldBatch> held;
    private Iterator<LoaderBatch> batches;

    LoaderSource(Loader loader) {
        this.loader = loader;
        this.held = Source.pool(loader.fields());
    }

    Loader loader() {
        return loader;
    }

    /// Begins to iterate: the rest of the epoch.
    void begin() {
        batches = loader.iterator();
    }

    /// The iteration under way; where there is none, one begins.
    Iterator<LoaderBatch> batches() {
        if (batches == null) {
            begin();
        }
        return batches;
    }

    /// The iteration came to its end.
    void end() {
        batches = null;
    }

    /// Takes over a batch of the loader.
    HeldBatch hold(LoaderBatch batch) {
        HeldBatch one = held.borrow();
        one.takeOver(batch);
        return one;
    }

    @Override
    public void close() {
        loader.close();
        held.close();
    }
}
