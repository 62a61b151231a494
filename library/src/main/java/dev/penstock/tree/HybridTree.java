// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Progress;
import dev.penstock.memory.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;

/// A tree that takes changes: puts and removes are kept in memory, over a mapped snapshot on disk.
///
/// [#snapshot] writes the snapshot and the changes together as a new tree, which replaces the file in one step,
/// and goes on over the new file. Changes since the last snapshot are lost when the process ends. Without a file
/// the tree begins empty. Paths without values are kept.
///
/// The file belongs to one process at a time: when two write snapshots over the same one, the later replaces the
/// earlier, and the earlier's changes are lost.
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

        /// All changes from a path on as one map, in which the later ones win.
        Changes changes(byte[] from) {
            Changes all = new Changes();
            if (earlier != null) {
                all.putAll(earlier.tailMap(from, true));
            }
            all.putAll(later.tailMap(from, true));
            return all;
        }
    }

    private static final byte[] EMPTY = {};
    private static final int PROGRESS_EVERY = 1 << 14;

    private final Path path;
    private final TreeWriter.Options options;
    /// Held for the moment of each change, so that a snapshot begins between two changes.
    private final Object changing = new Object();

    private volatile State state;
    private volatile boolean isClosed;

    private HybridTree(Path path, TreeWriter.Options options, TreeReader snapshot) {
        this.path = path;
        this.options = options.withReplacing(true);
        this.state = new State(snapshot, null, new Changes());
    }

    /// Opens a tree, or begins an empty one when there is no such file.
    public static HybridTree open(Path path) throws IOException {
        return open(path, TreeWriter.Options.DEFAULT);
    }

    /// Opens a tree, or begins an empty one when there is no such file.
    ///
    /// @param options how snapshots are written
    public static HybridTree open(Path path, TreeWriter.Options options) throws IOException {
        Disk disk = options.disk();
        TreeReader snapshot =
                disk.exists(path) ? TreeReader.open(path, TreeReader.Options.DEFAULT.withDisk(disk)) : null;
        return new HybridTree(path, options, snapshot);
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
        return read(now -> {
            OptionalLong change = now.change(path);
            return change != null ? change : now.snapshot == null ? OptionalLong.empty() : now.snapshot.get(path);
        });
    }

    /// Whether a path has a value.
    public boolean contains(byte[] path) {
        return get(path).isPresent();
    }

    /// The number of changed paths that the snapshot does not have.
    public long changeCount() {
        State now = state;
        return now.earlier == null ? now.later.size() : now.changes(EMPTY).size();
    }

    /// All paths in order.
    public HybridScan scan() {
        return scanPrefix(EMPTY);
    }

    /// All paths that begin with a prefix, in order.
    public HybridScan scanPrefix(byte[] prefix) {
        return read(now -> {
            TreeScan scan = now.snapshot == null ? null : now.snapshot.scanPrefix(prefix);
            return open(now, scan, prefix);
        });
    }

    private static HybridScan open(State now, TreeScan scan, byte[] prefix) {
        if (now.snapshot != null) {
            // Held already by whoever calls this, so it cannot be closed.
            now.snapshot.acquire();
        }
        Changes changes = now.earlier == null ? now.later : now.changes(prefix);
        return new HybridScan(
                now.snapshot, scan, changes.tailMap(prefix, true).entrySet().iterator(), prefix.clone());
    }

    /// Reads while the snapshot is held open. A snapshot that is closed has been replaced by a newer one.
    private <T> T read(Function<State, T> reading) {
        while (true) {
            requireOpen();
            State now = state;
            if (now.snapshot == null) {
                return reading.apply(now);
            }
            if (now.snapshot.acquire()) {
                try {
                    return reading.apply(now);
                } finally {
                    now.snapshot.release();
                }
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
    public synchronized TreeWriter.Summary snapshot(Progress progress) throws IOException {
        State before;
        synchronized (changing) {
            requireOpen();
            State now = state;
            before = new State(now.snapshot, now.earlier == null ? now.later : now.changes(EMPTY), new Changes());
            state = before;
        }
        TreeWriter.Summary summary = write(new State(before.snapshot, null, before.earlier), path, options, progress);
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
        requireOpen();
        State now = state;
        if (now.snapshot != null && !now.snapshot.acquire()) {
            // A snapshot was finished at this moment.
            return snapshotTo(target, options, progress);
        }
        try {
            return write(now, target, options, progress);
        } finally {
            if (now.snapshot != null) {
                now.snapshot.release();
            }
        }
    }

    private static TreeWriter.Summary write(State all, Path target, TreeWriter.Options options, Progress progress)
            throws IOException {
        long expectedBytes = all.snapshot == null ? Long.MAX_VALUE : all.snapshot.bytes();
        return TreeWriter.write(target, options, writer -> {
            try (HybridScan scan = open(all, all.snapshot == null ? null : all.snapshot.scanEnds(), EMPTY)) {
                for (long count = 1; scan.next(); count++) {
                    writer.append(scan.pathBytes(), 0, scan.pathSize(), scan.hasValue(), scan.value());
                    if (count % PROGRESS_EVERY == 0) {
                        progress.at(Math.min(writer.writtenBytes(), expectedBytes), expectedBytes);
                    }
                }
            }
        });
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException(path + " is closed");
        }
    }

    /// Closes the snapshot. Changes since the last snapshot are dropped.
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
