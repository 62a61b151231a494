// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

/// The storage that a plan is computed for.
///
/// @param cacheBytes     the size of the cache
/// @param epochs         the number of epochs
/// @param requestPrice   the price of a thousand requests
/// @param bytePrice      the price of a gigabyte that leaves the storage
/// @param latencySeconds the time until an answer begins
/// @param bytesPerSecond the bandwidth of all connections together
record RemoteCosts(
        long cacheBytes,
        long epochs,
        double requestPrice,
        double bytePrice,
        double latencySeconds,
        double bytesPerSecond) {
    /// The number of connections that share the bandwidth.
    private static final int CONNECTIONS = 32;

    RemoteCosts {
        if (cacheBytes < 0 || epochs < 1) {
            throw new IllegalArgumentException("the cache must not be negative, and there is at least one epoch");
        }
        if (requestPrice < 0 || bytePrice < 0 || latencySeconds < 0 || !(bytesPerSecond > 0)) {
            throw new IllegalArgumentException("prices and latency must not be negative, and there is a bandwidth");
        }
    }

    double of(RemotePlan.Reads reads) {
        return reads.requests() / 1000 * requestPrice + reads.bytes() / 1e9 * bytePrice;
    }

    /// The time that the storage needs for the reads, if requests and bytes overlap perfectly.
    double seconds(RemotePlan.Reads reads) {
        return Math.max(reads.bytes() / bytesPerSecond, reads.requests() * latencySeconds / CONNECTIONS);
    }

    /// The gap below which two ranges share a request.
    double gapBytes() {
        return latencySeconds * bytesPerSecond / CONNECTIONS;
    }
}
