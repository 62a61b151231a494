// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static dev.penstock.app.DemoCommand.secondsSince;

import dev.penstock.Batch;
import dev.penstock.plugin.Text;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// Writes a table of a million steps of a game and reads it in random batches, compared with NumPy.
record TableDemo(DemoCommand demo) {
    private static final RowType ROW = RowType.of(DType.parse("[('board', '<u8'), ('move', '|u1'), ('ev_legal', '|u1'),"
            + " ('ev_values', '<f4', (4,)), ('run_id', '<u4'), ('step_index', '<u2')]"));
    private static final long ROW_COUNT = 1_000_000;
    private static final int CHUNK_ROWS = 20_000;
    private static final int BATCH_SIZE = 4096;

    /// More than the delay after which the library compiles its vector loops.
    private static final double STEADY_SECONDS = 1;

    /// Prints batches per second, in the fastest of some rounds, for a dictionary of columns: by indexing the
    /// structured array, as most code does, and by indexing each field.
    private static final String PYTHON = """
        import sys, time, numpy as np
        a = np.load(sys.argv[1], mmap_mode='r')
        r = np.random.default_rng(1)
        ix = [r.integers(0, len(a), 4096) for _ in range(64)]
        a.tobytes()
        def usual(i):
            b = a[i]
            return {f: b[f] for f in a.dtype.names}
        def best(i):
            return {f: a[f][i] for f in a.dtype.names}
        for f in (usual, best):
            for i in ix[:8]: f(i)
            most, steady = 0, 0
            while steady < 12:
                n, t = 0, time.perf_counter()
                while time.perf_counter() - t < 0.05:
                    f(ix[n % 64]); n += 1
                rate = n / (time.perf_counter() - t)
                steady = 0 if rate > most * 1.05 else steady + 1
                most = max(most, rate)
            print(most)
        print(np.__version__)
        """;

    /// @return the table
    Path run(Path folder) throws IOException {
        Path table = folder.resolve("steps.npy");
        write(table);
        double ours = gather(table);
        demo.show(
                "tableBatchesPerSecond",
                ours,
                "  read     random batches of " + Text.number(BATCH_SIZE) + " rows, every field in its own array: "
                        + rate(ours));
        List<String> numPy = numPy(table);
        if (numPy.isEmpty()) {
            demo.show("numPy", null, "  NumPy    is not installed, so there is no comparison");
            return table;
        }
        double usual = Double.parseDouble(numPy.get(0));
        double best = Double.parseDouble(numPy.get(1));
        demo.show("numPyBatchesPerSecond", usual, "  NumPy    array[indices], then its fields:  " + rate(usual));
        demo.show("numPyFieldsBatchesPerSecond", best, "  NumPy    array[field][indices], for each:  " + rate(best));
        demo.note("numPyVersion", numPy.get(2));
        demo.show(
                "tableRatio",
                ours / usual,
                String.format(
                        Locale.ROOT,
                        "  The table is %.1f times and %.1f times as fast, on the same file",
                        ours / usual,
                        ours / best));
        return table;
    }

    private static String rate(double batchesPerSecond) {
        return Text.number((long) batchesPerSecond) + " batches/s, "
                + Text.number((long) (batchesPerSecond * BATCH_SIZE)) + " rows/s";
    }

    private void write(Path path) throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        byte[] rows = new byte[(int) (CHUNK_ROWS * ROW.size())];
        long start = System.nanoTime();
        try (TableWriter writer = TableWriter.create(path, ROW, TableWriter.Options.DEFAULT)) {
            for (long row = 0; row < ROW_COUNT; row += CHUNK_ROWS) {
                random.nextBytes(rows);
                writer.append(MemorySegment.ofArray(rows));
            }
        }
        double seconds = secondsSince(start);
        demo.show(
                "tableWriteSeconds",
                seconds,
                "  wrote    a NumPy table of " + Text.number(ROW_COUNT) + " rows of " + ROW.size() + " bytes in "
                        + Text.seconds(seconds));
    }

    /// Batches per second.
    private static double gather(Path path) throws IOException {
        SplittableRandom random = new SplittableRandom(4);
        long[][] indices = new long[64][BATCH_SIZE];
        try (TableReader table = TableReader.open(path);
                Batch batch = Batch.create(table.fields())) {
            for (long[] some : indices) {
                for (int i = 0; i < BATCH_SIZE; i++) {
                    some[i] = random.nextLong(table.count());
                }
            }
            long[] batchCount = new long[1];
            return DemoRate.of(STEADY_SECONDS, () -> {
                        table.gather(indices[(int) (batchCount[0]++ % indices.length)], batch);
                        return BATCH_SIZE * table.rowSize();
                    })
                    .callsPerSecond();
        }
    }

    /// The output of the NumPy script, or an empty list if NumPy is not installed.
    private static List<String> numPy(Path path) throws IOException {
        String python = System.getProperty("penstock.python", "");
        try {
            Process process = new ProcessBuilder(python.isEmpty() ? "python3" : python, "-c", PYTHON, path.toString())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            try (InputStream output = process.getInputStream()) {
                List<String> lines = new String(output.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .toList();
                return process.waitFor() == 0 ? lines : List.of();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        } catch (IOException e) {
            // Python is not installed.
            return List.of();
        }
    }
}
