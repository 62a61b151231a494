// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;

/// Sorts paths for a [TreeWriter], also more than fit in memory: a merge sort over a file beside the tree.
///
/// If a path occurs more than once the last value wins; the others are counted. Paths are collected in memory.
/// When the budget is used up they are sorted and appended to a temporary file as a run. All runs are merged at
/// the end, with a buffer of 4 to 256 KiB for each.
///
/// **Lifecycle.** The temporary file is removed by [#close].
///
/// **Threads.** One thread at a time.
public final class TreeSorter implements AutoCloseable {
    /// With less memory there would be too many and too small runs.
    public static final long MEMORY_MIN = 1 << 20;

    private static final int BUFFER_MIN = 1 << 12;
    private static final int BUFFER_MAX = 1 << 18;

    /// The memory for sorting each path besides its bytes: an entry, the header of an array, and references.
    private static final int ENTRY_OVERHEAD = 72;

    /// The result of sorting.
    ///
    /// @param keyCount       the number of different paths
    /// @param duplicateCount the number of paths that occurred again later
    /// @param runCount       the number of runs in the temporary file; 0 when all paths fitted in memory
    public record Result(long keyCount, long duplicateCount, long runCount) {}

    /// A path and its value. Most comparisons are decided by the first eight bytes, as a number that sorts as
    /// they do.
    private record Entry(long prefix, byte[] path, long value) implements Comparable<Entry> {
        static Entry of(byte[] path, long value) {
            long prefix = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                prefix = prefix << 8 | (i < path.length ? path[i] & 0xFF : 0);
            }
            return new Entry(prefix, path, value);
        }

        @Override
        public int compareTo(Entry other) {
            int order = Long.compareUnsigned(prefix, other.prefix);
            return order != 0 ? order : Arrays.compareUnsigned(path, other.path);
        }
    }

    /// Receives sorted paths.
    @FunctionalInterface
    public interface Receiver {
        /// @param path  the path, which may be kept
        /// @param value the value it was added with
        void accept(byte[] path, long value) throws IOException;
    }

    /// Entries in ascending order; null after the last one.
    @FunctionalInterface
    private interface SortedEntries {
        Entry next() throws IOException;
    }

    /// The next entry of a source. Of equal paths that of the oldest source comes first.
    private record Head(Entry entry, int age, SortedEntries source) implements Comparable<Head> {
        @Override
        public int compareTo(Head other) {
            int order = entry.compareTo(other.entry);
            return order != 0 ? order : Integer.compare(age, other.age);
        }
    }

    /// Sorted entries in the temporary file, read through a buffer.
    private final class Run implements SortedEntries {
        private final long end;
        /// The offset of the bytes after the buffer.
        private long offset;

        private ByteBuffer buffer = ByteBuffer.allocate(0);

        Run(long start, long end) {
            this.offset = start;
            this.end = end;
        }

        @Override
        public Entry next() throws IOException {
            if (offset == end && !buffer.hasRemaining()) {
                return null;
            }
            long value = take(Long.BYTES).getLong();
            byte[] path = new byte[take(Integer.BYTES).getInt()];
            take(path.length).get(path);
            return Entry.of(path, value);
        }

        private ByteBuffer take(int size) throws IOException {
            if (buffer.remaining() < size) {
                offset -= buffer.remaining();
                long wanted = Math.max(size, Math.clamp(memoryBytes / 2 / runs.size(), BUFFER_MIN, BUFFER_MAX));
                buffer = ByteBuffer.allocate((int) Math.min(wanted, end - offset));
                file.read(offset, MemorySegment.ofBuffer(buffer));
                offset += buffer.capacity();
            }
            return buffer;
        }
    }

    private final Path target;
    private final Disk disk;
    private final long memoryBytes;
    /// The paths in memory, in the order in which they were added.
    private final List<Entry> entries = new ArrayList<>();

    private long usedBytes;
    /// The temporary file, or null when there is none.
    private NewFile file;
    /// The runs in the file, older ones first.
    private final List<Run> runs = new ArrayList<>();

    private TreeSorter(Path target, long memoryBytes, Disk disk) {
        this.target = target;
        this.disk = disk;
        this.memoryBytes = memoryBytes;
    }

    /// Creates a sorter.
    ///
    /// @param target      the tree that will be written; the temporary file is beside it
    /// @param memoryBytes the memory budget, at least [#MEMORY_MIN]; at most half of the Java heap is used
    public static TreeSorter create(Path target, long memoryBytes, Disk disk) {
        if (memoryBytes < MEMORY_MIN) {
            throw new IllegalArgumentException(
                    "sorting needs at least " + MEMORY_MIN + " bytes of memory, got " + memoryBytes);
        }
        long heapBytes = Runtime.getRuntime().maxMemory();
        return new TreeSorter(target, Math.clamp(memoryBytes, MEMORY_MIN, Math.max(MEMORY_MIN, heapBytes / 2)), disk);
    }

    /// Adds a path.
    public void append(byte[] path, long value) throws IOException {
        append(path, 0, path.length, value);
    }

    /// Adds a path that is a part of an array.
    ///
    /// @throws IllegalArgumentException when the path takes more than a quarter of the memory
    public void append(byte[] bytes, int start, int size, long value) throws IOException {
        if (size > memoryBytes / 4) {
            throw new IllegalArgumentException("a path of " + size + " bytes cannot be sorted within " + memoryBytes
                    + " bytes of memory: allow four times the longest path");
        }
        int needed = size + ENTRY_OVERHEAD;
        if (usedBytes + needed > memoryBytes) {
            spill();
        }
        entries.add(Entry.of(Arrays.copyOfRange(bytes, start, start + size), value));
        usedBytes += needed;
    }

    /// Appends the paths in memory to the temporary file as a run.
    private void spill() throws IOException {
        if (file == null) {
            file = NewFile.create(disk, target.resolveSibling(target.getFileName() + ".sort"), true);
        }
        ByteArrayOutputStream buffer = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(buffer);
        long start = runs.isEmpty() ? 0 : runs.getLast().end;
        long end = start;
        SortedEntries sorted = memory();
        for (Entry entry = sorted.next(); entry != null; ) {
            out.writeLong(entry.value);
            out.writeInt(entry.path.length);
            out.write(entry.path);
            entry = sorted.next();
            if (buffer.size() >= BUFFER_MAX || entry == null) {
                file.write(MemorySegment.ofArray(buffer.toByteArray()), end);
                end += buffer.size();
                buffer.reset();
            }
        }
        runs.add(new Run(start, end));
        clearMemory();
    }

    /// The paths in memory in order.
    private SortedEntries memory() {
        // The sort is stable, so equal paths stay in the order in which they were added.
        entries.sort(null);
        Iterator<Entry> sorted = entries.iterator();
        return () -> sorted.hasNext() ? sorted.next() : null;
    }

    private void clearMemory() {
        entries.clear();
        usedBytes = 0;
    }

    /// Writes all paths to the tree of this sorter, completely or not at all. The sorter is empty afterwards.
    ///
    /// @param options the options for writing; the disk is that of the sorter
    public Result write(TreeWriter.Options options) throws IOException {
        Result[] result = new Result[1];
        TreeWriter.write(target, options.withDisk(disk), writer -> result[0] = writeTo(writer));
        return result[0];
    }

    /// Writes all paths to a tree, in order. The sorter is empty afterwards.
    public Result writeTo(TreeWriter writer) throws IOException {
        long runCount = runs.isEmpty() ? 0 : runs.size() + 1;
        LastValues last = new LastValues(writer);
        forEach(last);
        last.end();
        return new Result(last.keyCount, last.duplicateCount, runCount);
    }

    /// Appends the last value of each path to a tree.
    private static final class LastValues implements Receiver {
        private final TreeWriter writer;
        private byte[] path;
        private long value;
        private long keyCount;
        private long duplicateCount;

        LastValues(TreeWriter writer) {
            this.writer = writer;
        }

        @Override
        public void accept(byte[] next, long nextValue) throws IOException {
            if (path != null && Arrays.equals(path, next)) {
                duplicateCount++;
            } else {
                end();
            }
            path = next;
            value = nextValue;
        }

        void end() throws IOException {
            if (path != null) {
                writer.append(path, value);
                keyCount++;
            }
        }
    }

    /// Passes all paths on in ascending order, equal ones in the order in which they were added. The sorter is
    /// empty afterwards.
    public void forEach(Receiver receiver) throws IOException {
        if (file != null) {
            spill();
        }
        PriorityQueue<Head> heads = new PriorityQueue<>();
        int age = 0;
        for (Run run : runs) {
            addHead(heads, age++, run);
        }
        addHead(heads, age, memory());
        while (!heads.isEmpty()) {
            Head least = heads.poll();
            addHead(heads, least.age, least.source);
            receiver.accept(least.entry.path, least.entry.value);
        }
        runs.clear();
        clearMemory();
    }

    private static void addHead(PriorityQueue<Head> heads, int age, SortedEntries source) throws IOException {
        Entry next = source.next();
        if (next != null) {
            heads.add(new Head(next, age, source));
        }
    }

    /// Removes the temporary file.
    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
