// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.util.Arrays;
import java.util.function.Supplier;

/// A random sample of values: those whose places have the smallest hashes. So it depends on the records only, and
/// the samples of two parts make the sample of both.
///
/// **Threads.** One thread at a time.
final class ValueSample {
    private static final int CAPACITY = 2 * FieldValues.SAMPLE_MAX;

    private long[] hashes = new long[256];
    private long[] keys = new long[256];
    private TextSample[] texts;
    private int size;
    /// Values with larger hashes are not in the sample.
    private long hashMax = Long.MAX_VALUE;

    ValueSample(boolean hasTexts) {
        texts = hasTexts ? new TextSample[256] : null;
    }

    int size() {
        shrink();
        return size;
    }

    long key(int i) {
        return keys[i];
    }

    TextSample text(int i) {
        return texts == null ? null : texts[i];
    }

    long[] keys() {
        shrink();
        return Arrays.copyOf(keys, size);
    }

    /// @param place the place of the value among all values, which is unique
    void add(long place, long key, Supplier<TextSample> text) {
        long hash = DistinctCount.mix(place + 0x9e3779b97f4a7c15L) >>> 1;
        if (hash <= hashMax) {
            put(hash, key, text == null ? null : text.get());
        }
    }

    private void put(long hash, long key, TextSample text) {
        if (size == CAPACITY) {
            shrink();
            if (hash > hashMax) {
                return;
            }
        }
        if (size == hashes.length) {
            int more = Math.min(CAPACITY, size * 2);
            hashes = Arrays.copyOf(hashes, more);
            keys = Arrays.copyOf(keys, more);
            texts = texts == null ? null : Arrays.copyOf(texts, more);
        }
        hashes[size] = hash;
        keys[size] = key;
        if (texts != null) {
            texts[size] = text;
        }
        size++;
    }

    /// Keeps the values with the smallest hashes.
    private void shrink() {
        if (size <= FieldValues.SAMPLE_MAX) {
            return;
        }
        long[] sorted = Arrays.copyOf(hashes, size);
        Arrays.sort(sorted);
        hashMax = sorted[FieldValues.SAMPLE_MAX - 1];
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (hashes[i] <= hashMax && kept < FieldValues.SAMPLE_MAX) {
                hashes[kept] = hashes[i];
                keys[kept] = keys[i];
                if (texts != null) {
                    texts[kept] = texts[i];
                }
                kept++;
            }
        }
        size = kept;
    }

    void merge(ValueSample other) {
        for (int i = 0; i < other.size; i++) {
            if (other.hashes[i] <= hashMax) {
                put(other.hashes[i], other.keys[i], other.text(i));
            }
        }
    }
}
