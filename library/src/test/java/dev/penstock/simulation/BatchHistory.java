// SPDX-License-Identifier: Apache-2.0
package dev.penstock.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What is known of a dataset that grows by batches of numbered items: which batches must be there, and which may.
///
/// The numbers of a batch are consecutive and begin at a multiple of [#BATCH_SIZE_MAX].
public final class BatchHistory {
    /// The largest number of items in a batch.
    public static final int BATCH_SIZE_MAX = 16;

    /// A batch that was begun.
    ///
    /// @param before the batches that the dataset had when this one was begun
    private record Begun(int size, List<Long> before) {}

    private final Map<Long, Begun> begun = new HashMap<>();
    private final Set<Long> acknowledged = new HashSet<>();
    private final Set<Long> failed = new HashSet<>();
    private long nextBatch = 1;

    /// Begins a batch.
    ///
    /// @param before the batches that the dataset has
    /// @return the number of the batch
    public long begin(int size, List<Long> before) {
        begun.put(nextBatch, new Begun(size, before));
        return nextBatch++;
    }

    /// The items of a batch.
    public List<Long> items(long batch) {
        List<Long> items = new ArrayList<>();
        for (int i = 0; i < begun.get(batch).size; i++) {
            items.add(batch * BATCH_SIZE_MAX + i);
        }
        return items;
    }

    /// The batch was acknowledged, so it must never be lost.
    public void acknowledge(long batch) {
        acknowledged.add(batch);
    }

    /// The batch has failed and was not there afterwards, so it must never appear.
    public void fail(long batch) {
        failed.add(batch);
    }

    /// The batches that must be there now.
    public Set<Long> acknowledged() {
        return Set.copyOf(acknowledged);
    }

    /// The batches of a dataset.
    ///
    /// @throws IllegalStateException when a batch is not there as a whole
    public List<Long> batches(List<Long> items) {
        List<Long> batches = new ArrayList<>();
        for (int at = 0; at < items.size(); ) {
            long batch = items.get(at) / BATCH_SIZE_MAX;
            List<Long> expected = begun.containsKey(batch) ? items(batch) : List.of();
            int limit = Math.min(items.size(), at + expected.size());
            if (expected.isEmpty() || !items.subList(at, limit).equals(expected)) {
                throw new IllegalStateException("no whole batch at item " + at + " of " + items);
            }
            batches.add(batch);
            at = limit;
        }
        return batches;
    }

    /// What is wrong with the items of a dataset, or null.
    ///
    /// @param required batches that must be there
    public String wrong(List<Long> items, Set<Long> required) {
        List<Long> batches;
        try {
            batches = batches(items);
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
        for (int i = 0; i < batches.size(); i++) {
            List<Long> before = begun.get(batches.get(i)).before;
            if (!batches.subList(0, i).equals(before)) {
                return "batch " + batches.get(i) + " of " + batches + " was added to " + before;
            }
        }
        if (!new HashSet<>(batches).containsAll(required)) {
            return "of " + required + " there is only " + batches;
        }
        return batches.stream().anyMatch(failed::contains) ? "of " + batches + " these failed: " + failed : null;
    }
}
