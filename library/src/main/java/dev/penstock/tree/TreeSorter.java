// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.memory.Disk;
import dev.penstock.tree.SortedFile.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/// Sorts paths for a [TreeWriter], also more than fit in memory: a merge sort over files beside the tree.
///
/// If a path occurs more than once the last value wins; the others are counted. Paths are collected in memory,
/// sorted and written to a temporary file whenever the budget is used up. The files are merged, some at a time,
/// and removed by [#close].
///
/// **Threads.** One thread at a time.
public final class TreeSorter implements AutoCloseable {
    /// With less memory there would be too many and too small files.
    public static final long MEMORY_MIN = 1 << 20;

    /// The number of files that are merged at a time, and that are kept of one level before they are merged.
    private static final int FAN_IN = 16;

    /// The memory for sorting each path besides its bytes: an entry, the header of an array, and references.
    private static final int ENTRY_OVERHEAD = 72;

    /// The result of sorting.
    ///
    /// @param keyCount       the number of different paths
    /// @param duplicateCount the number of paths that occurred again later
    /// @param runCount       the number of temporary files; 0 when all paths fitted in memory
    public record Result(long keyCount, long duplicateCount, long runCount) {}

    /// Receives entries in ascending order.
    @FunctionalInterface
    private interface Sink {
        void accept(Entry entry) throws IOException;
    }

    private final Path target;
    private final Disk disk;
    private final long memoryBytes;
    /// The paths in memory, in the order in which they were added.
    private final List<Entry> entries = new ArrayList<>();

    private long usedBytes;
    /// The files, older ones first.
    private final List<SortedFile> runs = new ArrayList<>();

    private long duplicateCount;
    private long runCount;

    private TreeSorter(Path target, long memoryBytes, Disk disk) {
        this.target = target;
        this.disk = disk;
        this.memoryBytes = memoryBytes;
    }

    /// Creates a sorter.
    ///
    /// @param target      the tree that will be written; the temporary files are beside it
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
        long[] keyCount = {0};
        Sink sink = entry -> {
            writer.append(entry.path(), entry.value());
            keyCount[0]++;
        };
        if (runs.isEmpty()) {
            drainMemory(sink);
        } else {
            spill();
            while (runs.size() > FAN_IN) {
                mergeLast();
            }
            merge(runs, sink);
        }
        return new Result(keyCount[0], duplicateCount, runCount);
    }

    /// Passes on the paths in memory in order, of equal ones the last.
    private void drainMemory(Sink sink) throws IOException {
        // The sort is stable, so equal paths stay in the order in which they were added.
        entries.sort(null);
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            if (i + 1 < entries.size() && entry.compareTo(entries.get(i + 1)) == 0) {
                duplicateCount++;
            } else {
                sink.accept(entry);
            }
        }
        entries.clear();
        usedBytes = 0;
    }

    /// Writes the paths in memory to a file.
    private void spill() throws IOException {
        if (entries.isEmpty()) {
            return;
        }
        SortedFile run = newRun(0);
        runs.add(run);
        drainMemory(run::append);
        run.finish();
        while (isLevelFull()) {
            mergeLast();
        }
    }

    /// Whether enough of the newest files have the same level to be merged. Levels decrease from older files to
    /// newer ones.
    private boolean isLevelFull() {
        int first = runs.size() - FAN_IN;
        return first >= 0 && runs.get(first).level() == runs.getLast().level();
    }

    /// Merges the newest files, which are neighbours in age, so that the last value still wins.
    private void mergeLast() throws IOException {
        List<SortedFile> newest = runs.subList(runs.size() - FAN_IN, runs.size());
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
        Path name = target.resolveSibling(target.getFileName() + ".sort" + runCount++);
        return SortedFile.create(disk, name, level, Math.clamp(memoryBytes / (2 * FAN_IN), 1 << 12, 1 << 20));
    }

    /// The next entry of a file that is being merged. Of equal paths that of the newest file comes first.
    private record Head(Entry entry, int age, SortedFile file) implements Comparable<Head> {
        @Override
        public int compareTo(Head other) {
            int order = entry.compareTo(other.entry);
            return order != 0 ? order : Integer.compare(other.age, age);
        }
    }

    private void merge(List<SortedFile> sources, Sink sink) throws IOException {
        PriorityQueue<Head> heads = new PriorityQueue<>();
        for (int age = 0; age < sources.size(); age++) {
            addHead(heads, sources.get(age), age);
        }
        Entry last = null;
        while (!heads.isEmpty()) {
            Head least = heads.poll();
            if (last != null && last.compareTo(least.entry) == 0) {
                duplicateCount++;
            } else {
                last = least.entry;
                sink.accept(last);
            }
            addHead(heads, least.file, least.age);
        }
    }

    private static void addHead(PriorityQueue<Head> heads, SortedFile file, int age) throws IOException {
        Entry next = file.next();
        if (next != null) {
            heads.add(new Head(next, age, file));
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
