// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.game2048.BoardExponents;
import dev.penstock.game2048.RunPack;
import dev.penstock.game2048.StepsDataset;
import dev.penstock.game2048.StepsOptions;
import dev.penstock.loader.Transform;
import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/// How fast are steps datasets built, and are batches of some runs as fast as batches of all?
final class StepsBenchmark implements Benchmark {
    static final String NAME = "steps";

    private static final double BUILD_GOAL = 0.6;
    private static final double FILTERED_GOAL = 0.9;
    private static final int BATCH_SIZE = 4096;
    private static final int BATCHES = 50;
    private static final int ROW_SIZE = 32;

    private final Map<String, Part> parts = new LinkedHashMap<>();

    /// Cases that belong together.
    @FunctionalInterface
    private interface Part {
        void run(Settings settings, RunsBenchmark.Data data, Report report) throws Exception;
    }

    StepsBenchmark() {
        parts.put("build", StepsBenchmark::build);
        parts.put("filtered", StepsBenchmark::filtered);
        parts.put("exponents", StepsBenchmark::exponents);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast are steps datasets built, filtered and decoded?";
    }

    @Override
    public List<String> parts() {
        return List.copyOf(parts.keySet());
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        RunsBenchmark.Data data = RunsBenchmark.data(settings, report);
        for (Map.Entry<String, Part> part : parts.entrySet()) {
            if (settings.wants(part.getKey())) {
                part.getValue().run(settings, data, report);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
    }

    private static void build(Settings settings, RunsBenchmark.Data data, Report report) throws Exception {
        Path target = settings.dir().resolve("steps-build");
        Build ours = new Build(data.pack(), target);
        Times times = new SideBySide(
                        ours, new DecodeAndWrite(data.pack(), settings.dir().resolve("steps-floor")))
                .warmUps(2)
                .measure(settings.roundsOr(7));
        report.add(times.things(NAME, "build", "steps/s", ours.steps, "decoding and writing the same bytes")
                .withGoal(BUILD_GOAL));
        delete(target);
    }

    private static final class Build implements SideBySide.Side {
        private final Path pack;
        private final Path target;
        private long steps;

        Build(Path pack, Path target) {
            this.pack = pack;
            this.target = target;
        }

        @Override
        public void prepare() throws IOException {
            delete(target);
        }

        @Override
        public long run() throws IOException {
            steps = StepsDataset.build(pack, target, StepsOptions.DEFAULT).stepCount();
            return steps * ROW_SIZE;
        }

        @Override
        public long answer() {
            return steps;
        }
    }

    /// Decodes all runs with as many threads, and writes and forces as many bytes.
    private static final class DecodeAndWrite implements SideBySide.Side {
        private final Path pack;
        private final Path target;
        private long steps;

        DecodeAndWrite(Path pack, Path target) {
            this.pack = pack;
            this.target = target;
        }

        @Override
        public long run() throws IOException {
            steps = 0;
            try (RunPack runs = RunPack.open(pack);
                    NewFile file = NewFile.create(Disk.real(), target, true)) {
                long[] all = runs.liveIndices();
                long written = 0;
                for (int first = 0; first < all.length; first += 64) {
                    long[] some = Arrays.copyOfRange(all, first, Math.min(all.length, first + 64));
                    long count = runs.runs(some).stream()
                            .mapToLong(run -> run.columns().stepCount())
                            .sum();
                    file.write(MemorySegment.ofArray(new byte[(int) count * ROW_SIZE]), written);
                    written += count * ROW_SIZE;
                    steps += count;
                }
                file.force();
            }
            return steps * ROW_SIZE;
        }

        @Override
        public long answer() {
            return steps;
        }
    }

    private static Path dataset(Settings settings, RunsBenchmark.Data data) throws IOException {
        Path folder = settings.dir().resolve("steps-of-" + data.pack().getFileName());
        if (!Files.exists(folder.resolve("metadata.db"))) {
            StepsDataset.build(data.pack(), folder);
        }
        return folder;
    }

    private static void filtered(Settings settings, RunsBenchmark.Data data, Report report) throws Exception {
        try (StepsDataset all = StepsDataset.open(dataset(settings, data))) {
            long median = median(all);
            StepsDataset best = all.filterByScore(median);
            report.note(best.runs().count() + " of " + all.runs().count() + " runs have a score of " + median);
            Times times = new SideBySide(new Draws(best.table(), null), new Draws(all.table(), null))
                    .warmUps(20)
                    .measure(settings.roundsOr(15));
            report.add(times.things(NAME, "filtered-batches", "steps/s", BATCH_SIZE * BATCHES, "batches of all runs")
                    .withGoal(FILTERED_GOAL));
        }
    }

    private static long median(StepsDataset dataset) {
        long[] scores = new long[(int) dataset.runs().count()];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = dataset.runs().whole("max_score", i);
        }
        Arrays.sort(scores);
        return scores[scores.length / 2];
    }

    private static void exponents(Settings settings, RunsBenchmark.Data data, Report report) throws Exception {
        try (StepsDataset all = StepsDataset.open(dataset(settings, data))) {
            Times times = new SideBySide(new Draws(all.table(), new BoardExponents()), new Draws(all.table(), null))
                    .warmUps(20)
                    .measure(settings.roundsOr(15));
            report.add(times.things(
                    NAME, "exponents", "steps/s", BATCH_SIZE * BATCHES, "batches with boards as they are stored"));
        }
    }

    private static final class Draws implements SideBySide.Side {
        private final Dataset dataset;
        private final Transform transform;
        private long sum;

        Draws(Dataset dataset, Transform transform) {
            this.dataset = dataset;
            this.transform = transform;
        }

        @Override
        public long run() throws Exception {
            SplittableRandom random = new SplittableRandom(3);
            try (Batch batch = Batch.create(dataset.fields());
                    Batch target =
                            Batch.create(transform == null ? dataset.fields() : transform.fields(dataset.fields()))) {
                for (int i = 0; i < BATCHES; i++) {
                    dataset.gather(random.longs(BATCH_SIZE, 0, dataset.count()).toArray(), batch);
                    if (transform != null) {
                        transform.apply(batch, target);
                    }
                    sum += (transform == null ? batch : target)
                            .column("move")
                            .memory()
                            .get(ValueLayout.JAVA_BYTE, 0);
                }
            }
            return (long) BATCH_SIZE * BATCHES * ROW_SIZE;
        }

        /// Both draw as many rows; the rows differ.
        @Override
        public long answer() {
            return (long) BATCH_SIZE * BATCHES;
        }
    }
}
