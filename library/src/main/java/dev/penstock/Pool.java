// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Things that are costly to make and are used again: as many as were ever needed at once.
///
/// **Threads.** Any number; what is borrowed is one thread's until it is given back.
public final class Pool<T> implements AutoCloseable {
    private final Supplier<T> make;
    private final Consumer<T> free;
    /// The one given back last is borrowed first, for its memory is still in the cache.
    private final ArrayDeque<T> idle = new ArrayDeque<>();

    private boolean isClosed;

    public Pool(Supplier<T> make, Consumer<T> free) {
        this.make = make;
        this.free = free;
    }

    /// One that nobody uses.
    public T borrow() {
        synchronized (idle) {
            T one = idle.pollLast();
            if (one != null) {
                return one;
            }
        }
        return make.get();
    }

    public void giveBack(T one) {
        synchronized (idle) {
            if (!isClosed) {
                idle.addLast(one);
                return;
            }
        }
        free.accept(one);
    }

    /// Frees what is idle, and what is in use when it comes back.
    @Override
    public void close() {
        synchronized (idle) {
            isClosed = true;
            idle.forEach(free);
            idle.clear();
        }
    }
}
