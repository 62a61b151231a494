// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/// Samples records with replacement and equal probability at every position.
///
/// @param length the number of positions of an epoch
public record UniformSampler(long recordCount, long length, long seed) implements Sampler {
    public UniformSampler {
        if (length < 0 || (recordCount < 1 && length > 0)) {
            throw new IllegalArgumentException(
                    "invalid size: cannot sample " + length + " from " + recordCount + " records");
        }
    }

    @Override
    public String name() {
        return "uniform";
    }

    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("length", length);
        parameters.put("seed", seed);
        return parameters;
    }

    @Override
    public long index(long epoch, long position) {
        requirePosition(epoch, position);
        return Mix.below(recordCount, Mix.at(seed, epoch), position);
    }

    @Override
    public void fill(long epoch, long position, MemorySegment target) {
        long count = requirePositions(epoch, position, target);
        long key = Mix.at(seed, epoch);
        for (long i = 0; i < count; i++) {
            target.setAtIndex(U64, i, Mix.below(recordCount, key, position + i));
        }
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

    @Override
    public Sampler resized(long recordCount) {
        return new UniformSampler(recordCount, length, seed);
    }
}
