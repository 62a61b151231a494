// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// Counts the users of a resource and frees it when the last lease is returned.
///
/// The owner holds the first lease and returns it with [#close], which may be called more than once. Calls that
/// hold a lease at that time finish; new leases are refused.
///
/// **Threads.** Safe for any number of threads.
public final class Leases {
    private static final int GONE = 0;

    private final Runnable free;
    private final AtomicInteger count = new AtomicInteger(1);
    private final AtomicBoolean isOwnerGone = new AtomicBoolean();

    public Leases(Runnable free) {
        this.free = free;
    }

    /// Takes a lease.
    ///
    /// @return false when the owner has closed the resource
    public boolean acquire() {
        return !isOwnerGone.get() && acquireAgain();
    }

    /// Takes a further lease for a caller that already holds one. This succeeds even after the owner has closed
    /// the resource.
    ///
    /// @return false when the resource has been freed
    public boolean acquireAgain() {
        return count.getAndUpdate(leases -> leases == GONE ? GONE : leases + 1) != GONE;
    }

    /// Returns a lease, and frees the resource if it was the last one.
    public void release() {
        if (count.decrementAndGet() == GONE) {
            free.run();
        }
    }

    /// Whether anyone except the owner holds a lease.
    public boolean isLent() {
        return count.get() > 1;
    }

    /// Returns the owner's lease.
    public void close() {
        if (isOwnerGone.compareAndSet(false, true)) {
            release();
        }
    }
}
