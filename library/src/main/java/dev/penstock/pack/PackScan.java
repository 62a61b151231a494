// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Batch;
import dev.penstock.memory.Parallel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.Future;

/// All records of a pack, one after another, in order, without tombstones.
///
/// While the caller looks at one chunk of records, other threads already read the next ones. An error is thrown
/// at its place in the order, never swallowed.
///
/// **Ownership.** The value is borrowed until the next call of [#next].
///
/// **Threads.** One at a time.
public final class PackScan implements AutoCloseable {
    private static final int CHUNK_ROWS_MAX = 1024;
    private static final long CHUNK_BYTES = 4L << 20;

    private final PackReader reader;
    private final int chunksAhead;
    private final Deque<Future<Chunk>> ahead = new ArrayDeque<>();
    private final Deque<Batch> idle = new ArrayDeque<>();
    private long planned;
    private Chunk current;
    private int row;

    private record Chunk(long[] indices, Batch batch) implements AutoCloseable {
        @Override
        public void close() {
            batch.close();
        }
    }

    PackScan(PackReader reader, int threads) {
        this.reader = reader;
        this.chunksAhead = threads;
    }

    /// Goes to the next record.
    ///
    /// @return false when there are no more
    public boolean next() throws IOException {
        row++;
        while (current == null || row >= current.indices.length) {
            planAhead();
            if (ahead.isEmpty()) {
                return false;
            }
            takeNextChunk();
        }
        return true;
    }

    /// The index of the record.
    public long index() {
        return current.indices[row];
    }

    /// Its bytes.
    public MemorySegment value() {
        return current.batch.column(0).value(row);
    }

    private void planAhead() {
        while (ahead.size() < chunksAhead) {
            long[] indices = planChunk();
            if (indices.length == 0) {
                return;
            }
            Batch batch = idle.isEmpty() ? Batch.create(reader.fields()) : idle.pop();
            ahead.add(Parallel.start(() -> {
                reader.gather(MemorySegment.ofArray(indices), batch, 1);
                return new Chunk(indices, batch);
            }));
        }
    }

    private long[] planChunk() {
        long[] indices = new long[CHUNK_ROWS_MAX];
        int rowCount = 0;
        long chunkBytes = 0;
        while (planned < reader.count() && rowCount < CHUNK_ROWS_MAX && chunkBytes < CHUNK_BYTES) {
            PackEntry entry = reader.entry(planned);
            if (!entry.isTombstone()) {
                indices[rowCount++] = planned;
                chunkBytes += entry.storedSize();
            }
            planned++;
        }
        return Arrays.copyOf(indices, rowCount);
    }

    private void takeNextChunk() throws IOException {
        if (current != null) {
            idle.push(current.batch);
        }
        current = Parallel.await(ahead.remove());
        row = 0;
        planAhead();
    }

    /// Frees the memory of the chunks, once those being read are there.
    @Override
    public void close() {
        ahead.forEach(Parallel::discard);
        ahead.clear();
        idle.forEach(Batch::close);
        idle.clear();
        if (current != null) {
            current.close();
            current = null;
        }
    }
}
