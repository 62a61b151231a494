// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.OptionalLong;

/// Samples the records in their order.
public record SequentialSampler(long recordCount) implements Sampler {
    public SequentialSampler {
        Sampler.requireCount(recordCount);
    }

    @Override
    public String name() {
        return "sequential";
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
        requirePosition(epoch, position);
        return position;
    }

    @Override
    public void fill(long epoch, long position, MemorySegment target) {
        long count = requirePositions(epoch, position, target);
        for (long i = 0; i < count; i++) {
            target.setAtIndex(U64, i, position + i);
        }
    }

    @Override
    public OptionalLong position(long epoch, long recordIndex) {
        requireRecord(epoch, recordIndex);
        return OptionalLong.of(recordIndex);
    }

    @Override
    public boolean isPermutation() {
        return true;
    }

    @Override
    public Sampler resized(long recordCount) {
        return new SequentialSampler(recordCount);
    }

    @Override
    public long spreadCount() {
        return 1;
    }

    @Override
    public long neighbourCount() {
        return recordCount;
    }
}
