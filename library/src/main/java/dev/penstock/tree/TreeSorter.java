// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.memory.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/// Puts paths in order for a [TreeWriter], more of them than memory holds: a merge sort over files beside the
/// tree.
///
/// Of a path that comes more than once the last value wins; the others are counted. Paths are collected in
/// memory, sorted and put into a temporary file whenever the budget is used up; the files are merged, some at a
/// time, and vanish on [#close].
///
/// **Threads.** One at a time.
public final class TreeSorter implements AutoCloseable {
    /// Below this the files would be too many and too small.
    public static final long MEMORY_MIN = 1 << 20;

    /// As many files are merged at a time, and as many of one level are kept before they are.
    private static final int FAN_IN = 16;

    /// What sorting takes for each path besides its bytes: an entry, the header of an array, and references.
    private static final int ENTRY_OVERHEAD = 72;

    /// What was written.
    ///
    /// @param keyCount       different paths
    /// @param duplicateCount paths that came again later
    /// @param runCount       files that it took; none when all fitted into memory
    public record Result(long keyCount, long duplicateCount, long runCount) {}

    /// Takes paths in ascending order.
    @FunctionalInterface
    interface Sink {
        void accept(byte[] bytes, int start, int size, long value) throws IOException;
    }

    /// A path in memory. Most comparisons are decided by the first eight bytes, which are a number that sorts as
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

    private final Path target;
    private final Disk disk;
    private final long memoryBytes;
    /// The paths in memory, in the order in which they came.
    private final List<Entry> entries = new ArrayList<>();

    private long usedBytes;
    /// Older files first.
    private final List<SortedFile> runs = new ArrayList<>();

    private long duplicateCount;
    private long runCount;

    private TreeSorter(Path target, long memoryBytes, Disk disk) {
        this.target = target;
        this.disk = disk;
        this.memoryBytes = memoryBytes;
    }

    /// Begins to sort.
    ///
    /// @param target      the tree that will be written; the temporary files are beside it
    /// @param memoryBytes what may be held in memory, at least [#MEMORY_MIN]; half of the Java heap is the most
    ///                    that is used
    public static TreeSorter create(Path target, long memoryBytes, Disk disk) {
        if (memoryBytes < MEMORY_MIN) {
            throw new IllegalArgumentException(
                    "sorting takes at least " + MEMORY_MIN + " bytes of memory, not " + memoryBytes);
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
    /// @throws IllegalArgumentException when it takes more than a quarter of the memory
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

    /// Writes all that came as the tree that it was sorted for, whole or not at all. The sorter is empty
    /// afterwards.
    ///
    /// @param options how; the disk is that of the sorter
    public Result write(TreeWriter.Options options) throws IOException {
        Result[] result = new Result[1];
        TreeWriter.write(target, options.withDisk(disk), writer -> result[0] = writeTo(writer));
        return result[0];
    }

    /// Writes all that came into a tree, in order. The sorter is empty afterwards.
    public Result writeTo(TreeWriter writer) throws IOException {
        long[] keyCount = {0};
        drain((bytes, start, size, value) -> {
            writer.append(bytes, start, size, value);
            keyCount[0]++;
        });
        return new Result(keyCount[0], duplicateCount, runCount);
    }

    private void drain(Sink sink) throws IOException {
        if (runs.isEmpty()) {
            drainMemory(sink);
            return;
        }
        spill();
        while (runs.size() > FAN_IN) {
            mergeLast(FAN_IN);
        }
        merge(runs, sink);
    }

    /// Hands the paths in memory out in order, of equal ones the last.
    private void drainMemory(Sink sink) throws IOException {
        // Equal paths stay in the order in which they came, since the sort is stable.
        entries.sort(null);
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            if (i + 1 < entries.size() && entry.compareTo(entries.get(i + 1)) == 0) {
                duplicateCount++;
            } else {
                sink.accept(entry.path, 0, entry.path.length, entry.value);
            }
        }
        entries.clear();
        usedBytes = 0;
    }

    /// Puts the paths in memory into a file.
    private void spill() throws IOException {
        if (entries.isEmpty()) {
            return;
        }
        SortedFile run = newRun(0);
        runs.add(run);
        drainMemory(run::append);
        run.finish();
        for (int level = 0; countOfLevel(level) == FAN_IN; level++) {
            mergeLast(FAN_IN);
        }
    }

    /// How many of the newest files are of a level.
    private int countOfLevel(int level) {
        int count = 0;
        while (count < runs.size() && runs.get(runs.size() - 1 - count).level() == level) {
            count++;
        }
        return count;
    }

    /// Makes one file of the newest ones, which are neighbours in age, so that the last value still wins.
    private void mergeLast(int count) throws IOException {
        List<SortedFile> newest = runs.subList(runs.size() - count, runs.size());
        SortedFile merged = newRun(newest.getFirst().level() + 1);
        try {
            merge(newest, merged::append);
            merged.finish();
        } catch (Throwable e) {
            merged.close();
            throw e;
        }
        for (SortedFile run : newest) {
            run.close();
        }
        newest.clear();
        runs.add(merged);
    }

    private SortedFile newRun(int level) throws IOException {
        Path name = target.resolveSibling(target.getFileName() + ".sort" + runCount);
        runCount++;
        return SortedFile.create(disk, name, level, Math.clamp(memoryBytes / (2 * FAN_IN), 1 << 12, 1 << 20));
    }

    private void merge(List<SortedFile> sources, Sink sink) throws IOException {
        PriorityQueue<SortedFile> queue = new PriorityQueue<>();
        for (SortedFile run : sources) {
            run.rewind(sources.indexOf(run));
            if (run.next()) {
                queue.add(run);
            }
        }
        byte[] last = {};
        int lastSize = -1;
        while (!queue.isEmpty()) {
            SortedFile least = queue.poll();
            // Of equal paths the newest comes first.
            if (lastSize == least.size() && Arrays.equals(last, 0, lastSize, least.bytes(), 0, least.size())) {
                duplicateCount++;
            } else {
                sink.accept(least.bytes(), 0, least.size(), least.value());
                last = last.length < least.size() ? new byte[2 * least.size()] : last;
                lastSize = least.size();
                System.arraycopy(least.bytes(), 0, last, 0, lastSize);
            }
            if (least.next()) {
                queue.add(least);
            }
        }
    }

    /// Removes the temporary files.
    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (SortedFile run : runs) {
            try {
                run.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        runs.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
