// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/// Finds all positions of an epoch that hold a record.
///
/// A sampler with an inverse answers at once. The positions of others, and those that may repeat a record, are
/// computed one after the other, in little memory.
final class Places {
    private static final int CHUNK_COUNT = 1 << 13;

    private Places() {}

    static long[] search(Sampler sampler, long epoch, long recordIndex) {
        sampler.requireRecord(epoch, recordIndex);
        LongStream.Builder positions = LongStream.builder();
        OptionalLong first = sampler.position(epoch, recordIndex);
        first.ifPresent(positions::add);
        long from = first.isPresent() ? Math.max(sampler.repeatsFrom(), first.getAsLong() + 1) : 0;
        long[] chunk = new long[CHUNK_COUNT];
        while (from < sampler.length()) {
            int count = (int) Math.min(chunk.length, sampler.length() - from);
            sampler.fill(epoch, from, MemorySegment.ofArray(chunk).asSlice(0, count * U64.byteSize()));
            for (int i = 0; i < count; i++) {
                if (chunk[i] == recordIndex) {
                    positions.add(from + i);
                }
            }
            from += count;
        }
        return positions.build().toArray();
    }
}
