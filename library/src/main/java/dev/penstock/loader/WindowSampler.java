// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/// Samples windows of consecutive records, each a stride after the previous one. The records are treated as a
/// circle: the last windows continue with the first records, so that none is cut short.
///
/// @param size   the number of records in a window
/// @param stride the number of records from the start of a window to the start of the next
public record WindowSampler(long recordCount, long size, long stride) implements Sampler {
    public WindowSampler {
        Sampler.requireCount(recordCount);
        if (size < 1 || stride < 1) {
            throw new IllegalArgumentException("the size and the stride of windows must be at least 1");
        }
        Math.multiplyExact(Math.ceilDiv(recordCount, stride), size);
    }

    @Override
    public String name() {
        return "window";
    }

    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("size", size);
        parameters.put("stride", stride);
        return parameters;
    }

    @Override
    public long length() {
        return Math.ceilDiv(recordCount, stride) * size;
    }

    @Override
    public long index(long epoch, long position) {
        requirePosition(epoch, position);
        long start = position / size * stride;
        return (start % recordCount + position % size % recordCount) % recordCount;
    }

    /// Adjacent windows contain each record once; others contain it several times or not at all.
    @Override
    public OptionalLong position(long epoch, long recordIndex) {
        requireRecord(epoch, recordIndex);
        return isPermutation() ? OptionalLong.of(recordIndex) : OptionalLong.empty();
    }

    @Override
    public boolean isPermutation() {
        return size == stride && recordCount % size == 0;
    }

    @Override
    public Sampler resized(long recordCount) {
        return new WindowSampler(recordCount, size, stride);
    }

    @Override
    public long spreadCount() {
        return Math.min(size, recordCount);
    }

    @Override
    public long neighbourCount() {
        return Math.min(size, recordCount);
    }
}
