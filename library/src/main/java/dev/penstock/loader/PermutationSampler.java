// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.OptionalLong;

/// Samples every record once in each epoch, shuffled anew for each epoch, without a table.
public final class PermutationSampler implements Sampler {
    private final long recordCount;
    private final long seed;
    /// The permutation of the last requested epoch, which is nearly always the next one requested.
    private volatile Epoch last;

    private record Epoch(long number, Bijection bijection) {}

    public PermutationSampler(long recordCount, long seed) {
        this.recordCount = recordCount;
        this.seed = seed;
        this.last = epoch(0);
    }

    private Epoch epoch(long number) {
        return new Epoch(number, new Bijection(recordCount, Mix.at(seed, number)));
    }

    private Bijection bijection(long epoch) {
        Epoch current = last;
        if (current.number() != epoch) {
            current = epoch(epoch);
            last = current;
        }
        return current.bijection();
    }

    @Override
    public String name() {
        return "permutation";
    }

    @Override
    public Map<String, Object> parameters() {
        return Map.of("seed", seed);
    }

    @Override
    public long recordCount() {
        return recordCount;
    }

    @Override
    public long length() {
        return recordCount;
    }

    @Override
    public long index(long epoch, long position) {
        requirePosition(epoch, position);
        return bijection(epoch).forward(position);
    }

    @Override
    public void fill(long epoch, long position, MemorySegment target) {
        requirePositions(epoch, position, target);
        bijection(epoch).forward(position, target);
    }

    @Override
    public OptionalLong position(long epoch, long recordIndex) {
        requireRecord(epoch, recordIndex);
        return OptionalLong.of(bijection(epoch).inverse(recordIndex));
    }

    @Override
    public boolean isPermutation() {
        return true;
    }

    @Override
    public Sampler resized(long recordCount) {
        return new PermutationSampler(recordCount, seed);
    }
}
