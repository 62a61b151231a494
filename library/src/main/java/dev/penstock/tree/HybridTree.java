// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Progress;
import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;

/// A tree that takes changes: puts and removes are kept in memory, over a mapped snapshot on disk.
///
/// [#snapshot] writes the snapshot and the changes together as a new tree, which replaces the file in one step,
/// and goes on over the new file. Changes since the last snapshot are lost when the process ends. Without a file
/// the tree begins empty. Paths without values are kept.
///
/// One hybrid tree at a time may be open on a file, among all processes, so that no changes are lost. Opening a
/// second one fails and names the process that has the first. The lock ends with its process. Readers do not ask
/// for it, and neither does [#openToCopy].
///
/// **Ownership.** Owns the reader of the snapshot.
///
/// **Threads.** Any number. Reads never wait; they see all changes that were complete when they began, whether a
/// snapshot is under way or not. One snapshot is written at a time, and puts go on meanwhile.
public final class HybridTree implements AutoCloseable {
    /// Changed paths in order. An empty value is a path that was removed.
    private static final class Changes extends ConcurrentSkipListMap<byte[], OptionalLong> {
        Changes() {
            super(Arrays::compareUnsigned);
        }
    }

    /// All that a read needs, seen at one moment. Later changes win over earlier ones, and these over the
    /// snapshot.
    ///
    /// @param snapshot null when there is none
    /// @param earlier  changes that a snapshot under way is writing, or that a failed one did not write; or null
    private record State(TreeReader snapshot, Changes earlier, Changes later) {
        OptionalLong change(byte[] path) {
            OptionalLong change = later.get(path);
            return change == null && earlier != null ? earlier.get(path) : change;
        }

        /// All changes as one map, in which the later ones win.
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
    }

    private static final byte[] EMPTY = {};
    private static final int PROGRESS_EVERY = 1 << 14;

    private final Path path;
    private final TreeWriter.Options options;
    /// Held until the tree is closed; null when it was opened to be copied.
    private final NewFile lock;
    /// Held for the moment of each change, so that a snapshot begins between two changes.
    private final Object changing = new Object();

    private volatile State state;
    private volatile boolean isClosed;

    private HybridTree(Path path, TreeWriter.Options options, NewFile lock, TreeReader snapshot) {
        this.path = path;
        this.options = options.withReplacing(true);
        this.lock = lock;
        this.state = new State(snapshot, null, new Changes());
    }

    /// Opens a tree, or begins an empty one when there is no such file.
    ///
    /// @throws java.nio.file.FileSystemException when the file is open as a hybrid tree already; the message names
    ///                                           the process
    public static HybridTree open(Path path) throws IOException {
        return open(path, TreeWriter.Options.DEFAULT);
    }

    /// Opens a tree, or begins an empty one when there is no such file.
    ///
    /// @param options how snapshots are written
    public static HybridTree open(Path path, TreeWriter.Options options) throws IOException {
        Path target = options.disk().target(path.toAbsolutePath());
        Path lockName = target.resolveSibling(target.getFileName() + ".lock");
        NewFile lock = NewFile.createAlone(options.disk(), lockName, path);
        try {
            return open(path, options, lock);
        } catch (Throwable e) {
            lock.close();
            throw e;
        }
    }

    /// Opens a tree whose changes are written under other names only, by [#snapshotTo]. It takes no lock, so its
    /// folder need not be writable, and another process may change the file meanwhile.
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

    /// The file of the snapshots.
    public Path path() {
        return path;
    }

    /// Sets the value of a path, which is unsigned.
    public void put(byte[] path, long value) {
        change(path, OptionalLong.of(value));
    }

    /// Removes a path, if it is there.
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

    /// The number of changed paths that the snapshot does not have.
    public long changeCount() {
        return state.changes().size();
    }

    /// All paths in order.
    public HybridScan scan() {
        return scanPrefix(EMPTY);
    }

    /// All paths that begin with a prefix, in order.
    public HybridScan scanPrefix(byte[] prefix) {
        byte[] limit = TreeScan.afterPrefix(prefix);
        State now = acquire();
        NavigableMap<byte[], OptionalLong> changes = now.changes();
        return scan(
                now,
                snapshot -> snapshot.scanRange(prefix, limit),
                limit == null ? changes.tailMap(prefix, true) : changes.subMap(prefix, limit));
    }

    /// A scan that releases the snapshot when it is closed.
    private static HybridScan scan(
            State acquired, Function<TreeReader, TreeScan> begin, Map<byte[], OptionalLong> changes) {
        TreeReader snapshot = acquired.snapshot;
        try {
            return new HybridScan(snapshot, snapshot == null ? null : begin.apply(snapshot), changes);
        } catch (Throwable e) {
            acquired.release();
            throw e;
        }
    }

    /// The present state, whose snapshot cannot go before it is released. A snapshot that is closed has been
    /// replaced by a newer one.
    private State acquire() {
        while (true) {
            requireOpen();
            State now = state;
            if (now.acquire()) {
                return now;
            }
        }
    }

    /// Writes everything as a new tree that replaces the file in one step.
    ///
    /// When this fails nothing is lost: all reads go on as before, and the next snapshot writes all changes.
    public TreeWriter.Summary snapshot() throws IOException {
        return snapshot(Progress.NONE);
    }

    /// Writes everything as a new tree that replaces the file in one step.
    ///
    /// @param progress told about the bytes written, of about as many as the snapshot before has
    /// @throws IllegalStateException when the tree is closed, or was opened to be copied
    public synchronized TreeWriter.Summary snapshot(Progress progress) throws IOException {
        if (lock == null) {
            throw new IllegalStateException(path + " was opened to be copied: write the copy under another name");
        }
        State before;
        synchronized (changing) {
            requireOpen();
            before = new State(state.snapshot, state.changes(), new Changes());
            before.acquire();
            state = before;
        }
        TreeWriter.Summary summary = write(before, path, options, progress);
        TreeReader written = read(path, options.disk());
        synchronized (changing) {
            state = new State(written, null, before.later);
        }
        if (before.snapshot != null) {
            before.snapshot.close();
        }
        return summary;
    }

    /// Writes everything as a new tree under another name. This tree stays as it is, with its changes.
    ///
    /// @param target  not the file of this tree
    /// @param options how the tree is written, and whether an existing one is replaced
    public TreeWriter.Summary snapshotTo(Path target, TreeWriter.Options options, Progress progress)
            throws IOException {
        if (target.toAbsolutePath().normalize().equals(path.toAbsolutePath().normalize())) {
            throw new IllegalArgumentException(
                    target + " is the file of this tree: take a snapshot without naming a file to replace it");
        }
        State now = acquire();
        return write(new State(now.snapshot, now.changes(), new Changes()), target, options, progress);
    }

    /// Writes the snapshot with the earlier changes, and releases the snapshot.
    private static TreeWriter.Summary write(State state, Path target, TreeWriter.Options options, Progress progress)
            throws IOException {
        long expectedBytes = state.snapshot == null ? Long.MAX_VALUE : state.snapshot.bytes();
        try (HybridScan scan = scan(state, TreeReader::scanEnds, state.earlier)) {
            return TreeWriter.write(target, options, writer -> {
                for (long count = 1; scan.next(); count++) {
                    writer.append(scan.pathBytes(), 0, scan.pathSize(), scan.hasValue(), scan.value());
                    if (count % PROGRESS_EVERY == 0) {
                        progress.at(Math.min(writer.writtenBytes(), expectedBytes), expectedBytes);
                    }
                }
            });
        }
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException(path + " is closed");
        }
    }

    /// Closes the snapshot and gives up the lock, after a snapshot under way. Changes since the last snapshot are
    /// dropped.
    @Override
    public synchronized void close() throws IOException {
        synchronized (changing) {
            isClosed = true;
        }
        if (state.snapshot != null) {
            state.snapshot.close();
        }
        if (lock != null) {
            lock.close();
        }
    }
}
