// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Orders that draw neighbours together name each of them once, before they are drawn.
@ExtendWith(Seeds.class)
class AheadTest {
    @Test
    void everyBlockIsNamedOnceBeforeItIsDrawn() {
        Random random = Seeds.random();
        for (int i = 0; i < 200; i++) {
            int count = 1 + random.nextInt(3000);
            int blockSize = 1 + random.nextInt(50);
            int windowBlocks = 1 + random.nextInt(10);
            check(new BlockSampler(count, blockSize, windowBlocks, i), 1 + random.nextInt(400), 1);
        }
    }

    @Test
    void ofASharedOrderARankNamesItsOwnBlocks() {
        Random random = Seeds.random();
        for (int i = 0; i < 100; i++) {
            int blockSize = 1 + random.nextInt(20);
            int windowBlocks = 1 + random.nextInt(5);
            int shareCount = 1 << random.nextInt(4);
            // Equal shares, so that none repeats a record.
            int count = blockSize * shareCount * (1 + random.nextInt(30));
            Sampler sampler = new ShareSampler(count, blockSize, windowBlocks, shareCount, i);
            check(sampler, 1 + random.nextInt(100), 1 << random.nextInt(Integer.numberOfTrailingZeros(shareCount) + 1));
        }
    }

    private static void check(Sampler sampler, int batchSize, int worldSize) {
        int[] named = new int[(int) sampler.recordCount()];
        for (int rank = 0; rank < worldSize; rank++) {
            for (long start = rank; start < sampler.length(); start += (long) batchSize * worldSize) {
                long count = Math.min(batchSize, Math.ceilDiv(sampler.length() - start, worldSize));
                sampler.ahead(3, start, worldSize, count, (first, size) -> {
                    for (long record = first; record < first + size; record++) {
                        named[(int) record]++;
                    }
                });
                for (long i = 0; i < count; i++) {
                    int record = (int) sampler.index(3, start + i * worldSize);
                    assertTrue(named[record] > 0, () -> "record " + record + " of " + sampler.parameters());
                }
            }
        }
        assertEquals(0, Arrays.stream(named).filter(times -> times != 1).count(), sampler.parameters()::toString);
    }
}
