// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Things that are costly to make and are used again: as many as were ever needed at once.
///
/// **Threads.** Any number; what is borrowed is one thread's until it is given back.
public final class Pool<T> implements AutoCloseable {
    private final Supplier<T> make;
    private final Consumer<T> free;
    private final ConcurrentLinkedQueue<T> idle = new ConcurrentLinkedQueue<>();
    private volatile boolean isClosed;

    public Pool(Supplier<T> make, Consumer<T> free) {
        this.make = make;
        this.free = free;
    }

    /// One that nobody uses.
    public T borrow() {
        T one = idle.poll();
        return one == null ? make.get() : one;
    }

    public void giveBack(T one) {
        idle.add(one);
        if (isClosed) {
            freeIdle();
        }
    }

    private void freeIdle() {
        for (T one = idle.poll(); one != null; one = idle.poll()) {
            free.accept(one);
        }
    }

    /// Frees what is idle, and what is in use when it comes back.
    @Override
    public void close() {
        isClosed = true;
        freeIdle();
    }
}
