// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.Io;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;

/// A running [Scan].
///
/// **Threads.** Used by one thread, which starts others for reading.
final class ScanPipeline<T> implements AutoCloseable {
    private final Scan scan;
    private final Io.Function<Scan.Chunk, T> work;
    private final long count;
    private final ChunkSize size;
    private final Deque<Pending<T>> ahead = new ArrayDeque<>();
    private final Deque<Memory> idle = new ArrayDeque<>();
    private long planned;

    /// The batches that a chunk is read into.
    private record Memory(Batch tested, Batch wanted) implements AutoCloseable {
        long usedBytes() {
            return usedBytes(tested) + usedBytes(wanted);
        }

        private static long usedBytes(Batch batch) {
            return batch.columns().stream()
                    .map(Column::values)
                    .mapToLong(values -> values.byteSize())
                    .sum();
        }

        @Override
        public void close() {
            tested.close();
            wanted.close();
        }
    }

    /// A chunk in progress: the records from `start` to `limit`.
    private record Pending<T>(long start, long limit, Future<Done<T>> done) {}

    /// A finished chunk: the records up to `limit` have been read and processed.
    private record Done<T>(long limit, boolean hasRows, T result, Memory memory) implements AutoCloseable {
        @Override
        public void close() {
            memory.close();
        }
    }

    ScanPipeline(Scan scan, Io.Function<Scan.Chunk, T> work) {
        this.scan = scan;
        this.work = work;
        this.count = scan.dataset().count();
        Set<Field> read = new LinkedHashSet<>(scan.fields());
        read.addAll(scan.where() == null ? List.of() : scan.where().fields());
        this.size = new ChunkSize(new ArrayList<>(read), scan.dataset().bytes() / Math.max(1, count));
    }

    void run(Io.Consumer<T> sink) throws IOException {
        planAhead();
        while (!ahead.isEmpty()) {
            Done<T> done = Parallel.await(ahead.peek().done);
            Pending<T> pending = ahead.remove();
            try {
                if (done.hasRows) {
                    sink.accept(done.result);
                }
                size.learn(done.limit - pending.start, done.memory.usedBytes());
            } finally {
                giveBack(done.memory);
            }
            if (done.limit < pending.limit) {
                ahead.addFirst(start(done.limit, pending.limit));
            }
            scan.progress().at(done.limit, count);
            planAhead();
        }
    }

    private void planAhead() {
        while (ahead.size() < scan.threads() && planned < count) {
            long limit = Math.min(planned + size.rows(), count);
            ahead.add(start(planned, limit));
            planned = limit;
        }
    }

    private Pending<T> start(long start, long limit) {
        Memory memory = idle.isEmpty() ? newMemory() : idle.pop();
        Callable<Done<T>> task = () -> {
            try {
                return read(start, limit, memory);
            } catch (Throwable e) {
                memory.close();
                throw e;
            }
        };
        return new Pending<>(start, limit, begin(task));
    }

    /// If the system cannot create another thread, the caller's thread does the work.
    private Future<Done<T>> begin(Callable<Done<T>> task) {
        FutureTask<Done<T>> here = new FutureTask<>(task);
        if (scan.threads() == 1) {
            here.run();
            return here;
        }
        try {
            return Parallel.start(task);
        } catch (OutOfMemoryError e) {
            here.run();
            return here;
        }
    }

    private Memory newMemory() {
        Batch tested =
                Batch.create(scan.where() == null ? List.of() : scan.where().fields());
        return new Memory(tested, Batch.create(scan.fields()));
    }

    /// Memory that a very large chunk needed is not kept.
    private void giveBack(Memory memory) {
        if (memory.tested.allocatedBytes() + memory.wanted.allocatedBytes() > ChunkSize.BYTES_MAX) {
            memory.close();
        } else {
            idle.push(memory);
        }
    }

    /// If the records are too large for the available memory, they are read in halves, down to a single record.
    private Done<T> read(long start, long wantedLimit, Memory memory) throws IOException {
        long limit = wantedLimit;
        while (true) {
            try {
                long[] indices = gather(start, limit, memory);
                boolean hasRows = indices.length > 0;
                T result = hasRows ? work.apply(new Scan.Chunk(indices, memory.wanted)) : null;
                return new Done<>(limit, hasRows, result, memory);
            } catch (TooLarge e) {
                if (limit - start == 1) {
                    throw e.error;
                }
                limit = start + (limit - start) / 2;
            }
        }
    }

    /// Marks an out-of-memory error of a gather, which can be retried with fewer records, unlike one of the work.
    private static final class TooLarge extends RuntimeException {
        private final OutOfMemoryError error;

        TooLarge(OutOfMemoryError error) {
            super(error);
            this.error = error;
        }
    }

    /// The records from `start` to `limit` that the filter lets pass.
    private long[] candidates(long start, long limit) throws IOException {
        long[] indices = LongStream.range(start, limit).toArray();
        if (scan.filter() == null) {
            return indices;
        }
        int count = 0;
        for (long index : indices) {
            if (scan.filter().has(index)) {
                indices[count++] = index;
            }
        }
        return Arrays.copyOf(indices, count);
    }

    private long[] matching(long[] candidates, Mask mask, long start) {
        if (scan.filter() == null) {
            return mask.toIndices(start);
        }
        return LongStream.of(mask.toIndices(0))
                .map(row -> candidates[(int) row])
                .toArray();
    }

    private long[] gather(long start, long limit, Memory memory) throws IOException {
        try {
            long[] indices = candidates(start, limit);
            if (scan.where() != null && indices.length > 0) {
                scan.dataset().gather(indices, memory.tested);
                indices = matching(indices, scan.where().test(memory.tested), start);
            }
            memory.wanted.clear();
            if (scan.fields().isEmpty()) {
                memory.wanted.complete(indices.length);
            } else if (indices.length > 0) {
                scan.dataset().gather(indices, memory.wanted);
            }
            return indices;
        } catch (OutOfMemoryError e) {
            throw new TooLarge(e);
        }
    }

    @Override
    public void close() {
        ahead.forEach(pending -> Parallel.discard(pending.done));
        ahead.clear();
        idle.forEach(Memory::close);
        idle.clear();
    }
}
