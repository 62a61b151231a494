// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.ClosedException;
import dev.penstock.Io;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.ToLongFunction;

/// Writes a tree from paths in ascending order. It is published when [#close] has put everything on disk.
///
/// Paths are compared as unsigned bytes, and a prefix comes before longer paths
/// ([java.util.Arrays#compareUnsigned]); [TreeSorter] sorts other paths first. The memory depends on the length of
/// a path and the number of different line segments, 16 to 32 off-heap bytes for each.
///
/// **Lifecycle.** A rejected path changes nothing and others may follow. After a failed write, or after [#abort],
/// no more paths are accepted and `close` leaves nothing behind. A caller that gives up for its own reasons must
/// call `abort`: otherwise `close` publishes the paths so far.
///
/// A writer holds the lock of the tree until `close`, like a [HybridTree], so that neither replaces what the other
/// writes. Readers do not need the lock.
///
/// **Threads.** One thread at a time.
public final class TreeWriter implements AutoCloseable {
    /// The kind of the root if all paths begin with the same byte and none is empty.
    public enum RootStyle {
        /// A line with the common prefix: canonical, the bytes of the original writer for whole maps.
        LINE,
        /// A branch, as in all other cases: the bytes of the original streaming writer.
        BRANCH
    }

    /// Options for writing a tree.
    ///
    /// @param rootStyle   the kind of the root
    /// @param lineLimit   the number of line segments that are remembered in order to store them once; when it is
    ///                    reached, all are forgotten. A limit below their number gives a tree that is not
    ///                    canonical.
    /// @param isSharing   whether equal subtrees are stored once. The file is smaller and all readers support it,
    ///                    but it is not canonical.
    /// @param isReplacing whether an existing tree is replaced
    /// @param disk        the disk to write to
    public record Options(RootStyle rootStyle, long lineLimit, boolean isSharing, boolean isReplacing, Disk disk) {
        /// Remembers all line segments.
        public static final long UNLIMITED = Long.MAX_VALUE;

        public static final Options DEFAULT = new Options(RootStyle.LINE, UNLIMITED, false, false, Disk.real());

        public Options {
            if (lineLimit < 0) {
                throw new IllegalArgumentException("lineLimit must not be negative, got " + lineLimit);
            }
        }

        public Options withRootStyle(RootStyle rootStyle) {
            return new Options(rootStyle, lineLimit, isSharing, isReplacing, disk);
        }

        public Options withLineLimit(long lineLimit) {
            return new Options(rootStyle, lineLimit, isSharing, isReplacing, disk);
        }

        public Options withSharing(boolean isSharing) {
            return new Options(rootStyle, lineLimit, isSharing, isReplacing, disk);
        }

        public Options withReplacing(boolean isReplacing) {
            return new Options(rootStyle, lineLimit, isSharing, isReplacing, disk);
        }

        public Options withDisk(Disk disk) {
            return new Options(rootStyle, lineLimit, isSharing, isReplacing, disk);
        }
    }

    /// The result of writing.
    ///
    /// @param keyCount         the number of paths with a value
    /// @param fileBytes        the size of the file
    /// @param lineDataCount    the number of pieces of line data
    /// @param reusedLineCount  the number of lines whose data was already written
    /// @param sharedRunCount   the number of runs of children that were already written
    /// @param sharedBytes      the number of bytes saved by that
    public record Summary(
            long keyCount,
            long fileBytes,
            long lineDataCount,
            long reusedLineCount,
            long sharedRunCount,
            long sharedBytes) {}

    private final Options options;
    /// The lock, or null when the caller holds it.
    private final NewFile lock;

    private final NewFile file;
    private final TreeAssembly assembly;
    private Summary summary;
    private boolean isFinished;
    private boolean isBroken;

    private TreeWriter(Options options, NewFile lock, NewFile file, long arenaStart, int windowMax) {
        this.options = options;
        this.lock = lock;
        this.file = file;
        this.assembly = new TreeAssembly(options, new ArenaOutput(file::write, file::read, arenaStart, windowMax));
    }

    /// Creates a tree.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when the tree exists and may not be replaced
    /// @throws java.nio.file.FileSystemException        when the tree is being written, or is open as a
    ///                                                  [HybridTree]; the message names the process
    public static TreeWriter create(Path target, Options options) throws IOException {
        NewFile lock = lock(options.disk(), target);
        try {
            return create(target, options, lock, TreeFormat.HEADER_SIZE, ArenaOutput.WINDOW_MAX);
        } catch (Throwable e) {
            lock.close();
            throw e;
        }
    }

    /// Takes the lock of a tree until it is closed.
    static NewFile lock(Disk disk, Path path) throws IOException {
        Path target = disk.target(path.toAbsolutePath());
        return NewFile.createAlone(disk, target.resolveSibling(target.getFileName() + ".lock"), path);
    }

    /// Creates a tree.
    ///
    /// @param lock       closed with the writer, or null when the caller holds the lock
    /// @param arenaStart the offset of the nodes
    /// @param windowMax  the number of bytes that stay in memory
    static TreeWriter create(Path target, Options options, NewFile lock, long arenaStart, int windowMax)
            throws IOException {
        NewFile file = NewFile.createAt(options.disk(), target, options.isReplacing());
        try {
            return new TreeWriter(options, lock, file, arenaStart, windowMax);
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /// Writes a map as a tree.
    ///
    /// @param map in the order of [java.util.Arrays#compareUnsigned(byte[], byte[])]
    public static <V> Summary write(
            Path target, SortedMap<byte[], ? extends V> map, ToLongFunction<? super V> value, Options options)
            throws IOException {
        return write(target, options, writer -> {
            for (Map.Entry<byte[], ? extends V> entry : map.entrySet()) {
                writer.append(entry.getKey(), value.applyAsLong(entry.getValue()));
            }
        });
    }

    /// Writes a tree completely or not at all: if `paths` fails, the file does not appear.
    public static Summary write(Path target, Options options, Io.Consumer<TreeWriter> paths) throws IOException {
        return write(create(target, options), paths);
    }

    static Summary write(TreeWriter writer, Io.Consumer<TreeWriter> paths) throws IOException {
        try {
            paths.accept(writer);
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
        return writer.summary();
    }

    /// Appends a path with an unsigned value.
    ///
    /// @throws IllegalArgumentException when it is not larger than the path before, or too long
    public void append(byte[] path, long value) throws IOException {
        append(path, 0, path.length, true, value);
    }

    /// Appends a path that is a part of an array.
    public void append(byte[] bytes, int start, int size, long value) throws IOException {
        append(bytes, start, size, true, value);
    }

    /// Appends a path that exists without a value. It has no effect for a path that was appended with a value, or
    /// that is a prefix of another.
    public void appendPath(byte[] path) throws IOException {
        append(path, 0, path.length, false, 0);
    }

    /// Appends everything of another tree: all paths, with and without values.
    public void appendAll(TreeReader tree) throws IOException {
        TreeScan scan = tree.scanEnds();
        while (scan.next()) {
            append(scan.pathBytes(), 0, scan.pathSize(), scan.hasValue(), scan.value());
        }
    }

    void append(byte[] bytes, int start, int size, boolean hasValue, long value) throws IOException {
        if (isFinished || isBroken) {
            throw new ClosedException(
                    file.target() + " accepts no more paths: the writer is closed, or an earlier write failed");
        }
        try {
            assembly.append(bytes, start, size, hasValue, value);
        } catch (IllegalArgumentException refused) {
            throw refused;
        } catch (Throwable e) {
            isBroken = true;
            throw e;
        }
    }

    /// Discards the tree: `close` will remove what was written.
    public void abort() throws IOException {
        isBroken = true;
        close();
    }

    /// The number of bytes written so far.
    public long writtenBytes() {
        return assembly.summary().fileBytes();
    }

    /// The counts and sizes of the written tree. They are available after [#close].
    ///
    /// @throws IllegalStateException when the tree was not published
    public Summary summary() {
        if (summary == null) {
            throw new IllegalStateException(file.target() + " is not written yet; call close first");
        }
        return summary;
    }

    /// Completes and publishes the tree, once everything is on stable storage.
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        isFinished = true;
        try (lock;
                file;
                assembly) {
            if (!isBroken) {
                long root = assembly.finish(options.rootStyle());
                file.write(new TreeHeader(root).write(), 0);
                file.publish();
                summary = assembly.summary();
            }
        }
    }
}
