// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Pool;
import dev.penstock.Reason;
import dev.penstock.file.Location;
import dev.penstock.file.Parallel;
import dev.penstock.pack.PackFolder;
import dev.penstock.pack.PackIntake;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/// Reads the runs of a folder or a pack. Several threads decode them, and they are passed on in order as rows.
///
/// A few chunks of runs are in memory at a time, whatever the number of runs.
///
/// **Threads.** One thread at a time.
final class StepsInput implements AutoCloseable {
    /// The number of runs that one thread decodes together.
    private static final int CHUNK_RUNS = 8;

    /// The largest memory for rows that is allocated in advance. A chunk of long runs takes more if needed.
    private static final long ROWS_MAX = 1L << 26;

    /// The number of chunks in progress for each thread.
    private static final int CHUNKS_PER_WORKER = 3;

    private final Path input;
    private final StepsOptions options;
    /// The files of a folder, or null.
    private final List<Path> files;
    /// The pack, or null, and its runs.
    private final RunPack pack;

    private final long[] records;
    private final Pool<Chunk> chunks = new Pool<>(Chunk::new, chunk -> {});

    private StepsInput(Path input, StepsOptions options, List<Path> files, RunPack pack) {
        this.input = input;
        this.options = options;
        this.files = files;
        this.pack = pack;
        this.records = pack == null ? new long[0] : pack.liveIndices();
    }

    /// One run in the rows of a chunk.
    record Run(RunMeta meta, int stepCount) {}

    /// The rows of some runs, and scratch memory for decoding. Chunks are reused, so their memory is allocated
    /// only a few times.
    static final class Chunk {
        private final RunPack.Scratch scratch = new RunPack.Scratch();
        private final List<Run> runs = new ArrayList<>();
        private final List<PackIntake.Finding> skipped = new ArrayList<>();
        private final List<PackIntake.Finding> deviating = new ArrayList<>();
        private byte[] rows = {};
        private int size;

        /// The rows one after another, with run ids that start at 0 in the chunk. The first [#size] bytes are
        /// used.
        byte[] rows() {
            return rows;
        }

        int size() {
            return size;
        }

        List<Run> runs() {
            return runs;
        }

        /// The skipped runs.
        List<PackIntake.Finding> skipped() {
            return skipped;
        }

        /// The findings that a strict reader would reject.
        List<PackIntake.Finding> deviating() {
            return deviating;
        }

        private void clear() {
            runs.clear();
            skipped.clear();
            deviating.clear();
            size = 0;
        }

        private void reserve(long newSize) {
            if (newSize > rows.length) {
                rows = Arrays.copyOf(rows, Math.toIntExact(Math.max(newSize, Math.min(2L * rows.length, ROWS_MAX))));
            }
        }
    }

    /// Receives the chunks.
    @FunctionalInterface
    interface ChunkReceiver {
        void accept(Chunk chunk) throws IOException;
    }

    /// Lists a folder, or opens a pack.
    static StepsInput open(Path input, StepsOptions options) throws IOException {
        if (!Files.exists(input)) {
            throw new NoSuchFileException(input.toString());
        }
        if (Files.isDirectory(input)) {
            return new StepsInput(input, options, PackFolder.files(input, new RunFamily()), null);
        }
        if (!RunFile.isPackMagic(input)) {
            // A single run is treated like a folder with one run.
            return new StepsInput(input, options, List.of(input), null);
        }
        return new StepsInput(input, options, null, RunPack.open(input));
    }

    /// What was left out of a folder, which a strict reader would want to know.
    List<PackIntake.Finding> leftOut() throws IOException {
        return PackFolder.leftOut(input, new RunFamily())
                .map(what -> new PackIntake.Finding(input, "LEFT_OUT", what))
                .stream()
                .toList();
    }

    int runCount() {
        return files == null ? records.length : files.size();
    }

    /// Passes on all runs in order.
    void forEach(ChunkReceiver receiver) throws IOException {
        int chunkCount = Math.ceilDiv(runCount(), CHUNK_RUNS);
        Deque<Future<Chunk>> underWay = new ArrayDeque<>();
        try (ExecutorService pool = Parallel.pool(options.workers())) {
            try {
                int started = 0;
                for (int chunk = 0; chunk < chunkCount; chunk++) {
                    while (started < chunkCount && started < chunk + options.workers() * CHUNKS_PER_WORKER) {
                        int first = started++ * CHUNK_RUNS;
                        underWay.add(pool.submit(() -> chunk(first)));
                    }
                    Chunk done = Parallel.await(underWay.poll());
                    receiver.accept(done);
                    chunks.giveBack(done);
                    options.progress().at(Math.min(runCount(), (chunk + 1L) * CHUNK_RUNS), runCount());
                }
            } finally {
                pool.shutdownNow();
            }
        }
    }

    private Chunk chunk(int first) throws IOException {
        int limit = Math.min(runCount(), first + CHUNK_RUNS);
        Chunk chunk = chunks.borrow();
        chunk.clear();
        for (int index = first; index < limit; index++) {
            try {
                add(index, chunk);
            } catch (DatasetException e) {
                if (!options.isSkippingBad()) {
                    throw e;
                }
                chunk.skipped.add(new PackIntake.Finding(name(index), e.reason().toString(), e.what()));
            }
        }
        return chunk;
    }

    private void add(int index, Chunk chunk) throws IOException {
        Path name = name(index);
        List<Deviation> deviations = new ArrayList<>();
        RunColumns columns = decode(index, chunk.scratch, deviations);
        requireUsable(columns, name);
        long newSize = chunk.size + (long) columns.stepCount * StepsFormat.rowSize(options.isWide());
        chunk.reserve(newSize);
        StepRows.write(
                columns, chunk.runs.size(), options.isWide(), options.missingBranches(), chunk.rows, chunk.size, name);
        chunk.size = (int) newSize;
        chunk.runs.add(new Run(columns.meta, columns.stepCount));
        for (Deviation deviation : deviations) {
            chunk.deviating.add(new PackIntake.Finding(name, deviation.reason().toString(), deviation.what()));
        }
    }

    private Path name(int index) {
        return files == null ? Path.of(input + ", record " + records[index]) : files.get(index);
    }

    private RunColumns decode(int index, RunPack.Scratch scratch, List<Deviation> deviations) throws IOException {
        if (files != null) {
            byte[] bytes = RunFile.bytes(files.get(index));
            RunDecoder.decode(bytes, bytes.length, Location.of(files.get(index)), 0, scratch.columns, deviations);
        } else {
            pack.decode(records[index], scratch, scratch.columns, deviations);
        }
        return scratch.columns;
    }

    private void requireUsable(RunColumns columns, Path name) {
        if (columns.meta.steps() != columns.stepCount) {
            throw new DatasetException.Corrupt(
                    name,
                    0,
                    Reason.COUNT_MISMATCH,
                    "the metadata says " + columns.meta.steps() + " steps, but the run has " + columns.stepCount);
        }
        if (columns.stepCount > StepsFormat.STEPS_MAX && !options.isWide()) {
            throw new DatasetException.Corrupt(
                    name,
                    0,
                    GameReason.RUN_TOO_LONG,
                    "the run has " + columns.stepCount + " steps, but the 16-bit step index allows "
                            + StepsFormat.STEPS_MAX + "; build a dataset with wide rows");
        }
    }

    @Override
    public void close() {
        if (pack != null) {
            pack.close();
        }
    }
}
