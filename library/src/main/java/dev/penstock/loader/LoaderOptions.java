// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Field;
import dev.penstock.file.Parallel;
import java.util.List;
import java.util.Objects;

/// Options for loading. Each `with...` method returns a copy with one change.
///
/// @param batchSize      the number of records in a batch on one rank
/// @param sampler        the sampler, or null for sequential order
/// @param ranks          the rank of this process, or null to use the environment
/// @param isDroppingLast whether the incomplete last step of an epoch is dropped
/// @param isEven         whether all ranks get the same number of records in every step. Records from the
///                       beginning of the epoch then fill up the last step. Without it every record is delivered
///                       exactly once over all ranks, as an evaluation needs, and some ranks may have one record
///                       less in the last step, or one step less
/// @param threads        the number of threads that fill batches, or 0 for the cores divided by the ranks on this
///                       machine
/// @param prefetchBytes  the memory for batches that are ready or being filled; at least two batches
/// @param fields         the fields that are read, or null for all
/// @param transforms     the transforms that are applied to each batch, in this order
/// @param onError        how to handle a record that cannot be read or transformed
/// @param isFollowing    whether each new epoch starts with the last commit of the dataset, see
///                       [dev.penstock.Dataset#refresh]
public record LoaderOptions(
        long batchSize,
        Sampler sampler,
        Ranks ranks,
        boolean isDroppingLast,
        boolean isEven,
        int threads,
        long prefetchBytes,
        List<Field> fields,
        List<Transform> transforms,
        OnError onError,
        boolean isFollowing) {
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

    public LoaderOptions {
        Objects.requireNonNull(onError, "onError");
        fields = fields == null ? null : List.copyOf(fields);
        transforms = List.copyOf(transforms);
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
    }

    /// Creates options for batches of `batchSize` records on one rank, with all fields, sequential order, the
    /// ranks of the environment and a share of the cores.
    public static LoaderOptions of(long batchSize) {
        return new LoaderOptions(
                batchSize, null, null, false, true, 0, PREFETCH_BYTES, null, List.of(), OnError.RAISE, false);
    }

    /// The rank of this process: from the environment unless it was set.
    ///
    /// @throws IllegalArgumentException when the environment is used and inconsistent
    @Override
    public Ranks ranks() {
        return ranks == null ? Ranks.fromEnvironment() : ranks;
    }

    /// The number of threads that fill batches: the cores divided by the ranks on this machine, unless it was set.
    @Override
    public int threads() {
        return threads == 0 ? Math.max(1, Parallel.defaultThreads() / ranks().localWorldSize()) : threads;
    }

    public LoaderOptions withBatchSize(long batchSize) {
        return new LoaderOptions(
                batchSize,
                sampler,
                ranks,
                isDroppingLast,
                isEven,
                threads,
                prefetchBytes,
                fields,
                transforms,
                onError,
                isFollowing);
    }

    public LoaderOptions withSampler(Sampler sampler) {
        return new LoaderOptions(
                batchSize,
                sampler,
                ranks,
                isDroppingLast,
                isEven,
                threads,
                prefetchBytes,
                fields,
                transforms,
                onError,
                isFollowing);
    }

    public LoaderOptions withRanks(Ranks ranks) {
        Objects.requireNonNull(ranks, "ranks");
        return new LoaderOptions(
                batchSize,
                sampler,
                ranks,
                isDroppingLast,
                isEven,
                threads,
                prefetchBytes,
                fields,
                transforms,
                onError,
                isFollowing);
    }

    public LoaderOptions withDroppingLast(boolean isDroppingLast) {
        return new LoaderOptions(
                batchSize,
                sampler,
                ranks,
                isDroppingLast,
                isEven,
                threads,
                prefetchBytes,
                fields,
                transforms,
                onError,
                isFollowing);
    }

    public LoaderOptions withEvenBatches(boolean isEven) {
        return new LoaderOptions(
                batchSize,
                sampler,
                ranks,
                isDroppingLast,
                isEven,
                threads,
                prefetchBytes,
                fields,
                transforms,
                onError,
                isFollowing);
    }

    public LoaderOptions withThreads(int threads) {
        if (threads < 1 || threads > THREADS_MAX) {
            throw new IllegalArgumentException("threads must be between 1 and " + THREADS_MAX + ", got " + threads);
        }
        return new LoaderOptions(
                batchSize,
                sampler,
                ranks,
                isDroppingLast,
                isEven,
                threads,
                prefetchBytes,
                fields,
                transforms,
                onError,
                isFollowing);
    }

    public LoaderOptions withPrefetchBytes(long prefetchBytes) {
        return new LoaderOptions(
                batchSize,
                sampler,
                ranks,
                isDroppingLast,
                isEven,
                threads,
                prefetchBytes,
                fields,
                transforms,
                onError,
                isFollowing);
    }

    public LoaderOptions withFields(List<Field> fields) {
        return new LoaderOptions(
                batchSize,
                sampler,
                ranks,
                isDroppingLast,
                isEven,
                threads,
                prefetchBytes,
                fields,
                transforms,
                onError,
                isFollowing);
    }

    public LoaderOptions withTransforms(Transform... transforms) {
        return withTransforms(List.of(transforms));
    }

    private LoaderOptions withTransforms(List<Transform> transforms) {
        return new LoaderOptions(
                batchSize,
                sampler,
                ranks,
                isDroppingLast,
                isEven,
                threads,
                prefetchBytes,
                fields,
                transforms,
                onError,
                isFollowing);
    }

    public LoaderOptions withOnError(OnError onError) {
        return new LoaderOptions(
                batchSize,
                sampler,
                ranks,
                isDroppingLast,
                isEven,
                threads,
                prefetchBytes,
                fields,
                transforms,
                onError,
                isFollowing);
    }

    /// A loader that follows must have one rank, because ranks would see different commits, and a sampler
    /// that can be resized.
    public LoaderOptions withFollowing(boolean isFollowing) {
        return new LoaderOptions(
                batchSize,
                sampler,
                ranks,
                isDroppingLast,
                isEven,
                threads,
                prefetchBytes,
                fields,
                transforms,
                onError,
                isFollowing);
    }
}
