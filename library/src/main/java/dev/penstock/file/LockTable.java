// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.util.Map;
import java.util.TreeMap;

/// The locked byte ranges of a file: does for holders within one process what the operating system does for
/// processes.
///
/// Ranges never overlap, because shared locks are on single bytes. So a range is identified by its first byte.
///
/// **Threads.** One thread at a time.
final class LockTable {
    private final TreeMap<Long, Range> ranges = new TreeMap<>();

    /// A locked range.
    ///
    /// @param holderCount the number of holders of a shared lock, or 0 when the lock is exclusive
    private record Range(long byteCount, int holderCount) {}

    /// Whether a lock can be granted.
    boolean isFree(long start, long byteCount, boolean isShared) {
        if (start < 0 || byteCount < 1) {
            throw new IllegalArgumentException("invalid lock range: " + byteCount + " bytes from byte " + start);
        }
        long limit = Math.addExact(start, byteCount);
        Map.Entry<Long, Range> before = ranges.floorEntry(start);
        if (isShared && before != null && before.getKey() == start && before.getValue().holderCount > 0) {
            return true;
        }
        boolean isBeforeClear = before == null || before.getKey() + before.getValue().byteCount <= start;
        Long next = ranges.higherKey(start);
        return isBeforeClear && (next == null || next >= limit);
    }

    /// Adds a lock that [#isFree] allows.
    void add(long start, long byteCount, boolean isShared) {
        Range present = ranges.get(start);
        int holderCount = !isShared ? 0 : present == null ? 1 : present.holderCount + 1;
        ranges.put(start, new Range(byteCount, holderCount));
    }

    /// Removes the lock of one holder.
    ///
    /// @return whether it was the last lock on these bytes
    boolean remove(long start) {
        Range present = ranges.get(start);
        if (present.holderCount > 1) {
            ranges.put(start, new Range(present.byteCount, present.holderCount - 1));
            return false;
        }
        ranges.remove(start);
        return true;
    }
}
