// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.ClosedException;
import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/// A tree that can be changed: puts and removes are kept in memory, on top of a mapped snapshot on disk.
///
/// [#snapshot] writes the snapshot and the changes together as a new tree, which replaces the file atomically, and
/// continues with the new file. Changes since the last snapshot are lost when the process ends. Without a file the
/// tree starts empty. Paths without values are kept.
///
/// A hybrid tree holds the lock of its file until it is closed, so that no changes are lost. Opening a second one,
/// in any process, fails with a message that names the process of the first, and so does a [TreeWriter] that would
/// replace the file. The lock ends with its process. Readers and [#openToCopy] do not need it.
///
/// Changes to a tree are kept in memory and written as a whole new tree; the command line and
/// Python use the same class. There is no file of pending changes. A reader or a crash finds the old tree or
/// the new one, and the file on disk is always a plain tree. A call that changes many keys writes the tree
/// once.
///
/// **Ownership.** Owns the reader of the snapshot.
///
/// **Threads.** Safe for any number of threads. Reads never wait; they see all changes that were complete when
/// they began, even while a snapshot is written. One snapshot is written at a time, and puts continue meanwhile.
public final class HybridTree implements AutoCloseable {
    /// Changed paths in order. An empty value is a removed path.
    private static final class Changes extends ConcurrentSkipListMap<byte[], OptionalLong> {
        Changes() {
            super(Arrays::compareUnsigned);
        }
    }

    /// A consistent view for reads. Later changes override earlier ones, and both override the snapshot.
    ///
    /// @param snapshot the snapshot, or null when there is none
    /// @param earlier  changes that are being written by a snapshot, or that a failed snapshot did not write; or
    ///                 null
    private record State(TreeReader snapshot, Changes earlier, Changes later) {
        OptionalLong change(byte[] path) {
            OptionalLong change = later.get(path);
            return change == null && earlier != null ? earlier.get(path) : change;
        }

        /// All changes as one map, in which later ones override earlier ones.
        Changes changes() {
            if (earlier == null) {
                return later;
            }
            Changes all = new Changes();
            all.putAll(earlier);
            all.putAll(later);
            return all;
        }

        /// @return false when the snapshot is closed
        boolean acquire() {
            return snapshot == null || snapshot.acquire();
        }

        void release() {
            if (snapshot != null) {
                snapshot.release();
            }
        }

        /// Creates a scan that releases the snapshot, which is already acquired, when it is closed.
        HybridScan scan(Function<TreeReader, TreeScan> begin, Map<byte[], OptionalLong> changes) {
            try {
                return new HybridScan(snapshot, snapshot == null ? null : begin.apply(snapshot), changes);
            } catch (Throwable e) {
                release();
                throw e;
            }
        }
    }

    private static final byte[] EMPTY = {};
    private static final int PROGRESS_EVERY = 1 << 14;

    private final Path path;
    private final TreeWriter.Options options;
    /// Held until the tree is closed; null when it was opened with [#openToCopy].
    private final NewFile lock;
    /// Held while a snapshot is written, and while the tree is closed.
    private final Lock snapshotting = new ReentrantLock();
    /// Held during each change, so that a snapshot begins between two changes.
    private final Object changing = new Object();

    private volatile State state;
    private volatile boolean isClosed;

    private HybridTree(Path path, TreeWriter.Options options, NewFile lock, TreeReader snapshot) {
        this.path = path;
        this.options = options.withReplacing(true);
        this.lock = lock;
        this.state = new State(snapshot, null, new Changes());
    }

    /// Opens a tree, or creates an empty one when the file does not exist.
    ///
    /// @throws java.nio.file.FileSystemException when the file is already open as a hybrid tree; the message names
    ///                                           the process
    public static HybridTree open(Path path) throws IOException {
        return open(path, TreeWriter.Options.DEFAULT);
    }

    /// @param options the options for writing snapshots
    public static HybridTree open(Path path, TreeWriter.Options options) throws IOException {
        NewFile lock = TreeWriter.lock(options.disk(), path);
        try {
            return open(path, options, lock);
        } catch (Throwable e) {
            lock.close();
            throw e;
        }
    }

    /// Opens a tree whose changes are written only to other files, by [#snapshotTo]. It takes no lock, so its
    /// folder need not be writable, and another process may change the file at the same time.
    public static HybridTree openToCopy(Path path) throws IOException {
        return open(path, TreeWriter.Options.DEFAULT, null);
    }

    private static HybridTree open(Path path, TreeWriter.Options options, NewFile lock) throws IOException {
        boolean isThere = options.disk().exists(path);
        return new HybridTree(path, options, lock, isThere ? read(path, options.disk()) : null);
    }

    private static TreeReader read(Path path, Disk disk) throws IOException {
        return TreeReader.open(path, TreeReader.Options.DEFAULT.withDisk(disk));
    }

    /// The path of the tree.
    public Path path() {
        return path;
    }

    /// Sets the unsigned value of a path.
    public void put(byte[] path, long value) {
        change(path, OptionalLong.of(value));
    }

    /// Removes a path, if it exists.
    public void remove(byte[] path) {
        change(path, OptionalLong.empty());
    }

    private void change(byte[] path, OptionalLong value) {
        TreeFormat.requireKeySize(path.length);
        byte[] key = path.clone();
        synchronized (changing) {
            requireOpen();
            state.later.put(key, value);
        }
    }

    /// The value of a path.
    public OptionalLong get(byte[] path) {
        State now = acquire();
        try {
            OptionalLong change = now.change(path);
            return change != null ? change : now.snapshot == null ? OptionalLong.empty() : now.snapshot.get(path);
        } finally {
            now.release();
        }
    }

    /// Whether a path has a value.
    public boolean contains(byte[] path) {
        return get(path).isPresent();
    }

    /// The number of changed paths since the last snapshot.
    public long changeCount() {
        return state.changes().size();
    }

    /// Scans all paths in order.
    public HybridScan scan() {
        return scanPrefix(EMPTY);
    }

    /// Scans all paths that begin with a prefix, in order.
    public HybridScan scanPrefix(byte[] prefix) {
        return scanRange(prefix, TreeScan.afterPrefix(prefix));
    }

    /// Scans all paths from one (inclusive) to another (exclusive), in order.
    ///
    /// @param limit the exclusive end, or null
    public HybridScan scanRange(byte[] from, byte[] limit) {
        byte[] end = limit != null && Arrays.compareUnsigned(limit, from) < 0 ? from : limit;
        State now = acquire();
        NavigableMap<byte[], OptionalLong> changes = now.changes();
        return now.scan(
                snapshot -> snapshot.scanRange(from, end),
                end == null ? changes.tailMap(from, true) : changes.subMap(from, true, end, false));
    }

    /// Acquires the current state, whose snapshot stays open until it is released. If its snapshot is closed, a
    /// newer one has replaced it.
    private State acquire() {
        while (true) {
            requireOpen();
            State now = state;
            if (now.acquire()) {
                return now;
            }
        }
    }

    public TreeWriter.Summary snapshot() throws IOException {
        return snapshot(Progress.NONE);
    }

    /// Writes everything as a new tree that replaces the file atomically. If this fails nothing is lost: reads
    /// continue as before, and the next snapshot writes all changes.
    ///
    /// @param progress receives the number of bytes written, and the size of the previous snapshot as an estimate
    ///                 of the total
    /// @throws IllegalStateException when the tree is closed, or was opened with [#openToCopy]
    public TreeWriter.Summary snapshot(Progress progress) throws IOException {
        if (lock == null) {
            throw new IllegalStateException(
                    path + " was opened for copying: write the copy to another file with snapshotTo");
        }
        snapshotting.lock();
        try {
            return writeSnapshot(progress);
        } finally {
            snapshotting.unlock();
        }
    }

    private TreeWriter.Summary writeSnapshot(Progress progress) throws IOException {
        State before;
        synchronized (changing) {
            requireOpen();
            before = new State(state.snapshot, state.changes(), new Changes());
            state = before;
        }
        // This tree already holds the lock of the file.
        TreeWriter file = TreeWriter.create(path, options, null, TreeFormat.HEADER_SIZE, ArenaOutput.WINDOW_MAX);
        TreeWriter.Summary summary = TreeWriter.write(file, writer -> {
            before.acquire();
            copy(before, before.earlier, writer, progress);
        });
        TreeReader written = read(path, options.disk());
        synchronized (changing) {
            state = new State(written, null, before.later);
        }
        if (before.snapshot != null) {
            before.snapshot.close();
        }
        return summary;
    }

    /// Writes everything as a new tree to another file. This tree and its changes stay as they are.
    ///
    /// @param target  a path other than that of this tree
    /// @param options the options for writing, and whether an existing tree is replaced
    public TreeWriter.Summary snapshotTo(Path target, TreeWriter.Options options, Progress progress)
            throws IOException {
        if (target.toAbsolutePath().normalize().equals(path.toAbsolutePath().normalize())) {
            throw new IllegalArgumentException(
                    target + " is the file of this tree: use snapshot without a target to replace it");
        }
        return TreeWriter.write(target, options, writer -> {
            State now = acquire();
            copy(now, now.changes(), writer, progress);
        });
    }

    /// Writes a snapshot, which is acquired and then released, together with changes.
    private static void copy(State acquired, Changes changes, TreeWriter writer, Progress progress) throws IOException {
        long expectedBytes = acquired.snapshot == null ? Long.MAX_VALUE : acquired.snapshot.bytes();
        try (HybridScan scan = acquired.scan(TreeReader::scanEnds, changes)) {
            for (long count = 1; scan.next(); count++) {
                writer.append(scan.pathBytes(), 0, scan.pathSize(), scan.hasValue(), scan.value());
                if (count % PROGRESS_EVERY == 0) {
                    progress.at(Math.min(writer.writtenBytes(), expectedBytes), expectedBytes);
                }
            }
        }
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException(path + " is closed");
        }
    }

    /// Closes the snapshot and releases the lock, after a snapshot in progress has finished. Changes since the
    /// last snapshot are dropped.
    @Override
    public void close() throws IOException {
        snapshotting.lock();
        try {
            synchronized (changing) {
                isClosed = true;
            }
            if (state.snapshot != null) {
                state.snapshot.close();
            }
            if (lock != null) {
                lock.close();
            }
        } finally {
            snapshotting.unlock();
        }
    }
}
