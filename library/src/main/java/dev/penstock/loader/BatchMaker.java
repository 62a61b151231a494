// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// Makes batches: samples the records of a step, gathers them, and applies the transforms.
///
/// **Ownership.** Owns a batch for the input of each transform.
///
/// **Threads.** One thread at a time; each thread of a loader has its own.
final class BatchMaker implements AutoCloseable {
    private final Dataset dataset;
    private final LoaderOptions options;
    private final int rank;
    /// The input batch of each transform.
    private final Batch[] stages;

    private final Steps.Share share = new Steps.Share();
    private final Sampler.RangeVisitor prefetch;
    private boolean isReading;

    BatchMaker(Dataset dataset, List<Field> fields, LoaderOptions options) {
        this.dataset = dataset;
        this.options = options;
        this.rank = options.ranks().rank();
        this.prefetch = dataset::prefetch;
        List<List<Field>> all = stageFields(fields, options.transforms());
        this.stages = new Batch[all.size() - 1];
        for (int i = 0; i < stages.length; i++) {
            stages[i] = Batch.create(all.get(i));
        }
    }

    /// The fields before the first transform and after each of them.
    static List<List<Field>> stageFields(List<Field> fields, List<Transform> transforms) {
        List<List<Field>> all = new ArrayList<>(List.of(fields));
        for (Transform transform : transforms) {
            all.add(transform.fields(all.getLast()));
        }
        return all;
    }

    /// Fills the batch of a step.
    void make(Sampler sampler, long epoch, Steps steps, long step, LoaderBatch batch) throws IOException {
        steps.share(step, rank, share);
        MemorySegment indices = batch.begin(epoch, steps.stepOfEpoch(step), steps.stepStart(step), share);
        share.fill(sampler, epoch, indices);
        markPadded(sampler, batch);
        // Neighbours are announced in one batch of the step, by any rank, and all ranks need them.
        if (share.stride == 1) {
            long stepStart = steps.stepStart(step);
            sampler.ahead(epoch, stepStart, 1, Math.min(steps.stepSize(), steps.length() - stepStart), prefetch);
        } else {
            sampler.ahead(epoch, share.position, share.stride, share.realCount, prefetch);
        }
        int count = leaveOutDeleted(indices, batch);
        MemorySegment present = count == share.count() ? indices : indices.asSlice(0, count * U64.byteSize());
        try {
            run(present, batch, 0);
            batch.complete(count, 0);
        } catch (Exception e) {
            requireRecordToBlame(e);
            makeWithoutBad(present, batch, e);
        }
    }

    /// Removes deleted records from the batch. The batch is smaller then; all other batches are the same as
    /// without deletions.
    ///
    /// @return the number of records that are left
    private int leaveOutDeleted(MemorySegment indices, LoaderBatch batch) throws IOException {
        int count = (int) share.count();
        if (!dataset.hasDeleted()) {
            return count;
        }
        BitSet kept = new BitSet(count);
        for (int row = 0; row < count; row++) {
            kept.set(row, !dataset.isDeleted(indices.getAtIndex(U64, row)));
        }
        if (kept.cardinality() < count) {
            batch.keep(kept);
        }
        return kept.cardinality();
    }

    private void markPadded(Sampler sampler, LoaderBatch batch) {
        if (share.hasPadded(sampler)) {
            for (long row = 0; row < share.count(); row++) {
                if (share.isPadded(sampler, row)) {
                    batch.pad(row);
                }
            }
        }
    }

    /// @param firstRow the row of the first of the indices in the batch
    private void run(MemorySegment indices, LoaderBatch batch, int firstRow) throws Exception {
        Batch result = batch.batch();
        isReading = true;
        dataset.gather(indices, stages.length == 0 ? result : stages[0]);
        isReading = false;
        for (int i = 0; i < stages.length; i++) {
            Batch target = i + 1 < stages.length ? stages[i + 1] : result;
            target.clear();
            options.transforms()
                    .get(i)
                    .apply(stages[i], target, (row, seed) -> batch.seedOf(firstRow + (int) row, seed));
            target.complete(indices.byteSize() / U64.byteSize());
        }
    }

    /// Throws the error of the first record that fails, or fills the batch without the failing records.
    private void makeWithoutBad(MemorySegment indices, LoaderBatch batch, Exception failure) throws IOException {
        int count = (int) (indices.byteSize() / U64.byteSize());
        BitSet kept = new BitSet(count);
        for (int row = 0; row < count; row++) {
            Exception error = makingAlone(indices.asSlice(row * U64.byteSize(), U64.byteSize()), batch, row);
            if (error == null) {
                kept.set(row);
            } else if (options.onError() == LoaderOptions.OnError.RAISE) {
                throw new LoaderException(indices.getAtIndex(U64, row), batch.step(), error);
            }
        }
        int keptCount = kept.cardinality();
        if (keptCount == count) {
            // Each record succeeds alone: the failure was of the whole batch, such as a file that was just
            // shortened.
            throw new LoaderException(batch.step(), failure);
        }
        batch.keep(kept);
        try {
            run(indices.asSlice(0, keptCount * U64.byteSize()), batch, 0);
        } catch (Exception e) {
            throw new LoaderException(batch.step(), e);
        }
        batch.complete(keptCount, count - keptCount);
    }

    private Exception makingAlone(MemorySegment index, LoaderBatch batch, int row) {
        try {
            run(index, batch, row);
            return null;
        } catch (Exception e) {
            requireRecordToBlame(e);
            return e;
        }
    }

    /// A closed dataset is not the fault of a record. An exception of a transform always is.
    private void requireRecordToBlame(Exception failure) {
        if (isReading && failure instanceof IllegalStateException closed) {
            throw closed;
        }
    }

    @Override
    public void close() {
        for (Batch stage : stages) {
            stage.close();
        }
    }
}
