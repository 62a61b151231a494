// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/// The metadata of all runs of a pack, which answers conditions and statistics.
///
/// It is stored in a small file beside the pack, which [RunIndexFile] reads and writes. A file that does not match
/// the pack is replaced. If the file cannot be written, the metadata is collected again by every process.
///
/// The metadata of runs lies in a file beside the pack that is made again when it does not fit. A
/// condition must not decode gigabytes, and a pack never changes.
public final class RunIndex {
    /// The metadata of one record.
    ///
    /// @param version   the version of the run, or null for a tombstone
    /// @param meta      its metadata
    /// @param stepCount the actual number of steps
    record Entry(RunVersion version, RunMeta meta, int stepCount, long finalBoard) {}

    private final List<Entry> entries;

    RunIndex(List<Entry> entries) {
        this.entries = entries;
    }

    /// Returns the path of the file that stores the metadata of a pack.
    public static Path file(Path pack) {
        return pack.resolveSibling(pack.getFileName() + ".runs");
    }

    /// Reads the file beside the pack, or collects the metadata and writes the file. For a pack in a remote store
    /// nothing is written.
    static RunIndex open(RunPack pack, Progress progress) throws IOException {
        if (!pack.pack().location().isLocal()) {
            return new RunIndex(collect(pack, progress));
        }
        Path file = file(pack.pack().location().path());
        String fingerprint = pack.pack().fingerprint();
        List<Entry> known = read(file, fingerprint, pack.count());
        if (known != null) {
            return new RunIndex(known);
        }
        List<Entry> collected = collect(pack, progress);
        write(file, RunIndexFile.encode(fingerprint, collected));
        return new RunIndex(collected);
    }

    private static List<Entry> read(Path file, String fingerprint, long count) throws IOException {
        if (!Files.isRegularFile(file)) {
            return null;
        }
        try (Disk.Readable source = Disk.real().open(file)) {
            if (source.size() > RunIndexFile.sizeMax(count)) {
                return null;
            }
            byte[] bytes = new byte[(int) source.size()];
            long read = source.read(0, MemorySegment.ofArray(bytes));
            return read < bytes.length ? null : RunIndexFile.decode(bytes, fingerprint, count);
        }
    }

    /// A folder that cannot be written to is not an error.
    private static void write(Path file, byte[] bytes) {
        if (bytes == null) {
            return;
        }
        try (NewFile target = NewFile.create(Disk.real(), file, true)) {
            target.write(MemorySegment.ofArray(bytes), 0);
            target.publishUnforced();
        } catch (IOException e) {
            // The metadata is in memory; the next process collects it again.
        }
    }

    private static List<Entry> collect(RunPack pack, Progress progress) throws IOException {
        Entry[] entries = new Entry[Math.toIntExact(pack.count())];
        AtomicLong done = new AtomicLong();
        Parallel.run(entries.length, Parallel.defaultThreads(), i -> {
            entries[(int) i] = entry(pack, i);
            done.incrementAndGet();
            synchronized (done) {
                progress.at(done.get(), entries.length);
            }
        });
        return List.of(entries);
    }

    private static Entry entry(RunPack pack, long index) throws IOException {
        if (pack.isTombstone(index)) {
            return new Entry(null, RunMeta.of(0, 0, 0, 0, 0, null), 0, 0);
        }
        RunPack.Scratch scratch = pack.borrow();
        try {
            pack.decode(index, scratch, scratch.columns, new ArrayList<>());
            return entryOf(scratch.columns.run());
        } finally {
            pack.giveBack(scratch);
        }
    }

    static Entry entryOf(Run run) {
        return new Entry(run.version(), run.meta(), run.stepCount(), run.finalBoard());
    }

    Entry entry(long index) {
        return entries.get(Math.toIntExact(index));
    }

    /// Returns the metadata of a run.
    public RunMeta meta(long index) {
        return entry(index).meta();
    }

    /// Returns the actual number of steps of a run, whatever its metadata says.
    public int stepCount(long index) {
        return entry(index).stepCount();
    }

    /// The numbers of steps of some runs according to their metadata.
    long[] steps(long[] indices) {
        long[] steps = new long[indices.length];
        for (int i = 0; i < indices.length; i++) {
            steps[i] = meta(indices[i]).steps();
        }
        return steps;
    }

    RunLengths lengths() {
        return RunLengths.of(
                live().stream().mapToLong(entry -> entry.meta().steps()).toArray());
    }

    Map<Long, Long> highestTiles() {
        Map<Long, Long> counts = new TreeMap<>();
        live().forEach(entry -> counts.merge(entry.meta().highestTile(), 1L, Long::sum));
        return counts;
    }

    Map<String, Long> engineCounts() {
        Map<String, Long> counts = new TreeMap<>();
        live().forEach(entry -> {
            String engine = entry.meta().engine();
            counts.merge(engine == null ? "" : engine, 1L, Long::sum);
        });
        return counts;
    }

    private List<Entry> live() {
        return entries.stream().filter(entry -> entry.version() != null).toList();
    }
}
