// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Shard;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/// The records of a partition.
///
/// @param firstIndex the index of the first record
/// @param limitIndex the exclusive end
record RecordRange(long firstIndex, long limitIndex) implements InputPartition {
    /// Divides records into partitions of about equal size that begin and end with shards where that is possible:
    /// a large shard is cut into equal parts, and small ones share a partition.
    ///
    /// @param shards     the shards of the dataset
    /// @param range      the records to divide
    /// @param recordsMax the largest number of records of a partition
    static List<RecordRange> divide(List<Shard> shards, RecordRange range, long recordsMax) {
        List<RecordRange> parts = new ArrayList<>();
        long start = range.firstIndex;
        for (Shard shard : shards) {
            long first = Math.max(shard.firstIndex(), range.firstIndex);
            long limit = Math.min(shard.firstIndex() + shard.recordCount(), range.limitIndex);
            if (first >= limit) {
                continue;
            }
            if (first > start && limit - start > recordsMax) {
                parts.add(new RecordRange(start, first));
                start = first;
            }
            if (limit - start > recordsMax) {
                long pieces = Math.ceilDiv(limit - start, recordsMax);
                long count = limit - start;
                for (long piece = 0; piece < pieces; piece++) {
                    parts.add(new RecordRange(
                            start + share(count, piece, pieces), start + share(count, piece + 1, pieces)));
                }
                start = limit;
            }
        }
        if (start < range.limitIndex) {
            parts.add(new RecordRange(start, range.limitIndex));
        }
        return parts;
    }

    /// The first `piece` of `pieces` equal shares of a count.
    private static long share(long count, long piece, long pieces) {
        return count / pieces * piece + Math.min(piece, count % pieces);
    }
}
