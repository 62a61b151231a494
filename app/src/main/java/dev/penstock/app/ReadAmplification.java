// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.loader.Sampler;
import java.util.Arrays;

/// How many bytes have to come from the disk for each byte that is wanted, since files are read by pages.
///
/// Record `i` is taken to lie at byte `i * recordSize`.
///
/// **Step, cold.** The pages that the records of the step touch, each once, over the bytes of the records.
///
/// **Epoch.** Records come in runs of [Sampler#runCount] neighbours. A run of `b` bytes touches
/// `1 + (b - g) / 4096` pages in the mean: `g` is the greatest common divisor of `b` and 4,096, or 1 when the
/// size of a record is itself a mean. What the order jumps about in at any time, [Sampler#spreadCount] records,
/// takes the pages of its runs, at most all of the file. If that fits in memory, every run is read once. Otherwise
/// only a share of it, memory over spread, is found in memory; each record of the rest costs the pages of a run
/// of 1.
///
/// @param recordSize  bytes of a record in the file
/// @param isFixed     whether every record has it
/// @param fileBytes   bytes of all records
/// @param memoryBytes memory that holds pages of the file
record ReadAmplification(double recordSize, boolean isFixed, double fileBytes, long memoryBytes) {
    static final long PAGE_SIZE = 4096;

    /// Bytes that are read for a step when nothing is in memory.
    long stepBytes(long[] indices) {
        long[] sorted = indices.clone();
        Arrays.sort(sorted);
        long pages = 0;
        long readTo = -1;
        for (long index : sorted) {
            long first = (long) (index * recordSize / PAGE_SIZE);
            long last = (long) (Math.max(index * recordSize, (index + 1) * recordSize - 1) / PAGE_SIZE);
            pages += Math.max(0, last - Math.max(first, readTo + 1) + 1);
            readTo = Math.max(readTo, last);
        }
        return pages * PAGE_SIZE;
    }

    double step(long[] indices) {
        return stepBytes(indices) / (indices.length * recordSize);
    }

    /// Bytes of memory for each run to be read once.
    double spreadBytes(Sampler sampler) {
        double runs = Math.ceil((double) sampler.spreadCount() / sampler.runCount());
        return Math.min(fileBytes, runs * runBytes(Math.min(sampler.runCount(), sampler.spreadCount())));
    }

    double epoch(Sampler sampler) {
        double wanted = sampler.length() * recordSize;
        double runs = Math.ceil((double) sampler.length() / sampler.runCount());
        double once = Math.min(fileBytes, runs * runBytes(sampler.runCount()));
        double hits = Math.min(1, memoryBytes / spreadBytes(sampler));
        return (hits * once + (1 - hits) * sampler.length() * runBytes(1)) / wanted;
    }

    /// Bytes of the pages that neighbours touch.
    private double runBytes(long recordCount) {
        double bytes = recordCount * recordSize;
        return PAGE_SIZE + bytes - (isFixed ? gcd((long) bytes, PAGE_SIZE) : 1);
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
