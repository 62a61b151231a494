// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.loader.BlockSampler;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.SequentialSampler;
import dev.penstock.loader.SubsetSampler;
import dev.penstock.loader.UniformSampler;
import dev.penstock.plugin.ReadAmplification;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// The formula is held against a cache of pages that an epoch really goes through.
final class ReadAmplificationTest {
    private static final long PAGE_SIZE = ReadAmplification.PAGE_SIZE;
    private static final long COUNT = 64_000;

    private static ReadAmplification model(long recordSize, long memoryBytes) {
        return new ReadAmplification(recordSize, true, (double) recordSize * COUNT, memoryBytes);
    }

    /// Bytes read over bytes wanted, when the pages used last stay in memory.
    private static double simulate(Sampler sampler, long recordSize, long memoryBytes) {
        long pageMax = memoryBytes / PAGE_SIZE;
        Map<Long, Boolean> memory = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
                return size() > pageMax;
            }
        };
        long readCount = 0;
        for (long position = 0; position < sampler.length(); position++) {
            long start = sampler.index(0, position) * recordSize;
            for (long page = start / PAGE_SIZE; page <= (start + recordSize - 1) / PAGE_SIZE; page++) {
                readCount += memory.put(page, true) == null ? 1 : 0;
            }
        }
        return (double) readCount * PAGE_SIZE / (sampler.length() * recordSize);
    }

    private static void compare(Sampler sampler, long recordSize, long memoryBytes, double tolerance) {
        double modelled = model(recordSize, memoryBytes).epoch(sampler);
        double simulated = simulate(sampler, recordSize, memoryBytes);
        assertEquals(1, modelled / simulated, tolerance, sampler.name() + ": " + modelled + ", " + simulated);
    }

    @Test
    void anEpochReadsAboutAsManyPagesAsTheFormulaSays() {
        long fileBytes = 32 * COUNT;
        compare(new PermutationSampler(COUNT, 1), 32, fileBytes, 0.01);
        compare(new PermutationSampler(COUNT, 1), 32, fileBytes / 2, 0.05);
        compare(new PermutationSampler(COUNT, 1), 32, fileBytes / 10, 0.05);
        compare(new PermutationSampler(COUNT, 1), 100, 100 * COUNT / 4, 0.05);
        compare(new PermutationSampler(COUNT, 1), 5000, 5000 * COUNT / 8, 0.1);
        compare(new UniformSampler(COUNT, COUNT, 1), 32, fileBytes / 4, 0.05);
        compare(new SequentialSampler(COUNT), 32, PAGE_SIZE, 0.01);
        compare(new SequentialSampler(COUNT), 100, 2 * PAGE_SIZE, 0.01);
        compare(new BlockSampler(COUNT, 1280, 10, 1), 32, 2 * 10 * 1280 * 32, 0.01);
        compare(new BlockSampler(COUNT, 1000, 10, 1), 100, 2 * 10 * 1000 * 100, 0.05);
        compare(new BlockSampler(COUNT, 1280, 10, 1), 32, 10 * 1280 * 32 / 4, 0.05);
        long[] some = LongStream.range(0, COUNT).filter(i -> i % 500 == 7).toArray();
        Sampler subset = new SubsetSampler(COUNT, some, new PermutationSampler(some.length, 1));
        compare(subset, 32, fileBytes, 0.05);
        compare(subset, 32, some.length * PAGE_SIZE / 4, 0.35);
    }

    @Test
    void aStepReadsThePagesThatItsRecordsTouch() {
        for (long recordSize : new long[] {1, 32, 100, 4096, 5000, 20_000}) {
            long[] indices = new long[300];
            for (int i = 0; i < indices.length; i++) {
                indices[i] = new UniformSampler(COUNT, 300, recordSize).index(0, i);
            }
            Set<Long> pages = new HashSet<>();
            for (long index : indices) {
                for (long at = index * recordSize; at < (index + 1) * recordSize; at++) {
                    pages.add(at / PAGE_SIZE);
                }
            }
            assertEquals(pages.size() * PAGE_SIZE, model(recordSize, 0).stepBytes(indices), recordSize + " bytes");
        }
    }

    @Test
    void recordsOfNoBytesHaveNoFigure() {
        assertTrue(Double.isNaN(model(0, 1000).epoch(new SequentialSampler(COUNT))));
        assertTrue(Double.isNaN(new ReadAmplification(0, false, 0, 1000).epoch(new SequentialSampler(0))));
    }
}
