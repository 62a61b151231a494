// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.memory.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/// A tree that takes changes: puts and removes in memory, over a mapped snapshot.
///
/// [#snapshot] writes everything as a new tree, which replaces the file in one step, and goes on over that one.
/// Changes that were not snapshot when the process ends are lost. Without a snapshot it is a map in memory. Paths
/// without values are not carried from one snapshot to the next.
///
/// **Ownership.** Owns the reader of the snapshot.
///
/// **Threads.** Any number. Reads never wait; they see all changes that were complete when they began, whether a
/// snapshot is under way or not. One snapshot is written at a time, and puts go on meanwhile.
public final class HybridTree implements AutoCloseable {
    /// Told each path and its value, in order.
    @FunctionalInterface
    public interface Visitor {
        /// @param bytes the path, in an array that is usually longer and says something else after the call
        void visit(byte[] bytes, int size, long value) throws IOException;
    }

    /// All that a read needs, seen at one moment. Later changes win over earlier ones, and these over the
    /// snapshot. An empty value is a path that was removed.
    ///
    /// @param snapshot null when there is none
    /// @param earlier  changes that a snapshot under way is writing, or that one which failed did not write; or
    ///                 null
    private record State(
            TreeReader snapshot,
            ConcurrentNavigableMap<byte[], OptionalLong> earlier,
            ConcurrentNavigableMap<byte[], OptionalLong> later) {

        OptionalLong change(byte[] path) {
            OptionalLong change = later.get(path);
            return change == null && earlier != null ? earlier.get(path) : change;
        }

        Iterator<Map.Entry<byte[], OptionalLong>> changes(byte[] from) {
            Iterator<Map.Entry<byte[], OptionalLong>> newer = entries(later, from);
            return earlier == null ? newer : new LayeredChanges(newer, entries(earlier, from));
        }

        private static Iterator<Map.Entry<byte[], OptionalLong>> entries(
                ConcurrentNavigableMap<byte[], OptionalLong> changes, byte[] from) {
            return changes.tailMap(from, true).entrySet().iterator();
        }
    }

    private static final byte[] EMPTY = {};

    private final Path path;
    private final TreeWriter.Options options;
    /// Taken by whoever changes something, for the moment that it takes.
    private final Object changing = new Object();

    private volatile State state;
    private volatile boolean isClosed;

    private HybridTree(Path path, TreeWriter.Options options, TreeReader snapshot) {
        this.path = path;
        this.options = options.withReplacing(true);
        this.state = new State(snapshot, null, newChanges());
    }

    /// Opens a snapshot, or begins without one when there is no such file.
    public static HybridTree open(Path path) throws IOException {
        return open(path, TreeWriter.Options.DEFAULT);
    }

    /// Opens a snapshot, or begins without one when there is no such file.
    ///
    /// @param options how snapshots are written
    public static HybridTree open(Path path, TreeWriter.Options options) throws IOException {
        Disk disk = options.disk();
        TreeReader snapshot =
                disk.exists(path) ? TreeReader.open(path, TreeReader.Options.DEFAULT.withDisk(disk)) : null;
        return new HybridTree(path, options, snapshot);
    }

    private static ConcurrentNavigableMap<byte[], OptionalLong> newChanges() {
        return new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
    }

    /// Gives a path a value, which is unsigned.
    public void put(byte[] path, long value) {
        change(path, OptionalLong.of(value));
    }

    /// Takes a path out, if it is there.
    public void remove(byte[] path) {
        change(path, OptionalLong.empty());
    }

    private void change(byte[] path, OptionalLong value) {
        if (path.length > TreeFormat.KEY_SIZE_MAX) {
            throw new IllegalArgumentException(
                    "a path of " + path.length + " bytes is too long: at most " + TreeFormat.KEY_SIZE_MAX);
        }
        byte[] key = path.clone();
        synchronized (changing) {
            requireOpen();
            state.later.put(key, value);
        }
    }

    /// The value of a path.
    public OptionalLong get(byte[] path) {
        while (true) {
            requireOpen();
            State now = state;
            OptionalLong change = now.change(path);
            if (change != null || now.snapshot == null) {
                return change == null ? OptionalLong.empty() : change;
            }
            // A snapshot that is closed has been replaced by a newer one.
            if (now.snapshot.acquire()) {
                try {
                    return now.snapshot.get(path);
                } finally {
                    now.snapshot.release();
                }
            }
        }
    }

    /// Whether a path has a value.
    public boolean contains(byte[] path) {
        return get(path).isPresent();
    }

    /// Changes that the snapshot does not have.
    public long changeCount() {
        State now = state;
        return now.later.size() + (now.earlier == null ? 0 : now.earlier.size());
    }

    /// All paths in order.
    public void forEach(Visitor visitor) throws IOException {
        forEach(EMPTY, visitor);
    }

    /// All paths that begin with a prefix, in order. Changes made meanwhile may be seen or not.
    public void forEach(byte[] prefix, Visitor visitor) throws IOException {
        while (true) {
            requireOpen();
            State now = state;
            if (now.snapshot == null) {
                merge(now, null, prefix, visitor);
                return;
            }
            if (now.snapshot.acquire()) {
                try {
                    merge(now, now.snapshot.scanPrefix(prefix), prefix, visitor);
                    return;
                } finally {
                    now.snapshot.release();
                }
            }
        }
    }

    private static void merge(State state, TreeScan scan, byte[] prefix, Visitor visitor) throws IOException {
        Iterator<Map.Entry<byte[], OptionalLong>> changes = state.changes(prefix);
        Map.Entry<byte[], OptionalLong> change = nextChange(changes, prefix);
        boolean hasEntry = scan != null && scan.next();
        while (hasEntry || change != null) {
            int order = !hasEntry ? 1 : change == null ? -1 : compare(scan, change.getKey());
            if (order < 0) {
                visitor.visit(scan.pathBytes(), scan.pathSize(), scan.value());
            } else if (change.getValue().isPresent()) {
                visitor.visit(
                        change.getKey(),
                        change.getKey().length,
                        change.getValue().getAsLong());
            }
            if (order >= 0) {
                change = nextChange(changes, prefix);
            }
            if (order <= 0) {
                hasEntry = scan.next();
            }
        }
    }

    private static int compare(TreeScan scan, byte[] key) {
        return Arrays.compareUnsigned(scan.pathBytes(), 0, scan.pathSize(), key, 0, key.length);
    }

    private static Map.Entry<byte[], OptionalLong> nextChange(
            Iterator<Map.Entry<byte[], OptionalLong>> changes, byte[] prefix) {
        if (!changes.hasNext()) {
            return null;
        }
        Map.Entry<byte[], OptionalLong> change = changes.next();
        byte[] key = change.getKey();
        int shared = Math.min(prefix.length, key.length);
        return shared == prefix.length && Arrays.equals(prefix, 0, shared, key, 0, shared) ? change : null;
    }

    /// Writes everything as a new tree that takes the place of the old one.
    ///
    /// When it fails nothing is lost: all reads go on as before, and the next snapshot writes all changes.
    public synchronized TreeWriter.Summary snapshot() throws IOException {
        State before;
        synchronized (changing) {
            requireOpen();
            State now = state;
            ConcurrentNavigableMap<byte[], OptionalLong> all = now.later;
            if (now.earlier != null) {
                all = newChanges();
                all.putAll(now.earlier);
                all.putAll(now.later);
            }
            before = new State(now.snapshot, all, newChanges());
            state = before;
        }
        TreeWriter.Summary summary = write(new State(before.snapshot, null, before.earlier));
        TreeReader written = TreeReader.open(path, TreeReader.Options.DEFAULT.withDisk(options.disk()));
        synchronized (changing) {
            if (isClosed) {
                written.close();
                requireOpen();
            }
            state = new State(written, null, before.later);
        }
        if (before.snapshot != null) {
            before.snapshot.close();
        }
        return summary;
    }

    private TreeWriter.Summary write(State all) throws IOException {
        TreeWriter writer = TreeWriter.create(path, options);
        try {
            TreeScan scan = all.snapshot == null ? null : all.snapshot.scan();
            merge(all, scan, EMPTY, (bytes, size, value) -> writer.append(bytes, 0, size, value));
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
        return writer.summary();
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException(path + " is closed");
        }
    }

    @Override
    public void close() {
        synchronized (changing) {
            isClosed = true;
            if (state.snapshot != null) {
                state.snapshot.close();
            }
        }
    }
}
