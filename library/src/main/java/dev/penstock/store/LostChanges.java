// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// Remembers who has to be told that changes were given up.
///
/// **Threads.** Guarded by the lock of [StoreCore].
final class LostChanges {
    /// The threads whose changes were given up and that do not know it yet, with the first index given up.
    private final Map<Thread, Long> uninformed = new HashMap<>();
    /// Whether changes were given up that no commit has reported.
    private boolean isUnreported;
    /// The threads that know of all these changes.
    private final Set<Thread> informed = new HashSet<>();

    /// Records that changes of these threads were given up because a write failed.
    ///
    /// @param firstIndex the first index that was given up
    void fail(Set<Thread> authors, long firstIndex) {
        discard(authors, firstIndex);
        isUnreported = true;
        informed.clear();
    }

    /// Records that changes of these threads were given up.
    void discard(Set<Thread> authors, long firstIndex) {
        authors.forEach(author -> uninformed.putIfAbsent(author, firstIndex));
    }

    /// Whether changes of a thread were given up and it does not know it.
    boolean concerns(Thread thread) {
        return uninformed.containsKey(thread);
    }

    /// Called when a thread is told.
    ///
    /// @param present the first index of the present batch
    /// @return the first index that this thread has lost
    long tell(Thread thread, long present) {
        Long first = uninformed.remove(thread);
        informed.add(thread);
        return first == null ? present : first;
    }

    /// Whether a write failed, and neither a thread nor any commit has been told.
    boolean isUnknownTo(Thread thread) {
        return isUnreported && !informed.contains(thread);
    }

    /// Called when a commit reports the failure, or nobody needs to know of it any more.
    void report() {
        isUnreported = false;
        informed.clear();
    }

    /// Called when a thread commits. If it and all others concerned know what was given up, it is settled.
    void committedBy(Thread thread) {
        if (uninformed.isEmpty() && informed.contains(thread)) {
            report();
        }
    }
}
