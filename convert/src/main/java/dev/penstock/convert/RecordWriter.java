// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Progress;
import dev.penstock.pack.PackWriter;
import dev.penstock.shards.ShardWriter;
import dev.penstock.table.TableWriter;
import java.io.IOException;

/// Writes records to a dataset of any format, in order. Conversions, the commands that write or extend one
/// format, and the writers of Python use it.
///
/// **Lifecycle.** [#finish] completes the dataset. [#close] without it discards the records that are not
/// committed. **Threads.** One thread at a time.
public interface RecordWriter extends AutoCloseable {
    /// Writes to a table. New rows are committed when the writer finishes.
    static RecordWriter of(TableWriter writer) {
        return FormatWriter.of(writer);
    }

    /// Writes rows of the type of the batches to shards. Each full shard is committed.
    static RecordWriter of(ShardWriter writer) {
        return FormatWriter.of(writer);
    }

    /// Writes the values of the only field as the records of a pack, without names.
    static RecordWriter of(PackWriter writer) {
        return new PackTarget.NamingWriter(writer, null, false, null);
    }

    /// The number of records in the dataset: those that were there before plus those appended since.
    long count();

    /// Appends records.
    ///
    /// @param indices the index of each row's record in the dataset of the source, or null
    void append(long[] indices, Batch batch) throws IOException;

    /// Appends the records of a source.
    ///
    /// @param skippedCount the number of records at the start of the source that are already in the dataset
    /// @throws IllegalArgumentException when the source has fewer records than it is to skip
    default void appendAll(RecordSource source, long skippedCount, Progress progress) throws IOException {
        try (Skipping skipping = new Skipping(this, source.fields(), skippedCount)) {
            source.forEach(skipping::append, progress);
            skipping.requireEnd(source);
        }
    }

    /// Makes all records durable and completes the dataset.
    void finish() throws IOException;

    /// Releases files and memory. May be called again.
    @Override
    void close() throws IOException;
}
