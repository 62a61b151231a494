// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Progress;
import java.io.IOException;
import java.util.List;

/// An estimate of what a rebalance would do. A writer may change the store in the meantime.
///
/// @param stats  the present use of space
/// @param chunks the chunks that would be rewritten and deleted
public record RebalancePlan(StoreStats stats, List<StoreStats.Chunk> chunks) {
    public RebalancePlan {
        chunks = List.copyOf(chunks);
    }

    /// Creates a plan by reading every slot of a store, but no values.
    ///
    /// @throws IllegalArgumentException  when a field does not exist, or the order has a record twice
    /// @throws IndexOutOfBoundsException when a record of the order is out of range
    public static RebalancePlan of(StoreReader store, RebalanceOptions options, Progress progress) throws IOException {
        options.requireFitting(store.storeFields(), store.count());
        StoreStats stats = store.stats(progress);
        List<StoreStats.Chunk> chosen = stats.chunks().stream()
                .filter(chunk -> chunk.byteCount() > 0 || chunk.valueCount() == 0)
                .filter(chunk -> chunk.garbageBytes() >= options.minGarbage() * chunk.byteCount())
                .toList();
        return new RebalancePlan(stats, chosen);
    }

    /// The size of the values that would be copied. This space is needed until old chunks can be deleted.
    public long copiedBytes() {
        return chunks.stream().mapToLong(StoreStats.Chunk::liveBytes).sum();
    }

    /// The number of bytes by which the store would become smaller.
    public long freedBytes() {
        return chunks.stream().mapToLong(StoreStats.Chunk::garbageBytes).sum();
    }
}
