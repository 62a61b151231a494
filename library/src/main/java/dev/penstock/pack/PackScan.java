// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Batch;
import dev.penstock.ClosedException;
import dev.penstock.DatasetException;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.Future;

/// Reads all records of a pack in order, without tombstones.
///
/// While the caller processes one chunk of records, other threads read the next ones. A record that cannot be read
/// raises an exception at its position, after all records before it, and ends the scan.
///
/// **Ownership.** A value is valid until the next call of [#next].
///
/// **Threads.** One thread at a time.
public final class PackScan implements AutoCloseable {
    private static final int CHUNK_ROWS_MAX = 1024;
    private static final long CHUNK_BYTES = 4L << 20;

    private final PackReader reader;
    private final int chunksAhead;
    private final Deque<Future<Chunk>> ahead = new ArrayDeque<>();
    private final Deque<Batch> idle = new ArrayDeque<>();
    private long planned;
    private Chunk current = new Chunk(new long[0], null, null);
    private int row = -1;
    private Throwable broken;

    /// The records that were read, and the exception of the next record if it could not be read.
    private record Chunk(long[] indices, Batch batch, DatasetException failure) implements AutoCloseable {
        @Override
        public void close() {
            if (batch != null) {
                batch.close();
            }
        }
    }

    PackScan(PackReader reader, int threads) {
        this.reader = reader;
        this.chunksAhead = threads;
    }

    /// Moves to the next record.
    ///
    /// @return false when there are no more
    /// @throws DatasetException when the record cannot be read; every later call throws again
    public boolean next() throws IOException {
        if (broken != null) {
            throw new IOException("the scan ended with an earlier error", broken);
        }
        row++;
        while (row >= current.indices.length) {
            if (current.failure != null) {
                throw current.failure;
            }
            planAhead();
            if (ahead.isEmpty()) {
                return false;
            }
            takeNextChunk();
        }
        return true;
    }

    /// The index of the current record.
    public long index() {
        return current.indices[row];
    }

    /// The bytes of the current record.
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
                try {
                    return read(indices, batch);
                } catch (Throwable e) {
                    batch.close();
                    throw e;
                }
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
                chunkBytes += entry.isReadable() ? entry.rawSize() : entry.storedSize();
            }
            planned++;
        }
        return Arrays.copyOf(indices, rowCount);
    }

    private Chunk read(long[] indices, Batch batch) throws IOException {
        try {
            reader.gather(MemorySegment.ofArray(indices), batch, 1);
            return new Chunk(indices, batch, null);
        } catch (DatasetException e) {
            return readUpToFailure(indices, batch, e);
        }
    }

    /// Returns the records before the first damaged one. Damage is rare, so reading the chunk again is acceptable.
    private Chunk readUpToFailure(long[] indices, Batch batch, DatasetException failure) throws IOException {
        int goodCount = 0;
        DatasetException first = failure;
        try {
            for (long index : indices) {
                reader.gather(MemorySegment.ofArray(new long[] {index}), batch, 1);
                goodCount++;
            }
        } catch (DatasetException e) {
            first = e;
        }
        long[] good = Arrays.copyOf(indices, goodCount);
        reader.gather(MemorySegment.ofArray(good), batch, 1);
        return new Chunk(good, batch, first);
    }

    private void takeNextChunk() throws IOException {
        if (current.batch != null) {
            idle.push(current.batch);
        }
        current = new Chunk(new long[0], null, null);
        row = 0;
        try {
            current = Parallel.await(ahead.peek());
            ahead.remove();
        } catch (Throwable e) {
            broken = e;
            throw e;
        }
        planAhead();
    }

    /// Waits for the chunks being read, and frees the memory.
    @Override
    public void close() {
        ahead.forEach(Parallel::discard);
        ahead.clear();
        idle.forEach(Batch::close);
        idle.clear();
        current.close();
        broken = new ClosedException("the scan is closed");
    }
}
