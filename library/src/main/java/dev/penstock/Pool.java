// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// A pool of reusable objects that are expensive to create. It grows to the largest number ever used at the same
/// time.
///
/// **Threads.** Safe for any number of threads. A borrowed object belongs to one thread until it is returned.
///
/// [Pool] and [Buffer] are in `dev.penstock` and not in `file`. Views need them, and `dev.penstock` depends
/// on no other package.
public final class Pool<T> implements AutoCloseable {
    private final Supplier<T> make;
    private final Consumer<T> free;
    /// Idle objects. The one returned last is borrowed first, because its memory is still in the CPU cache.
    private final ArrayDeque<T> idle = new ArrayDeque<>();

    private boolean isClosed;

    public Pool(Supplier<T> make, Consumer<T> free) {
        this.make = make;
        this.free = free;
    }

    /// Borrows an idle object, or creates one.
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

    /// Frees the idle objects now, and the borrowed ones when they are returned.
    @Override
    public void close() {
        synchronized (idle) {
            isClosed = true;
            idle.forEach(free);
            idle.clear();
        }
    }
}
