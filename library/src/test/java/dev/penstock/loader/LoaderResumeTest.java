// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.pack.PackReader;
import dev.penstock.table.TableReader;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A run that was stopped anywhere goes on with the very next sample, whatever has changed around it.
@ExtendWith(Seeds.class)
class LoaderResumeTest {
    private static final int COUNT = 211;
    private static final int[] THREADS = {1, 2, 8};

    private static Stream<Named<Sampler>> samplers() {
        return Samplers.of(COUNT, 3);
    }

    private static LoaderOptions options(long batchSize, Sampler sampler) {
        return LoaderOptions.of(batchSize)
                .withRanks(Ranks.ALONE)
                .withSampler(sampler)
                .withThreads(2);
    }

    private static LoaderState stateAfter(Dataset dataset, LoaderOptions options, long epoch, int steps)
            throws IOException {
        try (Loader loader = Loader.open(dataset, options)) {
            loader.setEpoch(epoch);
            Iterator<LoaderBatch> batches = loader.iterator();
            for (int i = 0; i < steps; i++) {
                batches.next();
            }
            String json = loader.state().toJson();
            assertTrue(json.length() < 1024);
            return LoaderState.parse(json);
        }
    }

    @Test
    void batchesThatWereNotUsedComeAgain() throws IOException {
        LoaderOptions options = options(10, new PermutationSampler(COUNT, 3));
        try (Loader loader = Loader.open(Numbers.of(COUNT), options)) {
            Iterator<LoaderBatch> batches = loader.iterator();
            for (int step = 0; step < 3; step++) {
                batches.next();
            }
            assertEquals(30, loader.state().delivered());
            assertEquals(20, loader.state(2).delivered());
            assertEquals(30, loader.state(9).delivered());
            assertFalse(loader.rewind(3));
            assertThrows(IllegalArgumentException.class, () -> loader.rewind(-1));
            assertTrue(loader.rewind(2));
            assertThrows(IllegalStateException.class, batches::next);
            assertEquals(20, loader.state().delivered());
            assertEquals(20, loader.iterator().next().position());
            assertEquals(0, loader.epoch());
        }
    }

    /// Every step is stopped at once, and each time all that may change does.
    @ParameterizedTest
    @MethodSource("samplers")
    void stoppedAtEveryStepTheRestIsTheSame(Sampler sampler) throws IOException {
        Dataset numbers = Numbers.of(COUNT);
        Random random = Seeds.random();
        List<Integer> worldSizes = World.sizes(sampler, 13);
        long resumed = 0;
        int batchSize = (TestData.isLong() ? 1 : 25) + random.nextInt(20);
        for (int stop = 0; stop <= Math.ceilDiv(sampler.length(), batchSize); stop++) {
            LoaderState state = stateAfter(numbers, options(batchSize, sampler), 1, stop);
            assertEquals(Math.min(sampler.length(), (long) stop * batchSize), state.delivered());
            int worldSize = worldSizes.get(stop % worldSizes.size());
            LoaderOptions other = options(1 + random.nextInt(40), sampler)
                    .withThreads(THREADS[stop % 3])
                    .withDroppingLast(random.nextInt(4) == 0);
            World.run(numbers, other, worldSize, state).requireOrder();
            resumed++;
        }
        Figures.print("loader runs resumed", resumed);
    }

    /// Several ranks, then another number of them, then another; the state of every rank is the same.
    @ParameterizedTest
    @MethodSource("samplers")
    void aRunMayChangeItsWorldSeveralTimes(Sampler sampler) throws IOException {
        Dataset numbers = Numbers.of(COUNT);
        Random random = Seeds.random();
        List<Integer> worldSizes = World.sizes(sampler, 7);
        LoaderState state = stateAfter(numbers, options(1, sampler), 2, 0);
        while (state.delivered() < sampler.length() - 1) {
            int worldSize = worldSizes.get(random.nextInt(worldSizes.size()));
            LoaderOptions options = options(1 + random.nextInt(12), sampler);
            World.run(numbers, options, worldSize, state).requireOrder();
            LoaderState next = null;
            int steps = 1 + random.nextInt(3);
            for (int rank = 0; rank < worldSize; rank++) {
                try (Loader loader = Loader.open(numbers, options.withRanks(Ranks.of(rank, worldSize)))) {
                    loader.resume(state);
                    Iterator<LoaderBatch> batches = loader.iterator();
                    for (int i = 0; i < steps && batches.hasNext(); i++) {
                        batches.next();
                    }
                    assertTrue(next == null || next.equals(loader.state()), "ranks differ in their states");
                    next = loader.state();
                }
            }
            // The pass may have ended, and then the next epoch has begun.
            state = next.epoch() == state.epoch()
                    ? next
                    : new LoaderState(
                            next.fingerprint(), COUNT, next.sampler(), next.parameters(), 2, sampler.length());
        }
    }

    /// A mixture over two files, one of them small and often drawn from.
    @Test
    void aMixtureOfTablesIsResumedAnywhere(@TempDir Path folder) throws IOException {
        try (TableReader small = TableReader.open(RealData.table(folder.resolve("small.npy"), 0, 20));
                TableReader large = TableReader.open(RealData.table(folder.resolve("large.npy"), 1000, 300));
                Concat both = Concat.of(List.of(small, large))) {
            Sampler sampler = new MixtureSampler(
                    List.of(new PermutationSampler(20, 1), new BlockSampler(300, 16, 3, 2)),
                    new double[] {1, 3},
                    150,
                    7);
            for (int stop = 0; stop <= 15; stop++) {
                LoaderState state = stateAfter(both, options(10, sampler), 3, stop);
                World.run(both, options(7 + stop, sampler), 1 + stop % 3, state).requireOrder();
            }
            try (Loader loader = Loader.open(both, options(10, sampler))) {
                for (LoaderBatch batch : loader) {
                    for (long row = 0; row < batch.rowCount(); row++) {
                        long record = batch.index(row);
                        long id = batch.column("id").value(row).get(U64, 0);
                        assertEquals(record < 20 ? record : 1000 + record - 20, id);
                    }
                }
            }
        }
    }

    private static List<Long> digests(Dataset dataset, LoaderOptions options) {
        try (Loader loader = Loader.open(dataset, options)) {
            List<Long> digests = new ArrayList<>();
            for (int epoch = 0; epoch < 2; epoch++) {
                for (LoaderBatch batch : loader) {
                    digests.add(RealData.digest(batch));
                }
            }
            return digests;
        }
    }

    private static void requireSameBytes(Dataset dataset, Sampler sampler, Transform... transforms) {
        Map<Integer, List<Long>> byThreads = new HashMap<>();
        for (int threads : THREADS) {
            LoaderOptions options = options(64, sampler)
                    .withThreads(threads)
                    .withPrefetchBytes(64 * 1024)
                    .withTransforms(transforms);
            byThreads.put(threads, digests(dataset, options));
        }
        assertEquals(byThreads.get(1), byThreads.get(2), sampler.name());
        assertEquals(byThreads.get(1), byThreads.get(8), sampler.name());
        assertEquals(2 * Math.ceilDiv(sampler.length(), 64), byThreads.get(1).size());
    }

    @Test
    void theBytesAreTheSameWithAnyNumberOfThreads(@TempDir Path folder) throws IOException {
        int count = 1000;
        Path pack = RealData.pack(folder.resolve("pack.a2pack"), count, i -> i % 50 * (i % 7));
        try (TableReader table = TableReader.open(RealData.table(folder.resolve("table.npy"), 0, count));
                PackReader records = PackReader.open(pack)) {
            for (Named<Sampler> sampler : Samplers.of(count, 9).toList()) {
                requireSameBytes(table, sampler.getPayload());
                requireSameBytes(records, sampler.getPayload());
            }
            Sampler permutation = new PermutationSampler(count, 1);
            requireSameBytes(table, permutation, Convert.to(ElementType.F16, "x"));
            requireSameBytes(records, permutation, Pad.of("value"));
        }
    }
}
