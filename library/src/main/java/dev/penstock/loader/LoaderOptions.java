// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Field;
import dev.penstock.file.Parallel;
import java.util.List;
import java.util.Objects;

/// Options for loading. Each `with...` method returns a copy with one change.
public final class LoaderOptions implements Cloneable {
    /// How to handle a record that cannot be read or transformed.
    public enum OnError {
        /// The consumer gets a [LoaderException] instead of the batch.
        RAISE,
        /// The record is skipped, and the batch counts it.
        SKIP
    }

    /// Far more threads than are useful.
    private static final int THREADS_MAX = 1024;

    private static final long PREFETCH_BYTES = 64L << 20;

    private long batchSize;
    private Sampler sampler;
    /// The ranks, or null to use the environment.
    private Ranks ranks;

    private boolean isDroppingLast;
    private boolean isEven = true;
    /// The number of threads, or 0 for a share of the cores.
    private int threads;

    private long prefetchBytes = PREFETCH_BYTES;
    private List<Field> fields;
    private List<Transform> transforms = List.of();
    private OnError onError = OnError.RAISE;
    private boolean isFollowing;

    private LoaderOptions() {}

    /// Creates options for batches of `batchSize` records on one rank, with all fields, sequential order, the
    /// ranks of the environment and a share of the cores.
    public static LoaderOptions of(long batchSize) {
        LoaderOptions options = new LoaderOptions();
        options.batchSize = batchSize;
        return options.checked();
    }

    /// The number of records in a batch on one rank.
    public long batchSize() {
        return batchSize;
    }

    public LoaderOptions withBatchSize(long batchSize) {
        LoaderOptions copy = copy();
        copy.batchSize = batchSize;
        return copy.checked();
    }

    /// The sampler, or null for sequential order.
    public Sampler sampler() {
        return sampler;
    }

    public LoaderOptions withSampler(Sampler sampler) {
        LoaderOptions copy = copy();
        copy.sampler = sampler;
        return copy.checked();
    }

    /// The rank of this process: from the environment unless it was set.
    ///
    /// @throws IllegalArgumentException when the environment is used and inconsistent
    public Ranks ranks() {
        return ranks == null ? Ranks.fromEnvironment() : ranks;
    }

    public LoaderOptions withRanks(Ranks ranks) {
        LoaderOptions copy = copy();
        copy.ranks = Objects.requireNonNull(ranks, "ranks");
        return copy.checked();
    }

    /// Whether the incomplete last step of an epoch is dropped.
    public boolean isDroppingLast() {
        return isDroppingLast;
    }

    public LoaderOptions withDroppingLast(boolean isDroppingLast) {
        LoaderOptions copy = copy();
        copy.isDroppingLast = isDroppingLast;
        return copy.checked();
    }

    /// Whether all ranks get the same number of records in every step. Records from the beginning of the epoch
    /// then fill up the last step. Without it every record is delivered exactly once over all ranks, as an
    /// evaluation needs, and some ranks may have one record less in the last step, or one step less.
    public boolean isEven() {
        return isEven;
    }

    public LoaderOptions withEvenBatches(boolean isEven) {
        LoaderOptions copy = copy();
        copy.isEven = isEven;
        return copy.checked();
    }

    /// The number of threads that fill batches: the cores divided by the ranks on this machine, unless it was set.
    public int threads() {
        return threads == 0 ? Math.max(1, Parallel.defaultThreads() / ranks().localWorldSize()) : threads;
    }

    public LoaderOptions withThreads(int threads) {
        if (threads < 1 || threads > THREADS_MAX) {
            throw new IllegalArgumentException("threads must be between 1 and " + THREADS_MAX + ", got " + threads);
        }
        LoaderOptions copy = copy();
        copy.threads = threads;
        return copy.checked();
    }

    /// The memory for batches that are ready or being filled; at least two batches.
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

    /// The transforms that are applied to each batch, in this order.
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

    /// Whether each new epoch starts with the last commit of the dataset, see [dev.penstock.Dataset#refresh].
    public boolean isFollowing() {
        return isFollowing;
    }

    /// A loader that follows must have one rank, because ranks would see different commits, and a sampler
    /// that can be resized.
    public LoaderOptions withFollowing(boolean isFollowing) {
        LoaderOptions copy = copy();
        copy.isFollowing = isFollowing;
        return copy.checked();
    }

    private LoaderOptions checked() {
        Objects.requireNonNull(onError, "onError");
        if (batchSize < 1 || batchSize > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "batchSize must be between 1 and " + Integer.MAX_VALUE + ", got " + batchSize);
        }
        if (isDroppingLast && !isEven) {
            throw new IllegalArgumentException("uneven batches deliver every record, but dropping the"
                    + " last step drops some; choose one of the two");
        }
        if (prefetchBytes < 0) {
            throw new IllegalArgumentException("prefetchBytes must not be negative, got " + prefetchBytes);
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
