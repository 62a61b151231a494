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
/// @param isWaiting  whether to wait, for a limited time, until other threads have committed their values in these
///                   chunks; chunks with uncommitted values are left for the next rebalance
public record RebalanceOptions(double minGarbage, List<String> apart, long[] order, boolean isWaiting) {
    private static final double MIN_GARBAGE = 0.3;

    /// Chunks with at least three tenths of garbage, in the order of the indices.
    public static final RebalanceOptions DEFAULT = new RebalanceOptions(MIN_GARBAGE, List.of(), null);

    public RebalanceOptions(double minGarbage, List<String> apart, long[] order) {
        this(minGarbage, apart, order, true);
    }

    public RebalanceOptions {
        if (!(minGarbage >= 0 && minGarbage <= 1)) {
            throw new IllegalArgumentException("the fraction of garbage must be from 0 to 1, got " + minGarbage);
        }
        apart = List.copyOf(apart);
        order = order == null ? null : order.clone();
    }

    public RebalanceOptions withMinGarbage(double minGarbage) {
        return new RebalanceOptions(minGarbage, apart, order, isWaiting);
    }

    /// Without waiting, a caller that has changed the store and not committed does not wait for itself.
    public RebalanceOptions withWaiting(boolean isWaiting) {
        return new RebalanceOptions(minGarbage, apart, order, isWaiting);
    }

    /// Selects all chunks, because values in other chunks would not be moved.
    public RebalanceOptions withApart(List<String> apart) {
        return new RebalanceOptions(0, apart, order, isWaiting);
    }

    /// Selects all chunks, because values in other chunks would not be moved.
    public RebalanceOptions withOrder(long[] order) {
        return new RebalanceOptions(0, apart, order, isWaiting);
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
                && isWaiting == that.isWaiting
                && Arrays.equals(order, that.order);
    }

    @Override
    public int hashCode() {
        return Double.hashCode(minGarbage) + 31 * apart.hashCode() + 961 * Arrays.hashCode(order);
    }
}
