// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/// Windows of consecutive records, each a stride after the one before, on the records as a circle: the last
/// windows go on with the first records, so that none is cut short.
///
/// @param size   records of a window
/// @param stride records from the start of a window to that of the next
public record WindowSampler(long recordCount, long size, long stride) implements Sampler {
    public WindowSampler {
        Sampler.requireCount(recordCount);
        if (size < 1 || stride < 1) {
            throw new IllegalArgumentException("windows need a size and a stride of at least 1");
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

    /// Windows of their own size, side by side, hold a record once; others hold it several times or not at all.
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
    public long runCount() {
        return Math.min(size, recordCount);
    }
}
