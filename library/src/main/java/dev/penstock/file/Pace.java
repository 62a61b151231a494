// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

/// The sizes of requests that suit a storage.
///
/// @param gapSize     the largest gap between two ranges that share a request
/// @param requestSize the largest request; larger ranges are divided
public record Pace(int gapSize, int requestSize) {
    /// For a storage that does not say how fast it is.
    public static final Pace DEFAULT = new Pace(16 << 10, 1 << 20);

    private static final int GAP_SIZE_MAX = 4 << 20;
    private static final int REQUEST_SIZE_MAX = 8 << 20;

    /// The memory that the requests of a host may fill.
    private static final int MEMORY_BYTES = 64 << 20;

    /// Returns the sizes for a measured speed. Reading a gap takes less time than another request as long as it is
    /// smaller than the bytes that arrive during the latency. A request of twice that size keeps its connection
    /// busy for most of the time; larger ones would only leave less for other connections.
    ///
    /// @param latencyNanos the time until an answer begins; 0 when nothing was measured
    /// @param bytesPerNano the bandwidth of one connection; 0 when nothing was measured
    /// @param inFlight     the number of requests under way
    public static Pace of(double latencyNanos, double bytesPerNano, int inFlight) {
        if (latencyNanos == 0 || bytesPerNano == 0) {
            return DEFAULT;
        }
        double bytes = latencyNanos * bytesPerNano;
        int requestMax = Math.clamp(MEMORY_BYTES / inFlight, DEFAULT.requestSize(), REQUEST_SIZE_MAX);
        return new Pace((int) Math.clamp(bytes, DEFAULT.gapSize(), GAP_SIZE_MAX), (int)
                Math.clamp(2 * bytes, DEFAULT.requestSize(), requestMax));
    }
}
