// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;

/// The paths of a [HybridTree] in order: those of its snapshot merged with the changes in memory.
///
/// ```java
/// try (HybridScan scan = tree.scan()) {
///     while (scan.next()) {
///         use(scan.pathBytes(), scan.pathSize(), scan.value());
///     }
/// }
/// ```
///
/// A change that is made while the scan is open may be seen or not.
///
/// **Ownership.** Keeps the snapshot that it began with mapped until it is closed, even when the tree has gone on
/// to a newer one or is closed. [#pathBytes] is valid until the next call of [#next].
///
/// **Threads.** One at a time.
public final class HybridScan implements PathScan, AutoCloseable {
    private final TreeReader snapshot;
    private final TreeScan scan;
    private final Iterator<Map.Entry<byte[], OptionalLong>> changes;
    private boolean hasEntry;
    private Map.Entry<byte[], OptionalLong> change;

    /// Which source the present path is from: negative for the snapshot, positive for the changes, zero for both.
    private int order;

    private boolean isClosed;

    /// @param snapshot acquired already, or null when there is none; released on close
    /// @param scan     the paths of the snapshot to go through, or null
    /// @param changes  the changes to these paths
    HybridScan(TreeReader snapshot, TreeScan scan, Map<byte[], OptionalLong> changes) {
        this.snapshot = snapshot;
        this.scan = scan;
        this.changes = changes.entrySet().iterator();
    }

    @Override
    public boolean next() {
        if (isClosed) {
            throw new IllegalStateException("the scan is closed");
        }
        do {
            if (order <= 0) {
                hasEntry = scan != null && scan.next();
            }
            if (order >= 0) {
                change = changes.hasNext() ? changes.next() : null;
            }
            if (!hasEntry && change == null) {
                return false;
            }
            order = !hasEntry ? 1 : change == null ? -1 : compare(change.getKey());
            // A change without a value is a path that was removed.
        } while (order >= 0 && change.getValue().isEmpty());
        return true;
    }

    private int compare(byte[] key) {
        return Arrays.compareUnsigned(scan.pathBytes(), 0, scan.pathSize(), key, 0, key.length);
    }

    @Override
    public byte[] pathBytes() {
        return order < 0 ? scan.pathBytes() : change.getKey();
    }

    @Override
    public int pathSize() {
        return order < 0 ? scan.pathSize() : change.getKey().length;
    }

    @Override
    public long value() {
        return order < 0 ? scan.value() : change.getValue().getAsLong();
    }

    /// Whether the path has a value. Always true for scans that callers open; a snapshot also carries paths
    /// without one.
    boolean hasValue() {
        return order >= 0 || scan.hasValue();
    }

    /// Lets go of the snapshot.
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            if (snapshot != null) {
                snapshot.release();
            }
        }
    }
}
