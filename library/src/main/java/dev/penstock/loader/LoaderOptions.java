// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Field;
import dev.penstock.memory.Parallel;
import java.util.List;
import java.util.Objects;

/// How to load. Each `with...` gives a copy with one thing changed.
public final class LoaderOptions implements Cloneable {
    /// What to do with a record that cannot be read or transformed.
    public enum OnError {
        /// The consumer gets a [LoaderException] in place of the batch.
        RAISE,
        /// The batch comes without it, and says so.
        SKIP
    }

    /// Far more than bring anything.
    private static final int THREADS_MAX = 1024;

    private static final long PREFETCH_BYTES = 64L << 20;

    private long batchSize;
    private Sampler sampler;
    /// Null for those of the environment.
    private Ranks ranks;

    private boolean isDroppingLast;
    /// 0 for a share of the cores.
    private int threads;

    private long prefetchBytes = PREFETCH_BYTES;
    private List<Field> fields;
    private List<Transform> transforms = List.of();
    private OnError onError = OnError.RAISE;

    private LoaderOptions() {}

    /// Batches of so many records on one rank, of all fields in the order of the dataset, with the ranks that the
    /// environment names and a share of the cores.
    public static LoaderOptions of(long batchSize) {
        LoaderOptions options = new LoaderOptions();
        options.batchSize = batchSize;
        return options.checked();
    }

    /// Records of a batch on one rank.
    public long batchSize() {
        return batchSize;
    }

    public LoaderOptions withBatchSize(long batchSize) {
        LoaderOptions copy = copy();
        copy.batchSize = batchSize;
        return copy.checked();
    }

    /// The order, or null for that of the dataset.
    public Sampler sampler() {
        return sampler;
    }

    public LoaderOptions withSampler(Sampler sampler) {
        LoaderOptions copy = copy();
        copy.sampler = sampler;
        return copy.checked();
    }

    /// Which part of each step this process takes: what the environment says, unless it was given.
    ///
    /// @throws IllegalArgumentException when the environment is asked and contradicts itself
    public Ranks ranks() {
        return ranks == null ? Ranks.fromEnvironment() : ranks;
    }

    public LoaderOptions withRanks(Ranks ranks) {
        LoaderOptions copy = copy();
        copy.ranks = Objects.requireNonNull(ranks, "ranks");
        return copy.checked();
    }

    /// Whether the smaller step at the end of an epoch is left out.
    public boolean isDroppingLast() {
        return isDroppingLast;
    }

    public LoaderOptions withDroppingLast(boolean isDroppingLast) {
        LoaderOptions copy = copy();
        copy.isDroppingLast = isDroppingLast;
        return copy.checked();
    }

    /// How many threads fill batches: the cores over the ranks of this machine, unless it was given.
    public int threads() {
        return threads == 0 ? Math.max(1, Parallel.defaultThreads() / ranks().localWorldSize()) : threads;
    }

    public LoaderOptions withThreads(int threads) {
        if (threads < 1 || threads > THREADS_MAX) {
            throw new IllegalArgumentException(
                    "batches are filled by 1 to " + THREADS_MAX + " threads, and not by " + threads);
        }
        LoaderOptions copy = copy();
        copy.threads = threads;
        return copy.checked();
    }

    /// Memory for batches that are ready or being filled; two batches at least.
    public long prefetchBytes() {
        return prefetchBytes;
    }

    public LoaderOptions withPrefetchBytes(long prefetchBytes) {
        LoaderOptions copy = copy();
        copy.prefetchBytes = prefetchBytes;
        return copy.checked();
    }

    /// The fields that are read, or null for all.
    public List<Field> fields() {
        return fields;
    }

    public LoaderOptions withFields(List<Field> fields) {
        LoaderOptions copy = copy();
        copy.fields = fields == null ? null : List.copyOf(fields);
        return copy.checked();
    }

    /// What is done with each batch before it is handed out, in this order.
    public List<Transform> transforms() {
        return transforms;
    }

    public LoaderOptions withTransforms(Transform... transforms) {
        LoaderOptions copy = copy();
        copy.transforms = List.of(transforms);
        return copy.checked();
    }

    public OnError onError() {
        return onError;
    }

    public LoaderOptions withOnError(OnError onError) {
        LoaderOptions copy = copy();
        copy.onError = onError;
        return copy.checked();
    }

    private LoaderOptions checked() {
        Objects.requireNonNull(onError, "onError");
        if (batchSize < 1 || batchSize > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "a batch has from 1 to " + Integer.MAX_VALUE + " records, and not " + batchSize);
        }
        if (prefetchBytes < 0) {
            throw new IllegalArgumentException("batches made ahead cannot take " + prefetchBytes + " bytes");
        }
        return this;
    }

    private LoaderOptions copy() {
        try {
            return (LoaderOptions) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError("options can be cloned", e);
        }
    }
}
