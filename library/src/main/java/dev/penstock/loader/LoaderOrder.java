// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Dataset;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/// The order of a loader's epochs: over all records, or over those that the dataset had when a checkpoint was
/// made.
///
/// **Threads.** Guarded by the lock of the loader.
final class LoaderOrder {
    private final Dataset dataset;
    private final LoaderOptions options;
    /// The requested sampler, and that of the epoch, which may have fewer records.
    private Sampler wholeSampler;

    private Sampler sampler;
    /// Whether the next epoch includes records that were added.
    private boolean isMovingOn;

    /// The description of the dataset, once it was asked for.
    private Map<String, Object> source;

    private String fingerprint;
    private long fingerprintCount = -1;

    /// @throws IllegalArgumentException when the sampler has another number of records, or the dataset cannot be
    ///                                  followed
    LoaderOrder(Dataset dataset, LoaderOptions options) {
        this.dataset = dataset;
        this.options = options;
        this.wholeSampler = options.sampler() == null ? new SequentialSampler(dataset.count()) : options.sampler();
        this.sampler = wholeSampler;
        if (sampler.recordCount() != dataset.count()) {
            throw new IllegalArgumentException(
                    "the sampler has " + sampler.recordCount() + " records, but the dataset has " + dataset.count());
        }
        this.isMovingOn = options.isFollowing();
        if (isMovingOn) {
            requireFollowable();
        }
    }

    /// Checks now what would otherwise fail at the end of the first epoch.
    private void requireFollowable() {
        if (!dataset.isRefreshable()) {
            throw new IllegalArgumentException("a loader can only follow a store, or several that are opened as one;"
                    + " this is " + dataset.location() + " (" + dataset.format() + "), whose records do not change"
                    + " while it is open: open the path of the store, without a snapshot or a condition; a loader"
                    + " of Python follows other files when it is given their path or pattern");
        }
        if (options.ranks().worldSize() > 1) {
            throw new IllegalArgumentException("a loader that follows a writer must have one rank, because "
                    + options.ranks().worldSize() + " ranks would see different commits; open a named snapshot"
                    + " on every rank instead");
        }
        wholeSampler.resized(dataset.count() + 1);
    }

    /// The sampler of the epoch.
    Sampler sampler() {
        return sampler;
    }

    boolean isMovingOn() {
        return isMovingOn;
    }

    /// The steps from a position in the epoch to its end.
    Steps steps(long start) {
        return Steps.of(
                sampler,
                start,
                options.batchSize(),
                options.ranks().worldSize(),
                options.isDroppingLast(),
                options.isEven());
    }

    /// The sampler for another number of records, such as the dataset had in earlier epochs.
    Sampler sampler(long recordCount) {
        return recordCount == sampler.recordCount() ? sampler : wholeSampler.resized(recordCount);
    }

    /// The checkpoint of a consumer that has received `delivered` samples of an epoch.
    LoaderState state(long epoch, long delivered, List<Segment> segments) throws IOException {
        long recordCount = sampler.recordCount();
        String fingerprint = fingerprint(recordCount);
        if (source == null) {
            source = dataset.recipe();
        }
        return new LoaderState(
                fingerprint,
                recordCount,
                sampler.name(),
                sampler.parameters(),
                epoch,
                delivered,
                segments,
                sampler.recipe(),
                source);
    }

    /// The fingerprint is cached, so that a checkpoint can be made at every step.
    private String fingerprint(long recordCount) throws IOException {
        if (fingerprintCount != recordCount) {
            fingerprint = dataset.fingerprint(recordCount);
            fingerprintCount = recordCount;
        }
        return fingerprint;
    }

    /// @return the sampler to continue with
    /// @throws IllegalArgumentException when the checkpoint belongs to another dataset or another sampler
    Sampler requireOwn(LoaderState state) throws IOException {
        long recordCount = state.recordCount();
        if (wholeSampler.continues(state)
                && recordCount <= dataset.count()
                && dataset.hasFingerprint(state.fingerprint(), recordCount)) {
            return wholeSampler;
        }
        boolean hasGrown = recordCount < dataset.count();
        Sampler order = hasGrown ? state.resizing(wholeSampler) : wholeSampler;
        String then = hasGrown ? dataset.fingerprint(recordCount) : fingerprint(dataset.count());
        boolean isSame = state.fingerprint().equals(then)
                || recordCount <= dataset.count() && dataset.hasFingerprint(state.fingerprint(), recordCount);
        state.requireOf(then, isSame, dataset.count(), order);
        if (state.delivered() > order.length()) {
            throw new IllegalArgumentException("the checkpoint has " + state.delivered()
                    + " delivered samples, but an epoch has only " + order.length());
        }
        return order;
    }

    /// Continues with a sampler that [#requireOwn] returned.
    void resume(Sampler resumed, LoaderState state) {
        sampler = resumed;
        // The order of a dataset that has grown is that of its description at the time.
        source = resumed.recordCount() < dataset.count() && !state.source().isEmpty() ? state.source() : null;
        isMovingOn = options.isFollowing();
    }

    /// Includes added records from the next epoch on.
    void moveOn() {
        isMovingOn = true;
    }

    /// No batch is being made at this moment, so no batch mixes records of two commits.
    void beginEpoch() {
        if (!isMovingOn) {
            return;
        }
        try {
            if (options.isFollowing() && dataset.refresh()) {
                fingerprintCount = -1;
                source = null;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (sampler.recordCount() != dataset.count()) {
            source = null;
        }
        wholeSampler = wholeSampler.resized(dataset.count());
        sampler = wholeSampler;
    }
}
