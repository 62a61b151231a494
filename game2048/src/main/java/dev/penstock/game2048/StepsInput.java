// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Location;
import dev.penstock.Reason;
import dev.penstock.memory.Parallel;
import dev.penstock.pack.PackFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/// The runs of a folder or a pack, decoded by several threads and handed over in order as rows.
///
/// A few chunks of runs are in memory at a time, whatever the number of runs.
///
/// **Threads.** One at a time.
final class StepsInput implements AutoCloseable {
    /// Runs that one thread decodes together.
    private static final int CHUNK_RUNS = 8;

    /// Chunks under way for each thread.
    private static final int CHUNKS_PER_WORKER = 3;

    private final Path input;
    private final StepsOptions options;
    /// The files of a folder, or null.
    private final List<Path> files;
    /// The pack, or null, and its runs.
    private final RunPack pack;

    private final long[] records;

    private StepsInput(Path input, StepsOptions options, List<Path> files, RunPack pack) {
        this.input = input;
        this.options = options;
        this.files = files;
        this.pack = pack;
        this.records = pack == null ? new long[0] : pack.liveIndices();
    }

    /// One run among the rows of a chunk.
    record Run(RunMeta meta, int stepCount) {}

    /// The rows of some runs.
    ///
    /// @param rows     rows one after another, with run ids counted from 0 in the chunk
    /// @param skipped  runs that were left out
    /// @param deviating what a strict reader would refuse
    record Chunk(byte[] rows, List<Run> runs, List<RunIntake.Finding> skipped, List<RunIntake.Finding> deviating) {}

    /// What is done with a chunk.
    @FunctionalInterface
    interface Sink {
        void accept(Chunk chunk) throws IOException;
    }

    /// Lists a folder, or opens a pack.
    static StepsInput open(Path input, StepsOptions options) throws IOException {
        if (!Files.exists(input)) {
            throw new NoSuchFileException(input.toString());
        }
        if (Files.isDirectory(input)) {
            return new StepsInput(input, options, PackFolder.runs(input), null);
        }
        if (!RunFile.isPackMagic(input)) {
            // A single run is as good as a folder with one.
            return new StepsInput(input, options, List.of(input), null);
        }
        return new StepsInput(input, options, null, RunPack.open(input));
    }

    int runCount() {
        return files == null ? records.length : files.size();
    }

    /// Hands over all runs in order.
    void forEach(Sink sink) throws IOException {
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
                    sink.accept(Parallel.await(underWay.poll()));
                    options.progress().at(Math.min(runCount(), (chunk + 1L) * CHUNK_RUNS), runCount());
                }
            } finally {
                pool.shutdownNow();
            }
        }
    }

    private Chunk chunk(int first) throws IOException {
        int limit = Math.min(runCount(), first + CHUNK_RUNS);
        List<Run> runs = new ArrayList<>();
        List<RunIntake.Finding> skipped = new ArrayList<>();
        List<RunIntake.Finding> deviating = new ArrayList<>();
        int rowSize = StepsFormat.rowSize(options.isWide());
        List<byte[]> pieces = new ArrayList<>();
        RunPack.Scratch scratch = new RunPack.Scratch();
        for (int index = first; index < limit; index++) {
            Path name = name(index);
            try {
                List<Deviation> deviations = new ArrayList<>();
                RunColumns columns = decode(index, scratch, deviations);
                requireUsable(columns, name);
                byte[] rows = new byte[Math.multiplyExact(columns.stepCount, rowSize)];
                StepRows.write(columns, runs.size(), options.isWide(), options.missingBranches(), rows, 0, name);
                runs.add(new Run(columns.meta, columns.stepCount));
                pieces.add(rows);
                for (Deviation deviation : deviations) {
                    deviating.add(new RunIntake.Finding(name, deviation.reason().toString(), deviation.what()));
                }
            } catch (DatasetException e) {
                if (!options.isSkippingBad()) {
                    throw e;
                }
                skipped.add(new RunIntake.Finding(name, e.reason().toString(), e.what()));
            }
        }
        return new Chunk(joined(pieces), runs, skipped, deviating);
    }

    private static byte[] joined(List<byte[]> pieces) {
        byte[] all = new byte
                [Math.toIntExact(
                        pieces.stream().mapToLong(piece -> piece.length).sum())];
        int filled = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, all, filled, piece.length);
            filled += piece.length;
        }
        return all;
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
                    "the metadata notes " + columns.meta.steps() + " steps, and the run has " + columns.stepCount
                            + "; --skip-bad leaves such runs out");
        }
        if (columns.stepCount > StepsFormat.STEPS_MAX && !options.isWide()) {
            throw new DatasetException.Corrupt(
                    name,
                    0,
                    Reason.RUN_TOO_LONG,
                    "the run has " + columns.stepCount + " steps, and the 16-bit step index has room for "
                            + StepsFormat.STEPS_MAX + "; build the dataset with --wide, or use --skip-bad");
        }
    }

    @Override
    public void close() {
        if (pack != null) {
            pack.close();
        }
    }
}
