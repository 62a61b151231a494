// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.Iterator;
import java.util.NoSuchElementException;

/// The iterator of a consumer over a pass. A batch counts as delivered when [#next] has returned it.
final class LoaderIterator implements Iterator<LoaderBatch> {
    private final Loader loader;
    private final LoaderPass pass;
    private LoaderBatch next;
    private long waitNanos;
    private boolean isOver;

    LoaderIterator(Loader loader, LoaderPass pass) {
        this.loader = loader;
        this.pass = pass;
    }

    @Override
    public boolean hasNext() {
        if (next == null && !isOver) {
            long before = System.nanoTime();
            next = loader.take(pass);
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
        loader.handOut(pass, result, waitNanos);
        return result;
    }
}
