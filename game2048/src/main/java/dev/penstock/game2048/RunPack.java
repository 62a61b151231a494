// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Pool;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFileStream;
import dev.penstock.file.Parallel;
import dev.penstock.pack.PackEntry;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import dev.penstock.query.Scan;
import dev.penstock.query.Where;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.LongStream;

/// An open pack whose records are runs.
///
/// Runs are decoded as in the original program, which accepts some deviations; [RunCheck] lists them. Tombstones
/// keep their index and are skipped by everything that goes over all runs.
///
/// Packs read runs as the original does, `runs check` strictly. Existing packs hold runs with deviations, which
/// must stay readable; new files should have none.
///
/// **Ownership.** Owns the pack it was opened from. If it was created by [#of], the pack belongs to the caller.
///
/// **Threads.** Safe for any number of threads. `close` works as in [dev.penstock.Dataset].
public final class RunPack implements AutoCloseable, Iterable<Run> {
    private static final int SIZE_MIN = 1 << 12;

    private final PackReader pack;
    private final boolean isOwner;
    private final Pool<Scratch> scratches = new Pool<>(Scratch::new, scratch -> {});
    private RunIndex index;

    private RunPack(PackReader pack, boolean isOwner) {
        this.pack = pack;
        this.isOwner = isOwner;
    }

    /// Scratch memory for decoding.
    static final class Scratch {
        byte[] bytes = new byte[SIZE_MIN];
        final RunColumns columns = new RunColumns();

        byte[] reserve(int size) {
            if (bytes.length < size) {
                bytes = new byte[Math.max(size, (int) Math.min(bytes.length * 2L, RunFormat.SIZE_MAX))];
            }
            return bytes;
        }
    }

    /// Opens a pack of runs. Nothing is decoded yet.
    ///
    /// @throws DatasetException when the file is not a pack, or is damaged
    public static RunPack open(Path path) throws IOException {
        return new RunPack(PackReader.open(path), true);
    }

    /// Creates a view of an open pack as runs.
    public static RunPack of(PackReader pack) {
        return new RunPack(pack, false);
    }

    /// Creates a view of an open pack as runs, if it has any.
    ///
    /// @throws DatasetException.WrongFormat when it is a pack of other records
    public static RunPack require(PackReader pack) {
        RunPack runs = of(pack);
        boolean hasOther = pack.count() > 0
                && LongStream.range(0, pack.count())
                        .filter(i -> !runs.isTombstone(i))
                        .limit(1)
                        .anyMatch(i -> !new RunFamily().kinds().contains(pack.kind(i)));
        if (hasOther) {
            throw new DatasetException.WrongFormat(
                    pack.location(),
                    "this is a pack of other records and not of runs of the game 2048; open it as a pack");
        }
        return runs;
    }

    /// Whether every record of a pack is a run or a tombstone, and there is at least one.
    public static boolean isRunPack(PackReader pack) {
        return new RunFamily().isOnly(pack);
    }

    /// Returns the pack of the runs.
    public PackReader pack() {
        return pack;
    }

    /// Returns the number of records, including tombstones.
    public long count() {
        return pack.count();
    }

    /// Returns the version of a run, according to the index of the pack.
    ///
    /// @throws DatasetException.Corrupt when the record is not a run
    public RunVersion kind(long index) {
        PackKind kind = pack.kind(index);
        if (kind.equals(RunVersion.V2.kind())) {
            return RunVersion.V2;
        }
        if (kind.equals(RunVersion.V1.kind())) {
            return RunVersion.V1;
        }
        throw new DatasetException.Corrupt(
                pack.location(), pack.entry(index).offset(), Reason.UNKNOWN_KIND, "record " + index + " is not a run");
    }

    /// Whether a record was deleted and only keeps its index.
    public boolean isTombstone(long index) {
        return pack.entry(index).isTombstone();
    }

    /// Returns a run. A run of version 1 is upgraded.
    public Run run(long index) throws IOException {
        RunColumns columns = new RunColumns();
        Scratch scratch = scratches.borrow();
        try {
            decode(index, scratch, columns, new ArrayList<>());
        } finally {
            scratches.giveBack(scratch);
        }
        return columns.run();
    }

    /// Returns a run of version 1 in its stored form.
    ///
    /// @throws IllegalArgumentException when the run has version 2
    public RunV1 runV1(long index) throws IOException {
        if (kind(index) != RunVersion.V1) {
            throw new IllegalArgumentException("record " + index + " is a run of version 2");
        }
        byte[] bytes = bytes(index);
        return RunDecoder.decodeV1(
                bytes, bytes.length, pack.location(), pack.entry(index).offset());
    }

    /// Returns the stored bytes of a run, decompressed and checked.
    public byte[] bytes(long index) throws IOException {
        byte[] bytes = new byte[size(index)];
        pack.read(index, MemorySegment.ofArray(bytes));
        return bytes;
    }

    private int size(long index) {
        long size = pack.size(index);
        if (size > RunFormat.SIZE_MAX) {
            throw new DatasetException.Corrupt(
                    pack.location(),
                    pack.entry(index).offset(),
                    Reason.SIZE_OVERFLOW,
                    "record " + index + " has " + size + " bytes, but a run has at most " + RunFormat.SIZE_MAX);
        }
        return (int) size;
    }

    Scratch borrow() {
        return scratches.borrow();
    }

    void giveBack(Scratch scratch) {
        scratches.giveBack(scratch);
    }

    /// Decodes a run into columns. Its bytes are read into the scratch memory.
    ///
    /// @return the number of bytes of the run
    int decode(long index, Scratch scratch, RunColumns target, List<Deviation> deviations) throws IOException {
        RunVersion version = kind(index);
        int size = size(index);
        byte[] bytes = scratch.reserve(size);
        pack.read(index, MemorySegment.ofArray(bytes).asSlice(0, size));
        PackEntry entry = pack.entry(index);
        if (entry.isTombstone()) {
            throw new IllegalArgumentException("record " + index + " of " + pack.location() + " is a tombstone");
        }
        RunDecoder.decode(bytes, size, pack.location(), entry.offset(), target, deviations);
        if (target.version != version) {
            throw new DatasetException.Corrupt(
                    pack.location(),
                    entry.offset(),
                    Reason.KIND_MISMATCH,
                    "record " + index + " is a run of version " + target.version.word() + ", but the index says "
                            + version.word());
        }
        return size;
    }

    /// Returns many runs in the order of the indices, decoded by several threads.
    public List<Run> runs(long[] indices) throws IOException {
        return runs(indices, Parallel.defaultThreads());
    }

    /// [#runs(long[])] with a number of threads.
    public List<Run> runs(long[] indices, int threads) throws IOException {
        Run[] runs = new Run[indices.length];
        Parallel.run(indices.length, threads, i -> runs[(int) i] = run(indices[(int) i]));
        return List.of(runs);
    }

    /// The indices of all runs, without tombstones.
    public long[] liveIndices() {
        return LongStream.range(0, count()).filter(i -> !isTombstone(i)).toArray();
    }

    /// Iterates over all runs, one at a time. A run that cannot be read throws an exception and does not end the
    /// iteration silently.
    ///
    /// @throws UncheckedIOException when the disk fails while iterating
    @Override
    public Iterator<Run> iterator() {
        return iteratorOf(liveIndices());
    }

    /// Iterates over some runs, one at a time, in the order of the indices.
    public Iterator<Run> iterate(long... indices) {
        return iteratorOf(indices.clone());
    }

    private Iterator<Run> iteratorOf(long[] indices) {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < indices.length;
            }

            @Override
            public Run next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                try {
                    Run run = run(indices[next]);
                    next++;
                    return run;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }

    /// Returns the metadata of all runs: from the index file beside the pack if it matches, otherwise by decoding
    /// every run once.
    public synchronized RunIndex index(Progress progress) throws IOException {
        if (index == null) {
            index = RunIndex.open(this, progress);
        }
        return index;
    }

    /// Returns the lengths of the runs: from the statistics block if it is consistent, otherwise from the metadata
    /// of all runs.
    public RunLengths lengths(Progress progress) throws IOException {
        long live = count() - (long) pack.facts().get("tombstones");
        Optional<RunLengths> stored = pack.statsBlock().flatMap(block -> RunLengths.decode(block, live));
        return stored.isPresent() ? stored.get() : index(progress).lengths();
    }

    /// Returns statistics of all runs. This needs the metadata of all runs.
    public RunStats stats(Progress progress) throws IOException {
        RunIndex metadata = index(progress);
        return new RunStats(lengths(progress), metadata.highestTiles(), metadata.engineCounts());
    }

    /// Returns the indices of the runs whose metadata matches a condition, such as `max_score >= 20000`.
    ///
    /// @throws IllegalArgumentException when the condition is invalid
    public long[] where(String condition, Progress progress) throws IOException {
        index(progress);
        RunDataset dataset = RunDataset.of(this);
        Where where = Where.parse(condition, dataset.fields());
        return LongStream.of(Scan.of(dataset).withWhere(where).indices())
                .map(dataset::packIndex)
                .toArray();
    }

    /// Writes all runs as JSON Lines to a file, which appears when it is complete.
    ///
    /// @param isReplacing whether an existing file is replaced
    /// @return the number of runs
    public long toJsonl(Path target, RunJsonl.Options options, boolean isReplacing, Progress progress)
            throws IOException {
        return toJsonl(liveIndices(), target, options, isReplacing, progress);
    }

    /// Writes some runs as JSON Lines to a file, in the order of their indices in the pack.
    ///
    /// @param isReplacing whether an existing file is replaced
    /// @return the number of runs
    public long toJsonl(long[] indices, Path target, RunJsonl.Options options, boolean isReplacing, Progress progress)
            throws IOException {
        try (NewFileStream stream = NewFileStream.create(Disk.real(), target, isReplacing)) {
            long runCount = RunJsonl.write(this, indices, options, stream, progress);
            stream.publish();
            return runCount;
        }
    }

    /// Splits the runs into a test part and a training part.
    public RunSplit split(RunSplit.Options options, Progress progress) throws IOException {
        long[] live = liveIndices();
        long[] steps = options.isBySteps() ? index(progress).steps(live) : null;
        return RunSplit.of(live, steps, options);
    }

    @Override
    public void close() {
        scratches.close();
        if (isOwner) {
            pack.close();
        }
    }
}
