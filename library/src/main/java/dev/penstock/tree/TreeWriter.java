// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.ToLongFunction;

/// Writes a tree from paths in ascending order; it appears under its name when [#close] has put everything on
/// disk.
///
/// Paths are compared as unsigned bytes, a path before those that it begins ([java.util.Arrays#compareUnsigned]);
/// [TreeSorter] puts others in order first. What has been written is not held: memory goes with the length of a
/// path and the number of different line segments, 16 to 32 bytes outside the heap for each.
///
/// **Lifecycle.** A path that is refused changes nothing and others may follow. Once a write has failed, or
/// after [#abort], nothing more is taken and `close` leaves nothing behind. A caller who gives up for a reason
/// of his own calls `abort`: a `close` without it publishes what has come.
///
/// **Threads.** One at a time.
public final class TreeWriter implements AutoCloseable {
    /// What the root is when all paths begin with the same byte and none is empty.
    public enum RootStyle {
        /// A line with what they have in common: canonical, the bytes of the original's writer of whole maps.
        LINE,
        /// A branch, as always otherwise: the bytes of the original's streaming writer.
        BRANCH
    }

    /// How to write a tree.
    ///
    /// @param rootStyle   see there
    /// @param lineLimit   line segments that are remembered in order to be stored once; when so many are, all are
    ///                    forgotten. Less than all that there are is not canonical.
    /// @param isSharing   whether equal subtrees are stored once. Smaller, read by everybody, not canonical.
    /// @param isReplacing whether a tree that has the name already is replaced
    /// @param disk        where the file goes
    public record Options(RootStyle rootStyle, long lineLimit, boolean isSharing, boolean isReplacing, Disk disk) {
        /// Remembers all line segments.
        public static final long UNLIMITED = Long.MAX_VALUE;

        public static final Options DEFAULT = new Options(RootStyle.LINE, UNLIMITED, false, false, Disk.real());

        public Options {
            if (lineLimit < 0) {
                throw new IllegalArgumentException("the limit of line segments must be at least 0, not " + lineLimit);
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

    /// What was written.
    ///
    /// @param keyCount         paths with a value
    /// @param fileBytes        bytes of the file
    /// @param lineDataCount    pieces of line data
    /// @param reusedLineCount  lines that found theirs written
    /// @param sharedRunCount   runs of children that were found written
    /// @param sharedBytes      bytes that were not written because of that
    public record Summary(
            long keyCount,
            long fileBytes,
            long lineDataCount,
            long reusedLineCount,
            long sharedRunCount,
            long sharedBytes) {}

    private final Options options;
    private final NewFile file;
    private final TreeAssembly assembly;
    private Summary summary;
    private boolean isFinished;
    private boolean isBroken;

    private TreeWriter(Options options, NewFile file, long arenaStart, int windowMax) {
        this.options = options;
        this.file = file;
        this.assembly = new TreeAssembly(options, new ArenaOutput(file::write, file::read, arenaStart, windowMax));
    }

    /// Begins a tree.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when there is one and it may not be replaced
    public static TreeWriter create(Path target, Options options) throws IOException {
        return create(target, options, TreeFormat.HEADER_SIZE, ArenaOutput.WINDOW_MAX);
    }

    /// Begins a tree whose nodes start further on, with nothing before them, and that keeps less in memory.
    static TreeWriter create(Path target, Options options, long arenaStart, int windowMax) throws IOException {
        NewFile file = NewFile.create(options.disk(), target, options.isReplacing());
        try {
            return new TreeWriter(options, file, arenaStart, windowMax);
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

    /// Appends the paths of a tree to its writer.
    @FunctionalInterface
    public interface Source {
        void appendTo(TreeWriter writer) throws IOException;
    }

    /// Writes a tree whole or not at all: when the source fails, the file does not appear.
    public static Summary write(Path target, Options options, Source source) throws IOException {
        TreeWriter writer = create(target, options);
        try {
            source.appendTo(writer);
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
        return writer.summary();
    }

    /// Adds a path with a value, which is unsigned.
    ///
    /// @throws IllegalArgumentException when it is not larger than the path before, or too long
    public void append(byte[] path, long value) throws IOException {
        append(path, 0, path.length, true, value);
    }

    /// Adds a path that is a part of an array.
    public void append(byte[] bytes, int start, int size, long value) throws IOException {
        append(bytes, start, size, true, value);
    }

    /// Adds a path that exists without a value. One that was added with a value, or that begins another, adds
    /// nothing.
    public void appendPath(byte[] path) throws IOException {
        append(path, 0, path.length, false, 0);
    }

    /// Adds everything of another tree: all paths, with and without values.
    public void appendAll(TreeReader tree) throws IOException {
        TreeScan scan = tree.scanEnds();
        while (scan.next()) {
            append(scan.pathBytes(), 0, scan.pathSize(), scan.hasValue(), scan.value());
        }
    }

    void append(byte[] bytes, int start, int size, boolean hasValue, long value) throws IOException {
        if (isFinished || isBroken) {
            throw new IllegalStateException(file.target() + " takes no more paths: it is closed, or a write failed");
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

    /// Gives the tree up: `close` will remove what was written.
    public void abort() throws IOException {
        isBroken = true;
        close();
    }

    /// The number of bytes written so far.
    public long writtenBytes() {
        return assembly.summary().fileBytes();
    }

    /// What was written, once it is closed.
    ///
    /// @throws IllegalStateException when it was not published
    public Summary summary() {
        if (summary == null) {
            throw new IllegalStateException(file.target() + " is not written yet");
        }
        return summary;
    }

    /// Finishes the tree and gives it its name, once everything is on stable storage.
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        isFinished = true;
        try (file;
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
