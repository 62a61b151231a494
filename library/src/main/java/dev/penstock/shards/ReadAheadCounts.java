// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

/// Statistics of the read-ahead of a [ShardSource].
///
/// @param readBytes     the number of bytes read in the background
/// @param aheadBytesMax the largest number of bytes that were read but not yet used; never more than the budget,
///                      unless a single row is larger
/// @param waitCount     the number of batches that had to wait for bytes; only known for remote stores
/// @param failureCount  the number of failed background reads; the batch that needs the bytes reports the error
public record ReadAheadCounts(long readBytes, long aheadBytesMax, long waitCount, long failureCount) {
    /// The statistics without read-ahead.
    public static final ReadAheadCounts NONE = new ReadAheadCounts(0, 0, 0, 0);
}
