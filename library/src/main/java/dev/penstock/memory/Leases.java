// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// Counts who uses a resource and frees it when the last one lets go.
///
/// The owner has the first lease and gives it back with [#close], any number of times. Uses under way then
/// finish; new ones are refused.
final class Leases {
    private static final int GONE = 0;

    private final Runnable free;
    private final AtomicInteger count = new AtomicInteger(1);
    private final AtomicBoolean isOwnerGone = new AtomicBoolean();

    Leases(Runnable free) {
        this.free = free;
    }

    /// Takes a lease.
    ///
    /// @return false when the owner has closed the resource
    boolean acquire() {
        if (isOwnerGone.get()) {
            return false;
        }
        return count.getAndUpdate(leases -> leases == GONE ? GONE : leases + 1) != GONE;
    }

    void release() {
        if (count.decrementAndGet() == GONE) {
            free.run();
        }
    }

    /// Whether anybody but the owner holds one.
    boolean isLent() {
        return count.get() > 1;
    }

    void close() {
        if (isOwnerGone.compareAndSet(false, true)) {
            release();
        }
    }
}
