// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.RemoteCounts;

/// Statistics of a loader.
///
/// @param batches      the number of delivered batches
/// @param rows         the number of rows of these batches
/// @param bytes        the size of their columns
/// @param skippedRows  the number of records skipped because they could not be read or transformed
/// @param waitNanos    the time that the consumer waited for batches
/// @param gatherNanos  the time that the threads took to fill batches
/// @param queuedCount  the number of batches that are ready
/// @param heldBytes    the memory of all batches
/// @param remote       what was read of a dataset in remote storage since the loader was created, or null for a
///                     local one; two loaders of one dataset count together
public record LoaderStats(
        long batches,
        long rows,
        long bytes,
        long skippedRows,
        long waitNanos,
        long gatherNanos,
        int queuedCount,
        long heldBytes,
        RemoteCounts remote) {}
