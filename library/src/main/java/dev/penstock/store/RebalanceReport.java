// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

/// The result of a rebalance.
///
/// @param before       the use of space before
/// @param after        the use of space afterwards
/// @param chunkCount   the number of chunks that were emptied
/// @param movedCount   the number of values that were copied
/// @param movedBytes   their size, with prefix and alignment
/// @param deletedBytes the size of the chunks that were deleted
/// @param waitingBytes the size of the chunks that will be deleted when the last reader of an earlier state has
///                     closed and the store is next written to
public record RebalanceReport(
        StoreStats before,
        StoreStats after,
        long chunkCount,
        long movedCount,
        long movedBytes,
        long deletedBytes,
        long waitingBytes) {
    /// The number of bytes by which the store has become smaller so far, as [RebalancePlan#freedBytes] estimates
    /// it. Chunks that wait for readers are not among them.
    public long freedBytes() {
        return Math.max(0, deletedBytes - movedBytes);
    }
}
