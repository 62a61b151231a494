// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

/// What a loader has done so far.
///
/// @param batches      handed out
/// @param rows         of these batches
/// @param bytes        of their columns
/// @param skippedRows  records left out because they could not be read or transformed
/// @param waitNanos    time the consumer waited for a batch
/// @param gatherNanos  time the threads took to fill batches
/// @param queuedCount  batches that are ready now
/// @param heldBytes    memory of all batches
public record LoaderStats(
        long batches,
        long rows,
        long bytes,
        long skippedRows,
        long waitNanos,
        long gatherNanos,
        int queuedCount,
        long heldBytes) {}
