// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Orders that promise every record once keep it for every number of records.
@ExtendWith(Seeds.class)
@Tag("full")
class SamplerSweepTest {
    private static final int COUNT_MAX = 5000;

    /// Every number of records; the inverse of all records for some of them, of some records for all.
    private static void sweep(IntFunction<Sampler> orders) {
        long epoch = Seeds.random().nextInt(1000);
        long swept = 0;
        for (int count = 0; count <= COUNT_MAX; count++) {
            Sampler sampler = orders.apply(count);
            if (sampler != null) {
                boolean isWhole = TestData.isLong() || count < 200 || count % 301 == 0;
                Samplers.requirePermutation(sampler, epoch, isWhole ? 1 : 1 + count / 3);
                swept++;
            }
        }
        Figures.print("orders that are permutations", swept);
    }

    @Test
    void everyCountIsPermuted() {
        sweep(count -> new PermutationSampler(count, ~count));
    }

    @Test
    void everyCountIsPermutedInBlocks() {
        long[] blockSizes = {1, 2, 7, 64, 1000, 4999, Long.MAX_VALUE};
        long[] windows = {1, 3, 16, 100_000};
        sweep(count -> {
            long blockSize = blockSizes[count % blockSizes.length];
            return new BlockSampler(count, blockSize, blockSize > 1 << 20 ? 1 : windows[count % windows.length], count);
        });
        sweep(count -> count > 500 && !TestData.isLong() ? null : new BlockSampler(count, 10, 4, count));
    }

    @Test
    void everyCountIsPermutedInBuckets() {
        int[] lengths = Samplers.lengths(COUNT_MAX, 1);
        sweep(count -> new BucketSampler(Arrays.copyOf(lengths, count), 1 + count % 9, (1 + count % 9) * 20, count));
        sweep(count -> count > 500 && !TestData.isLong() ? null : new BucketSampler(new int[count], 16, 256, count));
    }

    @Test
    void everyCountIsPermutedInEqualShares() {
        sweep(count -> {
            int shares = 1 + count % 8;
            return count == 0 || count % shares != 0 ? null : new ShareSampler(count, 1, 20, shares, count);
        });
        sweep(count -> count == 0 || count % 12 != 0 ? null : new ShareSampler(count, count / 12, 2, 12, count));
    }

    @Test
    void largerAndAwkwardCountsArePermuted() {
        Random random = Seeds.random();
        int[] lengths = Samplers.lengths(1 << 19, 1);
        for (int bits = 13; bits <= 18; bits++) {
            int power = 1 << bits;
            for (int count : new int[] {power - 1, power, power + 1, 5000 + random.nextInt(power)}) {
                Samplers.requirePermutation(new PermutationSampler(count, random.nextLong()), 3, 997);
                Samplers.requirePermutation(new BlockSampler(count, 100, 20, random.nextLong()), 3, 997);
                int[] some = Arrays.copyOf(lengths, count);
                Samplers.requirePermutation(new BucketSampler(some, 32, 3200, random.nextLong()), 3, 997);
            }
        }
    }

    @Test
    void theLargestCountsCanBeUndone() {
        Random random = Seeds.random();
        for (int bits = 20; bits <= 62; bits++) {
            for (long count : new long[] {(1L << bits) - 1, 1L << bits, bits == 62 ? 1L << 61 : (1L << bits) + 1}) {
                for (Sampler sampler : List.of(
                        new PermutationSampler(count, random.nextLong()),
                        new BlockSampler(count, 1000, 64, random.nextLong()),
                        new BlockSampler(count, 1 + random.nextLong(count), 1, random.nextLong()),
                        new ShareSampler(count, 4096, 100_000, 8, random.nextLong()))) {
                    requireUndone(sampler, random);
                }
            }
        }
        assertThrows(IllegalArgumentException.class, () -> new PermutationSampler((1L << 62) + 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new PermutationSampler(-1, 0));
    }

    private static void requireUndone(Sampler sampler, Random random) {
        for (int i = 0; i < 20; i++) {
            long epoch = random.nextInt(5);
            long position = random.nextLong(sampler.repeatsFrom());
            long record = sampler.index(epoch, position);
            assertTrue(record >= 0 && record < sampler.recordCount(), () -> Samplers.what(sampler));
            assertEquals(position, sampler.position(epoch, record).getAsLong(), () -> Samplers.what(sampler));
        }
    }

    /// A bijection with one wrong place, as a harness must catch it.
    private record OneWrong(long recordCount) implements Sampler {
        @Override
        public String name() {
            return "wrong";
        }

        @Override
        public Map<String, Object> parameters() {
            return Map.of();
        }

        @Override
        public long length() {
            return recordCount;
        }

        @Override
        public long index(long epoch, long position) {
            return position == 3000 ? 2999 : position;
        }

        @Override
        public OptionalLong position(long epoch, long recordIndex) {
            return OptionalLong.of(recordIndex);
        }

        @Override
        public boolean isPermutation() {
            return true;
        }
    }

    @Test
    void aRecordThatComesTwiceIsCaught() {
        assertThrows(AssertionError.class, () -> sweep(OneWrong::new));
    }
}
