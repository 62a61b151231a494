// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Io;
import dev.penstock.Progress;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// A pass over the records of a dataset, or over those that match a condition, in the order of their indices.
///
/// Records are read in chunks of a few MiB. Several threads read and process chunks ahead of the caller. Only the
/// necessary fields are read: first those of the condition, then the requested fields of the rows that match.
/// Memory holds one chunk for each thread, whatever the size of the dataset. A record that is larger than a chunk
/// is a chunk by itself.
///
/// A condition may name more than the fields of a record (`Dataset.conditionFields`), and `gather` accepts
/// these fields. Conditions, statistics and exports over attributes of groups need no code of their own.
///
/// Conditions and statistics work on any `Dataset` (`query`), by gathering consecutive records; `Where.select`
/// makes a view of the records that match. One implementation for all formats; no format knows conditions.
///
/// @param dataset  the dataset, which stays open
/// @param fields   the requested fields, possibly none
/// @param where    the condition, or null for all records
/// @param filter   selects records by their index before they are read, or null for all
/// @param threads  the number of chunks processed in parallel; 1 uses the caller's thread only
/// @param progress receives the number of records
public record Scan(Dataset dataset, List<Field> fields, Where where, Filter filter, int threads, Progress progress) {
    /// The largest array length that every Java runtime supports.
    private static final long ARRAY_LENGTH_MAX = Integer.MAX_VALUE - 8;

    public Scan {
        Objects.requireNonNull(dataset, "dataset");
        Objects.requireNonNull(progress, "progress");
        fields = List.copyOf(fields);
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1, got " + threads);
        }
    }

    /// Some consecutive matching records; at least one.
    ///
    /// @param indices the indices of the records in the dataset, ascending
    /// @param batch   the requested fields, one row for each index; valid until the chunk has been processed
    public record Chunk(long[] indices, Batch batch) {}

    /// Selects records by their index only. It is called on any thread.
    @FunctionalInterface
    public interface Filter {
        /// Whether a record is wanted.
        boolean has(long index) throws IOException;
    }

    /// A scan over all fields of all records.
    public static Scan of(Dataset dataset) {
        return new Scan(dataset, dataset.fields(), null, null, Parallel.defaultThreads(), Progress.NONE);
    }

    public Scan withFields(List<Field> fields) {
        return new Scan(dataset, fields, where, filter, threads, progress);
    }

    public Scan withWhere(Where where) {
        return new Scan(dataset, fields, where, filter, threads, progress);
    }

    public Scan withFilter(Filter filter) {
        return new Scan(dataset, fields, where, filter, threads, progress);
    }

    public Scan withThreads(int threads) {
        return new Scan(dataset, fields, where, filter, threads, progress);
    }

    public Scan withProgress(Progress progress) {
        return new Scan(dataset, fields, where, filter, threads, progress);
    }

    /// Processes all chunks in parallel and passes the results on in order, each while its chunk is still in
    /// memory.
    ///
    /// The first failure ends the scan, after the results of all earlier chunks have been passed on.
    ///
    /// @param work processes a chunk on any thread
    /// @param sink receives the results on the caller's thread
    public <T> void run(Io.Function<Chunk, T> work, Io.Consumer<T> sink) throws IOException {
        try (ScanPipeline<T> pipeline = new ScanPipeline<>(this, work)) {
            pipeline.run(sink);
        }
    }

    /// Reads ahead and passes the chunks on in order.
    public void forEach(Io.Consumer<Chunk> sink) throws IOException {
        run(chunk -> chunk, sink);
    }

    /// Returns the indices of all matching records, in ascending order. Only the fields of the condition are read.
    ///
    /// @throws IllegalArgumentException when more records match than fit in an array
    public long[] indices() throws IOException {
        List<long[]> parts = new ArrayList<>();
        long[] total = new long[1];
        withFields(List.of()).forEach(chunk -> {
            total[0] += chunk.indices.length;
            if (total[0] > ARRAY_LENGTH_MAX) {
                throw new IllegalArgumentException("more than " + ARRAY_LENGTH_MAX + " records match " + where
                        + ", up to record " + chunk.indices[0] + "; narrow the condition");
            }
            parts.add(chunk.indices);
        });
        long[] indices = new long[(int) total[0]];
        int filled = 0;
        for (long[] part : parts) {
            System.arraycopy(part, 0, indices, filled, part.length);
            filled += part.length;
        }
        return indices;
    }
}
