// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.loader.Sampler;
import java.util.Arrays;

/// The number of bytes that are read from disk for each requested byte, because files are read in pages.
///
/// It assumes that record `i` lies at byte `i * recordSize`.
///
/// **Step, cold cache.** The distinct pages of the step's records, divided by the size of the records.
///
/// **Epoch.** Records come in ranges of [Sampler#neighbourCount] neighbours. A range of `b` bytes touches
/// `1 + (b - g) / 4096` pages on average: `g` is the greatest common divisor of `b` and 4,096, or 1 if the record
/// size is itself an average. At any time the sampler draws from [Sampler#spreadCount] records, which take the
/// pages of their ranges, at most the whole file. If these pages fit in memory, every range is read once.
/// Otherwise only the fraction memory / spread is found in memory, and each other record costs the pages of a
/// range of 1.
///
/// @param recordSize  the size of a record in the file, in bytes
/// @param isFixed     whether all records have this size
/// @param fileBytes   the size of all records in bytes
/// @param memoryBytes the memory for pages of the file
public record ReadAmplification(double recordSize, boolean isFixed, double fileBytes, long memoryBytes) {
    public static final long PAGE_SIZE = 4096;

    /// The number of bytes read for a step with a cold cache.
    public long stepBytes(long[] indices) {
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

    public double step(long[] indices) {
        return stepBytes(indices) / (indices.length * recordSize);
    }

    /// The memory that is needed to read each range only once.
    public double spreadBytes(Sampler sampler) {
        double ranges = Math.ceil((double) sampler.spreadCount() / sampler.neighbourCount());
        return Math.min(fileBytes, ranges * rangeBytes(Math.min(sampler.neighbourCount(), sampler.spreadCount())));
    }

    public double epoch(Sampler sampler) {
        double wanted = sampler.length() * recordSize;
        double ranges = Math.ceil((double) sampler.length() / sampler.neighbourCount());
        double once = Math.min(fileBytes, ranges * rangeBytes(sampler.neighbourCount()));
        double hits = Math.min(1, memoryBytes / spreadBytes(sampler));
        return (hits * once + (1 - hits) * sampler.length() * rangeBytes(1)) / wanted;
    }

    /// The size of the pages that consecutive records touch.
    private double rangeBytes(long recordCount) {
        double bytes = recordCount * recordSize;
        return PAGE_SIZE + bytes - (isFixed ? gcd((long) bytes, PAGE_SIZE) : 1);
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
