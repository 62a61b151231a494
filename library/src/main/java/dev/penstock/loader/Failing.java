// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.memory.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Finds the records that keep a batch from being read.
final class Failing {
    private Failing() {}

    /// Raises the error of the first such record, or fills the batch without all of them.
    static void handle(
            Dataset dataset,
            Loader.OnError onError,
            DatasetException failure,
            long epoch,
            long step,
            Steps.Share share,
            MemorySegment indices,
            LoaderBatch batch)
            throws IOException {
        long kept = 0;
        long keptPadded = 0;
        for (long row = 0; row < share.count(); row++) {
            long index = indices.getAtIndex(U64, row);
            DatasetException error = readingAlone(dataset, index, batch.batch());
            if (error != null && onError == Loader.OnError.RAISE) {
                throw new LoaderException(index, step, error);
            }
            if (error == null) {
                indices.setAtIndex(U64, kept++, index);
                keptPadded += row >= share.realCount() ? 1 : 0;
            }
        }
        if (kept == share.count()) {
            // Each can be read alone: the failure was of the whole, such as a file that has just been shortened.
            throw new LoaderException(indices.getAtIndex(U64, 0), step, failure);
        }
        dataset.gather(indices.asSlice(0, kept * U64.byteSize()), batch.batch());
        batch.complete(epoch, step, kept, keptPadded, share.count() - kept);
    }

    private static DatasetException readingAlone(Dataset dataset, long index, Batch batch) throws IOException {
        try {
            dataset.gather(new long[] {index}, batch);
            return null;
        } catch (DatasetException e) {
            return e;
        }
    }
}
