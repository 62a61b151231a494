// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/// Options for a rebalance: which chunks are rewritten, and in which order.
///
/// @param minGarbage the fraction of garbage from which on a chunk is rewritten, from 0 (all chunks) to 1
/// @param apart      the names of fields whose values are stored in separate chunks; the other fields of a record
///                   stay together
/// @param order      the indices of records in the order in which their values are stored, each at most once;
///                   other records follow in the order of their indices. Null for the order of indices
/// @param waitMillis the longest time to wait, in milliseconds, until other threads have committed their values in
///                   these chunks; chunks that still have uncommitted values are left for the next rebalance
public record RebalanceOptions(double minGarbage, List<String> apart, long[] order, long waitMillis) {
    private static final double MIN_GARBAGE = 0.3;
    private static final long WAIT_MILLIS = 2000;

    /// Chunks with at least three tenths of garbage, in the order of the indices.
    public static final RebalanceOptions DEFAULT = new RebalanceOptions(MIN_GARBAGE, List.of(), null);

    public RebalanceOptions(double minGarbage, List<String> apart, long[] order) {
        this(minGarbage, apart, order, WAIT_MILLIS);
    }

    public RebalanceOptions {
        if (!(minGarbage >= 0 && minGarbage <= 1)) {
            throw new IllegalArgumentException("the fraction of garbage must be from 0 to 1, got " + minGarbage);
        }
        if (waitMillis < 0) {
            throw new IllegalArgumentException("the time to wait must not be negative, got " + waitMillis + " ms");
        }
        apart = List.copyOf(apart);
        order = order == null ? null : order.clone();
    }

    public RebalanceOptions withMinGarbage(double minGarbage) {
        return new RebalanceOptions(minGarbage, apart, order, waitMillis);
    }

    /// With 0, a caller that has changed the store through another thread and not committed does not wait for
    /// itself.
    public RebalanceOptions withWaitMillis(long waitMillis) {
        return new RebalanceOptions(minGarbage, apart, order, waitMillis);
    }

    /// Selects all chunks, because values in other chunks would not be moved.
    public RebalanceOptions withApart(List<String> apart) {
        return new RebalanceOptions(0, apart, order, waitMillis);
    }

    /// Selects all chunks, because values in other chunks would not be moved.
    public RebalanceOptions withOrder(long[] order) {
        return new RebalanceOptions(0, apart, order, waitMillis);
    }

    /// Checks the fields and the order before anything is copied.
    void requireFitting(List<StoreField> fields, long recordCount) {
        apart.forEach(name -> StoreField.position(fields, name));
        BitSet seen = new BitSet();
        for (long index : order == null ? new long[0] : order) {
            if (index < 0 || index >= recordCount) {
                throw new IndexOutOfBoundsException(
                        "the order has record " + index + ", but the store has " + recordCount + " records");
            }
            if (seen.get(Math.toIntExact(index))) {
                throw new IllegalArgumentException("the order has record " + index + " twice");
            }
            seen.set((int) index);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RebalanceOptions that
                && minGarbage == that.minGarbage
                && apart.equals(that.apart)
                && waitMillis == that.waitMillis
                && Arrays.equals(order, that.order);
    }

    @Override
    public int hashCode() {
        return Double.hashCode(minGarbage) + 31 * apart.hashCode() + 961 * Arrays.hashCode(order);
    }
}
