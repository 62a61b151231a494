// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Fingerprint;
import java.util.Arrays;

/// Some record indices.
public final class IndexSet {
    private final long[] sorted;

    private IndexSet(long[] sorted) {
        this.sorted = sorted;
    }

    /// @throws IllegalArgumentException when an index is negative
    public static IndexSet of(long[] indices) {
        long[] sorted = Arrays.stream(indices).sorted().distinct().toArray();
        if (sorted.length > 0 && sorted[0] < 0) {
            throw new IllegalArgumentException("an index must not be negative, got " + sorted[0]);
        }
        return new IndexSet(sorted);
    }

    /// Whether an index is one of these.
    public boolean has(long index) {
        return Arrays.binarySearch(sorted, index) >= 0;
    }

    /// @throws IndexOutOfBoundsException when there is no such record, which usually means another dataset
    void requireBelow(long recordCount, String name) {
        if (sorted.length > 0 && sorted[sorted.length - 1] >= recordCount) {
            throw new IndexOutOfBoundsException("record " + sorted[sorted.length - 1] + " is out of range: " + name
                    + " has " + recordCount + " records");
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IndexSet set && Arrays.equals(sorted, set.sorted);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(sorted);
    }

    /// A text that is the same for the same indices.
    @Override
    public String toString() {
        Fingerprint fingerprint = new Fingerprint("indices 1");
        for (long index : sorted) {
            fingerprint.add(index);
        }
        return fingerprint.text();
    }
}
