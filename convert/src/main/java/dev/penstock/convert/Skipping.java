// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Field;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/// Passes records on to a writer, except for the first ones, which an earlier run has written.
final class Skipping implements AutoCloseable {
    private final RecordWriter writer;
    private final Batch rest;
    private final long skippedCount;
    private long count;

    /// @param fields       the fields of the batches
    /// @param skippedCount the number of records that are not passed on
    Skipping(RecordWriter writer, List<Field> fields, long skippedCount) {
        this.writer = writer;
        this.rest = Batch.create(fields);
        this.skippedCount = skippedCount;
    }

    void append(long[] indices, Batch batch) throws IOException {
        long skipped = Math.clamp(skippedCount - count, 0, batch.rowCount());
        count += batch.rowCount();
        if (skipped == 0) {
            writer.append(indices, batch);
        } else if (skipped < batch.rowCount()) {
            long[] left = indices == null ? null : Arrays.copyOfRange(indices, (int) skipped, indices.length);
            writer.append(left, BatchRows.range(batch, skipped, batch.rowCount(), rest));
        }
    }

    /// Checks that the source had the records that were skipped.
    ///
    /// @throws IllegalArgumentException when it had fewer records
    void requireEnd(RecordSource source) {
        if (count < skippedCount) {
            throw new IllegalArgumentException("the output already has " + skippedCount + " records, but "
                    + source.name() + " has only " + count + ", so it cannot be continued with this input");
        }
    }

    @Override
    public void close() {
        rest.close();
    }
}
