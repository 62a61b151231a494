// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.memory.Parallel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// All records of a dataset, or those that match a condition, in the order of their indices.
///
/// Records come in chunks of a few MiB. Several threads read and work on chunks ahead of the one that the caller
/// is given, and only the fields that are needed are read: first those of the condition, then the wanted ones of
/// the rows that match. However large the dataset, there is one chunk for each thread in memory. A single record
/// that is larger than a chunk is a chunk of its own.
///
/// @param dataset  stays the caller's
/// @param fields   those wanted of each record, perhaps none
/// @param where    what records must match, or null for all
/// @param threads  how many chunks are under way at a time; 1 uses the caller's thread only
/// @param progress told of records
public record Scan(Dataset dataset, List<Field> fields, Where where, int threads, Progress progress) {
    /// What an array can hold on every Java runtime.
    private static final long ARRAY_LENGTH_MAX = Integer.MAX_VALUE - 8;

    public Scan {
        Objects.requireNonNull(dataset, "dataset");
        Objects.requireNonNull(progress, "progress");
        fields = List.copyOf(fields);
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1, not " + threads);
        }
    }

    /// Some consecutive records of those that match; at least one.
    ///
    /// @param indices their indices in the dataset, ascending
    /// @param batch   the wanted fields, a row for each index; borrowed until the chunk has been dealt with
    public record Chunk(long[] indices, Batch batch) {}

    /// What is done with a chunk on any thread.
    @FunctionalInterface
    public interface Work<T> {
        T apply(Chunk chunk) throws IOException;
    }

    /// What is done in order on the caller's thread.
    @FunctionalInterface
    public interface Sink<T> {
        void accept(T result) throws IOException;
    }

    /// All fields of all records.
    public static Scan of(Dataset dataset) {
        return new Scan(dataset, dataset.fields(), null, Parallel.defaultThreads(), Progress.NONE);
    }

    public Scan withFields(List<Field> fields) {
        return new Scan(dataset, fields, where, threads, progress);
    }

    public Scan withWhere(Where where) {
        return new Scan(dataset, fields, where, threads, progress);
    }

    public Scan withThreads(int threads) {
        return new Scan(dataset, fields, where, threads, progress);
    }

    public Scan withProgress(Progress progress) {
        return new Scan(dataset, fields, where, threads, progress);
    }

    /// Works on all chunks in parallel and hands over the results in order, each while its chunk is still there.
    ///
    /// The first failure ends the scan, after the results of all chunks before it.
    public <T> void run(Work<T> work, Sink<T> sink) throws IOException {
        try (ScanRun<T> run = new ScanRun<>(this, work)) {
            run.run(sink);
        }
    }

    /// Reads ahead and hands over the chunks in order.
    public void forEach(Sink<Chunk> sink) throws IOException {
        run(chunk -> chunk, sink);
    }

    /// The indices of all matching records, ascending. Reads the fields of the condition only.
    ///
    /// @throws IllegalArgumentException when there are more than an array holds
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
