// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

/// What has been read of a dataset in remote storage since it was opened.
///
/// @param requests      the number of requests to the storage for ranges of bytes
/// @param receivedBytes the number of bytes that they brought
/// @param hits          the number of ranges that the cache on the local disk answered
/// @param hitBytes      the number of bytes of these ranges
/// @param misses        the number of ranges that it did not have; without a cache there are none
/// @param waitNanos     the time that reads waited for ranges that were already on their way
public record RemoteCounts(long requests, long receivedBytes, long hits, long hitBytes, long misses, long waitNanos) {
    /// No reads.
    public static final RemoteCounts NONE = new RemoteCounts(0, 0, 0, 0, 0, 0);

    /// The sum of these counts and others.
    public RemoteCounts plus(RemoteCounts other) {
        return new RemoteCounts(
                requests + other.requests,
                receivedBytes + other.receivedBytes,
                hits + other.hits,
                hitBytes + other.hitBytes,
                misses + other.misses,
                waitNanos + other.waitNanos);
    }

    /// These counts without earlier ones.
    public RemoteCounts minus(RemoteCounts earlier) {
        return new RemoteCounts(
                requests - earlier.requests,
                receivedBytes - earlier.receivedBytes,
                hits - earlier.hits,
                hitBytes - earlier.hitBytes,
                misses - earlier.misses,
                waitNanos - earlier.waitNanos);
    }
}
