// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// What [History] says about whole runs, beside a log of every batch: with resumes, other ranks and batch sizes,
/// epochs left early, mixtures to which stages and sources are added, and data that grows.
@ExtendWith(Seeds.class)
class HistoryRunsTest {
    private static final int RUNS = TestData.isLong() ? 10_000 : 40;
    private static final int RANKS_MAX = 4;

    /// A batch's place: epoch, step and rank.
    private record Place(long epoch, long step, int rank) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            return Comparator.comparingLong(Place::epoch)
                    .thenComparingLong(Place::step)
                    .thenComparingInt(Place::rank)
                    .compare(this, other);
        }
    }

    /// The records of a run, and their order, which may change between its parts.
    private interface Source {
        Sampler sampler();

        /// Changes what comes behind a sample of the run.
        ///
        /// @return whether the loader is to be moved on
        default boolean change(Random random, long sample) {
            return false;
        }
    }

    private static Source fixed(Random random) {
        int count = random.nextInt(12, 60);
        long seed = random.nextLong();
        long[] some = LongStream.range(0, count).filter(i -> i % 2 == 0).toArray();
        double[] weights = random.doubles(count, 0.01, 1).toArray();
        int[] lengths = random.ints(count, 1, 9).toArray();
        Sampler sampler = switch (random.nextInt(9)) {
            case 0 -> new SequentialSampler(count);
            case 1 -> new BlockSampler(count, 3, 2, seed);
            case 2 -> new ShareSampler(count, 1, 2, 12, seed);
            case 3 -> new UniformSampler(count, count + 3, seed);
            case 4 -> new WeightedSampler(weights, count, seed);
            case 5 -> new SubsetSampler(count, some, new PermutationSampler(some.length, seed));
            case 6 -> new BucketSampler(lengths, 4, 8, seed);
            case 7 -> new WindowSampler(count, 5, 3);
            default -> new PermutationSampler(count, seed);
        };
        return () -> sampler;
    }

    private static final class Growing implements Source {
        private final long seed;
        private final boolean isBlock;
        private long count;

        Growing(Random random) {
            seed = random.nextLong();
            isBlock = random.nextBoolean();
            count = random.nextLong(4, 40);
        }

        @Override
        public Sampler sampler() {
            return isBlock ? new BlockSampler(count, 3, 2, seed) : new PermutationSampler(count, seed);
        }

        @Override
        public boolean change(Random random, long sample) {
            count += random.nextLong(1, 15);
            return random.nextBoolean();
        }
    }

    private static final class Staged implements Source {
        private final List<Sampler> parts = new ArrayList<>();
        private final List<MixtureStage> stages = new ArrayList<>();
        private final long length;
        private final long seed;

        Staged(Random random) {
            length = random.nextLong(5, 80);
            seed = random.nextLong();
            parts.add(part(random));
            stages.add(MixtureStage.of(0, 1));
            for (int i = random.nextInt(3); i > 0; i--) {
                change(random, stages.getLast().from());
            }
        }

        private static Sampler part(Random random) {
            long count = random.nextLong(2, 25);
            return random.nextBoolean()
                    ? new PermutationSampler(count, random.nextLong())
                    : new UniformSampler(count, random.nextLong(1, 30), random.nextLong());
        }

        @Override
        public Sampler sampler() {
            double[] unlimited = new double[parts.size()];
            Arrays.fill(unlimited, StagedSampler.UNLIMITED);
            return new StagedSampler(parts, stages, unlimited, length, seed);
        }

        @Override
        public boolean change(Random random, long sample) {
            if (random.nextBoolean()) {
                parts.add(part(random));
            }
            List<Double> weights = new ArrayList<>();
            parts.forEach(part -> weights.add(Math.pow(random.nextDouble(), 2) + 1e-3));
            long from = Math.max(sample, stages.getLast().from()) + random.nextLong(1, 60);
            stages.add(new MixtureStage(from, random.nextLong(60), weights));
            return false;
        }
    }

    /// A run of several parts, each with its own ranks and batch size, and the log of it.
    private static final class Run {
        private final Random random;
        private final Source source;
        private final Map<Long, List<Place>> placesOf = new TreeMap<>();
        private final Map<Place, List<Long>> recordsOf = new TreeMap<>();
        private LoaderState state;
        private History history;

        Run(Random random) {
            this.random = random;
            this.source = switch (random.nextInt(3)) {
                case 0 -> fixed(random);
                case 1 -> new Growing(random);
                default -> new Staged(random);
            };
        }

        void go() throws IOException {
            int parts = random.nextInt(1, 5);
            for (int part = 0; part < parts; part++) {
                boolean isMoving = false;
                if (part > 0 && random.nextBoolean()) {
                    long sample = state.epoch() * source.sampler().length() + state.delivered();
                    isMoving = source.change(random, sample);
                }
                part(isMoving);
            }
        }

        private void part(boolean isMoving) throws IOException {
            int worldSize = random.nextInt(1, RANKS_MAX + 1);
            boolean isDroppingLast = random.nextBoolean();
            LoaderOptions options = LoaderOptions.of(random.nextInt(1, 9))
                    .withThreads(1)
                    .withDroppingLast(isDroppingLast)
                    .withEvenBatches(isDroppingLast || random.nextBoolean());
            int[] limits = random.ints(random.nextInt(1, 4), 1, 12).toArray();
            LoaderState first = null;
            History last = null;
            for (int rank = 0; rank < worldSize; rank++) {
                Sampler sampler = source.sampler();
                Dataset dataset = Numbers.growing(sampler.recordCount());
                LoaderOptions own = options.withSampler(sampler).withRanks(new Ranks(rank, worldSize, worldSize));
                try (Loader loader = Loader.open(dataset, own)) {
                    if (state != null) {
                        loader.resume(state);
                    }
                    if (isMoving) {
                        loader.moveOn();
                    }
                    for (int i = 0; i < limits.length; i++) {
                        // All ranks leave an epoch after the same step, or go to its end.
                        boolean isLeft = rank > 0 || limits[i] < loader.passStepCount() - 1;
                        limits[i] = isLeft ? limits[i] : Integer.MAX_VALUE;
                        pass(loader, rank, limits[i]);
                    }
                    first = rank == 0 ? LoaderState.parse(loader.state().toJson()) : first;
                    last = rank == 0 ? loader.history() : last;
                }
            }
            state = first;
            history = last;
        }

        private void pass(Loader loader, int rank, int limit) {
            Iterator<LoaderBatch> batches = loader.iterator();
            for (int step = 0; step < limit && batches.hasNext(); step++) {
                LoaderBatch batch = batches.next();
                Place place = new Place(batch.epoch(), batch.step(), rank);
                for (long row = 0; row < batch.rowCount(); row++) {
                    assertEquals(batch.index(row), Numbers.at(batch, row));
                    placesOf.computeIfAbsent(batch.index(row), i -> new ArrayList<>())
                            .add(place);
                    recordsOf.computeIfAbsent(place, i -> new ArrayList<>()).add(batch.index(row));
                }
            }
        }

        /// Compares what the history says, and what that of the checkpoint says.
        void compare(int number) throws IOException {
            List<History> both = new ArrayList<>(List.of(history));
            if (!(state.sampler().equals("weighted")
                    || state.sampler().equals("bucket")
                    || state.sampler().equals("subset"))) {
                Sampler again = SamplerRecipe.make(state.orderRecipe(), new SamplerRecipe.Data() {});
                both.add(History.of(state, again));
            }
            long recordCount = state.recordCount();
            for (History one : both) {
                for (long record = 0; record < recordCount; record++) {
                    List<Place> told = new ArrayList<>();
                    for (long epoch = 0; epoch <= state.epoch(); epoch++) {
                        for (History.Seen seen : one.places(epoch, record)) {
                            if (one.isSeen(seen, state)) {
                                told.add(new Place(epoch, seen.step(), seen.rank()));
                            }
                        }
                    }
                    List<Place> logged = new ArrayList<>(placesOf.getOrDefault(record, List.of()));
                    told.sort(null);
                    logged.sort(null);
                    assertEquals(logged, told, "run " + number + ", record " + record + " of " + state.toJson());
                }
                for (Map.Entry<Place, List<Long>> step : recordsOf.entrySet()) {
                    Place place = step.getKey();
                    List<Long> told = LongStream.of(one.indices(place.epoch(), place.step(), place.rank()))
                            .boxed()
                            .toList();
                    assertTrue(
                            told.containsAll(step.getValue()),
                            () -> "run " + number + ", " + place + ": " + told + " and not " + step.getValue());
                }
            }
        }
    }

    @Test
    void historyAgreesWithLogsOfRuns() throws IOException {
        for (int number = 0; number < RUNS; number++) {
            Run run = new Run(Seeds.random());
            run.go();
            run.compare(number);
        }
        System.out.println("figure: differences between the history and logs of " + RUNS + " runs: 0");
    }
}
