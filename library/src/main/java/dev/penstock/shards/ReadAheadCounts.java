// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

/// What the read-ahead of a [ShardSource] has done.
///
/// @param readBytes     bytes that were read in the background
/// @param aheadBytesMax the largest number of bytes that were read and not yet passed at one time; never more than
///                      the budget, unless one row is larger
/// @param waitCount     batches that had to wait for bytes that were not there yet; only known for stores
/// @param failureCount  background reads that failed; the batch that needs the bytes reports the error
public record ReadAheadCounts(long readBytes, long aheadBytesMax, long waitCount, long failureCount) {
    /// Without read-ahead.
    public static final ReadAheadCounts NONE = new ReadAheadCounts(0, 0, 0, 0);
}
