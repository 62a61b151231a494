// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Buffer;
import dev.penstock.ElementType;
import dev.penstock.file.Parallel;
import dev.penstock.shards.ShardBatch;
import dev.penstock.shards.ShardReader;
import dev.penstock.shards.ShardSource;
import dev.penstock.shards.ShardWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;

/// Streams, gathers and opens corpora, in turns with memcpy, `dd` and NumPy.
///
/// Streams are measured in bytes written, and the memcpy baseline writes the same number of bytes from the same
/// file.
final class ShardsCases {
    private static final long CORPUS_BYTES = 256L << 20;
    private static final int ROUNDS = 9;
    private static final int GATHERS = 20;
    private static final int SHARD_COUNT = 10_000;
    private static final long TRAINING_NANOS = 3_000_000_000L;
    private static final double OPEN_LIMIT_MILLIS = 200;

    private final Settings settings;
    private final Report report;

    ShardsCases(Settings settings, Report report) {
        this.settings = settings;
        this.report = report;
    }

    private Path corpus(int width, ElementType type) throws IOException {
        return corpus("shards-" + width + "-" + type, width, type, CORPUS_BYTES);
    }

    private Path corpus(String name, int width, ElementType type, long byteCount) throws IOException {
        Path folder = settings.dir().resolve(name);
        if (Files.exists(folder.resolve("corpus.json"))) {
            return folder;
        }
        Files.createDirectories(settings.dir());
        Random random = new Random(1);
        float[] rows = new float[1024 * width];
        try (ShardWriter writer = ShardWriter.resume(folder, width, ShardWriter.Options.DEFAULT.withType(type))) {
            while (writer.nextRow() * width * type.size() < byteCount) {
                for (int i = 0; i < rows.length; i++) {
                    rows[i] = random.nextFloat() - 0.5f;
                }
                writer.append(MemorySegment.ofArray(rows), ElementType.F32);
            }
        }
        return folder;
    }

    void stream() throws Exception {
        awaitTraining();
        for (int width : new int[] {512, 2048}) {
            stream(width, ElementType.F32, ElementType.F64, 0.85);
            stream(width, ElementType.F32, ElementType.F32, 0.95);
            stream(width, ElementType.BF16, ElementType.F32, 0.8);
        }
        for (int width : new int[] {512, 2048}) {
            besideNumPy(width, 1);
            besideNumPy(width, Parallel.defaultThreads());
        }
    }

    /// Streams until the vector loops of the conversions are compiled, which takes about a second after the first
    /// conversion.
    private void awaitTraining() throws Exception {
        try (ShardReader reader = ShardReader.open(corpus(512, ElementType.F32));
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            long end = System.nanoTime() + TRAINING_NANOS;
            while (System.nanoTime() < end) {
                streaming(source, batch).run();
            }
        }
    }

    /// NumPy's `copyto` uses one thread.
    private void besideNumPy(int width, int threads) throws Exception {
        Optional<List<String>> words =
                new Peers(report).script("shards.py", settings.dir().toString(), Integer.toString(width));
        if (words.isEmpty()) {
            return;
        }
        ShardReader.Options options = ShardReader.Options.DEFAULT.withThreads(threads);
        try (ShardReader reader = ShardReader.open(corpus(width, ElementType.F32), options);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64);
                NumPyShards numPy = NumPyShards.start(words.get())) {
            reader.prepare();
            Resident.awaitFill();
            Times times = measure(streaming(source, batch), numPy);
            report.add(times.megabytes(
                            ShardsBenchmark.NAME,
                            "f32-to-f64-" + width + "-" + threads + "-threads",
                            "NumPy copyto, 1 thread")
                    .withGoal(1.3));
        }
    }

    private static SideBySide.Side streaming(ShardSource source, ShardBatch batch) {
        return new Timed(() -> {
            source.reset();
            while (source.nextBatch(batch)) {
                // The next batch replaces this one.
            }
            return source.count() * source.width() * batch.type().size();
        });
    }

    private void stream(int width, ElementType from, ElementType to, double goal) throws Exception {
        ShardReader.Options options = ShardReader.Options.DEFAULT.withThreads(1);
        try (ShardReader reader = ShardReader.open(corpus(width, from), options);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(to);
                Buffer buffer = new Buffer()) {
            reader.prepare();
            Resident.awaitFill();
            long outBytes = reader.count() * width * to.size();
            SideBySide.Side ours = streaming(source, batch);
            long pieceBytes = 1024L * width * to.size();
            MemorySegment target = buffer.reserve(pieceBytes);
            MemorySegment bytes = source.views(0, 1024).getFirst();
            SideBySide.Side floor = new Timed(() -> {
                long fileBytes = reader.count() * reader.rowSize();
                for (long done = 0; done < outBytes; done += pieceBytes) {
                    long at = done % Math.max(1, fileBytes - pieceBytes);
                    Memcpy.copy(target.address(), bytes.address() + at, Math.min(pieceBytes, outBytes - done));
                }
                return outBytes;
            });
            Times times = measure(ours, floor);
            report.add(times.megabytes(ShardsBenchmark.NAME, from + "-to-" + to + "-" + width, "memcpy, 1 thread")
                    .withGoal(goal));
        }
    }

    void gather() throws Exception {
        gather(1);
        gather(Parallel.defaultThreads());
    }

    private void gather(int threads) throws Exception {
        ShardReader.Options options = ShardReader.Options.DEFAULT.withThreads(threads);
        try (ShardReader reader = ShardReader.open(corpus(2048, ElementType.F32), options);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64);
                Buffer buffer = new Buffer()) {
            reader.prepare();
            Resident.awaitFill();
            long[] ids = new Random(2).longs(1024, 0, reader.count()).toArray();
            long outBytes = 1024L * 2048 * Double.BYTES;
            SideBySide.Side ours = new Timed(() -> {
                for (int i = 0; i < GATHERS; i++) {
                    source.gather(ids, batch);
                }
                return GATHERS * outBytes;
            });
            if (threads == 1) {
                report.add(measure(ours, rowCopies(reader, source, ids, buffer.reserve(outBytes)))
                        .megabytes(
                                ShardsBenchmark.NAME,
                                "gather-1024-of-2048-f64",
                                "memcpy of as many bytes, row by row"));
            }
            Optional<List<String>> words =
                    new Peers(report).script("shards.py", settings.dir().toString(), "gather");
            if (words.isPresent()) {
                try (NumPyShards numPy = NumPyShards.start(words.get())) {
                    report.add(measure(ours, numPy)
                            .megabytes(
                                    ShardsBenchmark.NAME,
                                    "gather-1024-of-2048-f64-" + threads + "-threads",
                                    "np.take and copyto")
                            .withGoal(1));
                }
            }
        }
    }

    private Times measure(SideBySide.Side ours, SideBySide.Side floor) throws Exception {
        return new SideBySide(ours, floor).warmUps(5).measure(settings.roundsOr(ROUNDS));
    }

    private static SideBySide.Side rowCopies(ShardReader reader, ShardSource source, long[] ids, MemorySegment target)
            throws IOException {
        long start = source.views(0, 1).getFirst().address();
        return new Timed(() -> {
            for (int i = 0; i < GATHERS; i++) {
                for (int row = 0; row < ids.length; row++) {
                    long at = Math.min(ids[row], reader.count() - 2) * reader.rowSize();
                    Memcpy.copy(target.address() + row * 2L * reader.rowSize(), start + at, 2 * reader.rowSize());
                }
            }
            return GATHERS * ids.length * 2L * reader.rowSize();
        });
    }

    /// A corpus four times as large as the memory of its process.
    void limited() throws Exception {
        Path corpus = corpus("shards-limited", 2048, ElementType.F32, ShardsLimitedCases.CORPUS_BYTES);
        ShardsLimitedCases.run(settings, corpus, report);
    }

    /// A file that is not in the page cache, read sequentially with prefetch.
    void cold() throws Exception {
        Path folder = corpus(2048, ElementType.F32);
        List<Path> files = Resident.files(folder);
        SideBySide.Side ours = new Cold(folder, () -> streamAll(folder));
        SideBySide.Side floor = new Cold(folder, () -> {
            long byteCount = 0;
            for (Path file : files) {
                Command.run("dd", "if=" + file, "of=/dev/null", "bs=1M", "status=none");
                byteCount += Files.size(file);
            }
            return byteCount;
        });
        Times times = new SideBySide(ours, floor).warmUps(1).measure(settings.roundsOr(5));
        report.add(times.megabytes(ShardsBenchmark.NAME, "cold-stream-f32-2048", "dd bs=1M")
                .withGoal(0.9));
    }

    /// Opens and closes the corpus, because mapped files stay in the page cache.
    private static long streamAll(Path folder) throws IOException {
        try (ShardReader reader = ShardReader.open(folder);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F32)) {
            while (source.nextBatch(batch)) {
                // The next batch replaces this one.
            }
            return reader.bytes();
        }
    }

    void open() throws Exception {
        Path folder = settings.dir().resolve("shards-many");
        Path last = folder.resolve(name(SHARD_COUNT - 1));
        if (!Files.exists(last)) {
            Files.createDirectories(folder);
            byte[] shard = ShardWriter.encode(new double[][] {{1, 2, 3, 4}});
            for (int i = 0; i < SHARD_COUNT; i++) {
                Files.write(folder.resolve(name(i)), shard);
            }
        }
        double[] millis = LongStream.range(0, settings.roundsOr(ROUNDS) + 3L)
                .mapToDouble(round -> openMillis(folder))
                .skip(3)
                .toArray();
        report.add(Row.below(ShardsBenchmark.NAME, "open-10000", "ms", millis, OPEN_LIMIT_MILLIS));
    }

    private static String name(int number) {
        return String.format(Locale.ROOT, "shard_%06d.shard", number);
    }

    private static double openMillis(Path folder) {
        long start = System.nanoTime();
        try (ShardReader reader = ShardReader.open(folder)) {
            if (reader.count() != SHARD_COUNT) {
                throw new IllegalStateException(reader.count() + " rows");
            }
            return (System.nanoTime() - start) / 1e6;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Work without a result to compare.
    private record Timed(SideBySide.MeasuredWork work) implements SideBySide.Side {
        @Override
        public long run() throws Exception {
            return work.run();
        }

        @Override
        public long answer() {
            return 0;
        }
    }

    /// Work on files that are evicted from the page cache first.
    private record Cold(Path folder, SideBySide.MeasuredWork work) implements SideBySide.Side {
        @Override
        public void prepare() throws Exception {
            Resident.evict(folder);
        }

        @Override
        public long run() throws Exception {
            return work.run();
        }

        @Override
        public long answer() {
            return 0;
        }
    }
}
