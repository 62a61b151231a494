// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/// How often each value occurs, while there are few enough different ones.
///
/// **Threads.** One thread at a time.
final class ValueCounts {
    private Map<Long, Entry> entries = new HashMap<>();

    /// A value by its key.
    static final class Entry {
        final long key;
        /// The text, or null when the key is the value.
        final TextSample text;
        long count;

        Entry(long key, TextSample text, long count) {
            this.key = key;
            this.text = text;
            this.count = count;
        }
    }

    /// Whether all different values are counted.
    boolean isComplete() {
        return entries != null;
    }

    /// The counts; only while they are complete.
    Map<Long, Entry> entries() {
        return entries;
    }

    /// @param text the text of a new key, which is only then called
    void add(long key, long count, Supplier<TextSample> text) {
        if (entries == null) {
            return;
        }
        Entry entry = entries.get(key);
        if (entry != null) {
            entry.count += count;
        } else if (entries.size() == FieldValues.DISTINCT_MAX) {
            entries = null;
        } else {
            entries.put(key, new Entry(key, text.get(), count));
        }
    }

    void merge(ValueCounts other) {
        if (other.entries == null) {
            entries = null;
            return;
        }
        for (Entry entry : other.entries.values()) {
            add(entry.key, entry.count, () -> entry.text);
        }
    }
}
