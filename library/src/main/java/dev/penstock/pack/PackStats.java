// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/// Counts and sizes of the records of a pack. Sizes are decompressed sizes; tombstones are counted separately.
///
/// @param countByKind the number of records of each known kind, [PackKind#OPAQUE] first
/// @param p50 percentiles as in the original program: the value at rank `q * (n - 1)`, rounded half up
public record PackStats(
        long recordCount,
        Map<PackKind, Long> countByKind,
        long tombstoneCount,
        long compressedCount,
        long withoutChecksumCount,
        long storedBytes,
        long rawBytes,
        long sizeMin,
        long sizeMax,
        double sizeMean,
        long p50,
        long p90,
        long p99) {
    /// If there are more records, percentiles are computed from evenly spaced ones, so that the heap stays small.
    private static final long SORTED_COUNT_MAX = 1L << 20;

    static PackStats of(PackIndex index, PackSummary summary) {
        long sizeMin = Long.MAX_VALUE;
        long sizeMax = 0;
        long liveCount = 0;
        long compressedCount = 0;
        long stride = Math.max(1, Math.ceilDiv(index.count(), SORTED_COUNT_MAX));
        long[] sizes = new long[Math.toIntExact(Math.ceilDiv(index.count(), stride))];
        int sizeCount = 0;
        for (long i = 0; i < index.count(); i++) {
            PackEntry entry = index.entry(i);
            if (entry.isTombstone()) {
                continue;
            }
            long size = entry.isReadable() ? entry.rawSize() : entry.storedSize();
            sizeMin = Math.min(sizeMin, size);
            sizeMax = Math.max(sizeMax, size);
            compressedCount += entry.flags() != 0 ? 1 : 0;
            if (liveCount++ % stride == 0) {
                sizes[sizeCount++] = size;
            }
        }
        long[] sorted = Arrays.copyOf(sizes, sizeCount);
        Arrays.sort(sorted);
        return new PackStats(
                index.count(),
                countByKind(summary),
                summary.tombstoneCount(),
                compressedCount,
                summary.uncheckedCount(),
                summary.storedBytes(),
                summary.rawBytes(),
                liveCount == 0 ? 0 : sizeMin,
                sizeMax,
                liveCount == 0 ? 0 : (double) summary.rawBytes() / liveCount,
                percentile(sorted, 0.50),
                percentile(sorted, 0.90),
                percentile(sorted, 0.99));
    }

    private static Map<PackKind, Long> countByKind(PackSummary summary) {
        Map<PackKind, Long> counts = new LinkedHashMap<>();
        counts.put(PackKind.OPAQUE, summary.count(PackKind.OPAQUE));
        RecordFamilies.kinds().forEach(kind -> counts.put(kind, summary.count(kind)));
        return counts;
    }

    private static long percentile(long[] sorted, double share) {
        return sorted.length == 0 ? 0 : sorted[(int) Math.round(share * (sorted.length - 1))];
    }
}
