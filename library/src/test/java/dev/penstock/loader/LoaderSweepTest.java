// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Dataset;
import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// No record is lost or comes twice, for any number of records, batch size, number of ranks and end of the epoch.
@ExtendWith(Seeds.class)
@Tag("full")
class LoaderSweepTest {
    private static final int COUNT_MAX = TestData.isLong() ? 130 : 20;
    private static final int[] BATCH_SIZES = {1, 2, 3, 7, 50};

    private long rows;

    private void run(Sampler sampler, long batchSize, int worldSize, boolean isDroppingLast) throws IOException {
        Dataset numbers = Numbers.of(sampler.recordCount());
        LoaderOptions options = LoaderOptions.of(batchSize)
                .withSampler(sampler)
                .withThreads(1)
                .withPrefetchBytes(1000)
                .withDroppingLast(isDroppingLast);
        LoaderState start = new LoaderState(
                numbers.fingerprint(), sampler.recordCount(), sampler.name(), sampler.parameters(), 1, 0);
        rows += World.run(numbers, options, worldSize, start).requireOrder();
    }

    @Test
    void everyRecordComesOnceOnOneRank() throws IOException {
        for (int count = 0; count <= COUNT_MAX; count++) {
            for (int batchSize : BATCH_SIZES) {
                for (int worldSize = 1; worldSize <= 4; worldSize++) {
                    run(new PermutationSampler(count, count), batchSize, worldSize, false);
                    run(new PermutationSampler(count, count), batchSize, worldSize, true);
                }
            }
        }
        Figures.print("loader rows swept", rows);
    }

    /// Uneven shares among them: what they repeat is flagged, and left out with the last step.
    @Test
    void everyRecordComesOnceFromOneShare() throws IOException {
        for (int count = 1; count <= COUNT_MAX; count += 2) {
            for (int shares = 1; shares <= 6; shares++) {
                for (int blockSize : new int[] {1, 2, 5}) {
                    if (Math.ceilDiv(count, blockSize) < shares) {
                        continue;
                    }
                    Sampler sampler = new ShareSampler(count, blockSize, 2, shares, count);
                    for (int worldSize : World.sizes(sampler, shares + 1)) {
                        int batchSize = BATCH_SIZES[(count + worldSize) % BATCH_SIZES.length];
                        run(sampler, batchSize, worldSize, false);
                        run(sampler, batchSize, worldSize, true);
                    }
                }
            }
        }
        Figures.print("loader rows swept", rows);
    }

    @Test
    void randomNumbersOfAllThings() throws IOException {
        Random random = Seeds.random();
        int rounds = TestData.isLong() ? 5000 : 80;
        for (int round = 0; round < rounds; round++) {
            int count = 150 + random.nextInt(350);
            Sampler sampler = Samplers.of(count, round)
                    .skip(random.nextInt(20))
                    .findFirst()
                    .orElseThrow()
                    .getPayload();
            List<Integer> sizes = World.sizes(sampler, 12);
            run(sampler, 1 + random.nextInt(100), sizes.get(random.nextInt(sizes.size())), random.nextBoolean());
        }
        Figures.print("loader rows swept", rows);
    }

    /// The harness sees a rank that takes a row too many, and one that takes another's.
    @Test
    void aWorldThatIsWrongIsCaught() throws IOException {
        Sampler sampler = new PermutationSampler(30, 1);
        Dataset numbers = Numbers.of(30);
        LoaderOptions options = LoaderOptions.of(4).withSampler(sampler).withThreads(1);
        LoaderState start = new LoaderState(numbers.fingerprint(), 30, "permutation", Map.of("seed", 1L), 0, 0);
        World right = World.run(numbers, options, 3, start);
        assertEquals(30, right.requireOrder());
        for (int worldSize = 1; worldSize < 3; worldSize++) {
            World wrong =
                    new World(sampler, options, worldSize, 0, 0, right.ranks().subList(0, worldSize));
            assertThrows(AssertionError.class, wrong::requireOrder);
        }
        World swapped = new World(sampler, options, 3, 0, 0, right.ranks().reversed());
        assertThrows(AssertionError.class, swapped::requireOrder);
    }
}
