// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.file.Crc32c;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/// Samples records with replacement, in proportion to their weights. The sampler keeps a number for each record in
/// memory.
public final class WeightedSampler implements Sampler {
    private final double[] sums;
    private final long length;
    private final long seed;
    private final String weightsCrc;

    /// @param weights the weights of the records, in any unit; not negative, and not all zero
    /// @param length  the number of positions of an epoch
    public WeightedSampler(double[] weights, long length, long seed) {
        this.sums = weights.clone();
        for (int i = 0; i < sums.length; i++) {
            if (!(weights[i] >= 0) || Double.isInfinite(weights[i])) {
                throw new IllegalArgumentException("the weight of record " + i + " is invalid: " + weights[i]
                        + "; weights must be finite and not negative");
            }
            sums[i] += i == 0 ? 0 : sums[i - 1];
        }
        if (length < 0) {
            throw new IllegalArgumentException("the length of an epoch must not be negative, got " + length);
        }
        if (sums.length == 0 || !(sums[sums.length - 1] > 0)) {
            throw new IllegalArgumentException("at least one record needs a weight greater than 0");
        }
        if (Double.isInfinite(sums[sums.length - 1])) {
            throw new IllegalArgumentException("the sum of the weights overflows: make them smaller");
        }
        this.length = length;
        this.seed = seed;
        this.weightsCrc = HexFormat.of().toHexDigits(Crc32c.of(MemorySegment.ofArray(weights)));
    }

    @Override
    public String name() {
        return "weighted";
    }

    /// A checksum represents the weights.
    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("length", length);
        parameters.put("seed", seed);
        parameters.put("weights", weightsCrc);
        return parameters;
    }

    @Override
    public long recordCount() {
        return sums.length;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public long index(long epoch, long position) {
        requirePosition(epoch, position);
        return draw(Mix.unit(Mix.at(seed, epoch), position) * sums[sums.length - 1]);
    }

    @Override
    public void fill(long epoch, long position, MemorySegment target) {
        long count = requirePositions(epoch, position, target);
        long key = Mix.at(seed, epoch);
        double total = sums[sums.length - 1];
        for (long i = 0; i < count; i++) {
            target.setAtIndex(U64, i, draw(Mix.unit(key, position + i) * total));
        }
    }

    /// The first record whose sum of weights is above a number; never one with weight 0.
    private int draw(double number) {
        int found = Arrays.binarySearch(sums, number);
        int index = found < 0 ? ~found : found + 1;
        while (index < sums.length - 1 && sums[index] <= number) {
            index++;
        }
        // Rounding may have reached the total itself.
        while (index >= sums.length || (index > 0 && sums[index] == sums[index - 1])) {
            index--;
        }
        return index;
    }

    @Override
    public OptionalLong position(long epoch, long recordIndex) {
        requireRecord(epoch, recordIndex);
        return OptionalLong.empty();
    }

    @Override
    public boolean isPermutation() {
        return false;
    }
}
