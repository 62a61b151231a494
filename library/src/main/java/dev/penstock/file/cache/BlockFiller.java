// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import java.util.ArrayDeque;
import java.util.Deque;

/// Fetches blocks in the background, a few at the same time, so that requests that somebody waits for come first.
/// When many are waiting, further ones are left out: they are asked for again with the next record.
///
/// **Threads.** Safe for any number of threads.
final class BlockFiller {
    private static final int RUNNING_MAX = 4;
    private static final int WAITING_MAX = 256;

    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int running;

    /// Returns whether the work will be done. It is left out while too much is waiting.
    boolean add(Runnable work) {
        synchronized (waiting) {
            if (waiting.size() >= WAITING_MAX) {
                return false;
            }
            waiting.add(work);
            if (running == RUNNING_MAX) {
                return true;
            }
            running++;
        }
        Thread.ofVirtual().name("penstock-cache-fill").start(this::run);
        return true;
    }

    private void run() {
        Runnable next = next();
        while (next != null) {
            try {
                next.run();
            } catch (RuntimeException | OutOfMemoryError e) {
                // The next read of the block requests it again and reports the error.
            }
            next = next();
        }
    }

    private Runnable next() {
        synchronized (waiting) {
            Runnable next = waiting.poll();
            if (next == null) {
                running--;
            }
            return next;
        }
    }
}
