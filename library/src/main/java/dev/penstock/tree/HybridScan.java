// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.ClosedException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;

/// A scan over the paths of a [HybridTree] in order: those of its snapshot merged with the changes in memory.
///
/// ```java
/// try (HybridScan scan = tree.scan()) {
///     while (scan.next()) {
///         use(scan.pathBytes(), scan.pathSize(), scan.value());
///     }
/// }
/// ```
///
/// Changes made while the scan is open may or may not be seen.
///
/// **Ownership.** Keeps its snapshot mapped until it is closed, even if the tree has moved to a newer one or is
/// closed. [#pathBytes] is valid until the next call of [#next].
///
/// **Threads.** One thread at a time.
public final class HybridScan implements PathScan, AutoCloseable {
    private final TreeReader snapshot;
    private final TreeScan scan;
    private final Iterator<Map.Entry<byte[], OptionalLong>> changes;
    private boolean hasEntry;
    private Map.Entry<byte[], OptionalLong> change;

    /// The source of the current path: negative for the snapshot, positive for the changes, zero for both.
    private int order;

    private boolean isClosed;

    /// @param snapshot already acquired, or null when there is none; released on close
    /// @param scan     a scan over the snapshot, or null
    /// @param changes  the changes to these paths
    HybridScan(TreeReader snapshot, TreeScan scan, Map<byte[], OptionalLong> changes) {
        this.snapshot = snapshot;
        this.scan = scan;
        this.changes = changes.entrySet().iterator();
    }

    @Override
    public boolean next() {
        if (isClosed) {
            throw new ClosedException("the scan is closed");
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
            // A change without a value is a removed path.
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

    /// Whether the path has a value. It always has for scans of callers; writing a snapshot also visits paths
    /// without a value.
    boolean hasValue() {
        return order >= 0 || scan.hasValue();
    }

    /// Releases the snapshot.
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
