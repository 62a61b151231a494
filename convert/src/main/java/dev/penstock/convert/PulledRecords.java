// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Progress;
import java.io.IOException;
import java.util.concurrent.SynchronousQueue;

/// Reads a source with a thread of its own, so that its records can be taken a few at a time.
///
/// The thread waits while a batch is in use, because a batch is valid only until the source goes on.
///
/// **Threads.** One thread at a time.
final class PulledRecords implements AutoCloseable {
    /// A batch, or the end of the records.
    ///
    /// @param batch   the batch, or null at the end
    /// @param failure the exception that ended the records, or null
    private record Item(Batch batch, Throwable failure) {}

    private final SynchronousQueue<Item> items = new SynchronousQueue<>();
    private final SynchronousQueue<Boolean> used = new SynchronousQueue<>();
    private final Thread thread;
    private volatile boolean isStopped;
    private Item current;
    private long taken;

    private PulledRecords(RecordSource source, Progress progress) {
        thread = Thread.ofPlatform().daemon().name("penstock-records").unstarted(() -> read(source, progress));
    }

    static PulledRecords start(RecordSource source, Progress progress) {
        PulledRecords records = new PulledRecords(source, progress);
        records.thread.start();
        return records;
    }

    private void read(RecordSource source, Progress progress) {
        Throwable failure = null;
        try {
            source.forEach((indices, batch) -> pass(batch), progress);
        } catch (Throwable e) {
            failure = e;
        }
        try {
            // Reading may have ended by the interrupt of close, after which nobody takes an item.
            if (!isStopped) {
                items.put(new Item(null, failure));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pass(Batch batch) throws IOException {
        try {
            items.put(new Item(batch, null));
            used.take();
        } catch (InterruptedException e) {
            throw new IOException("reading was stopped", e);
        }
    }

    /// The number of records that are ready, at least 1 unless the source has ended.
    long available() throws IOException {
        try {
            while (current == null
                    || (current.batch() != null && taken == current.batch().rowCount())) {
                if (current != null) {
                    used.put(true);
                }
                current = items.take();
                taken = 0;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while reading", e);
        }
        if (current.failure() != null) {
            throw failure(current.failure());
        }
        return current.batch() == null ? 0 : current.batch().rowCount() - taken;
    }

    private static IOException failure(Throwable failure) {
        return switch (failure) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case IOException e -> e;
            default -> new IOException(failure);
        };
    }

    /// Takes the next records, as the columns of another batch.
    ///
    /// @param column the first of these columns
    /// @return the column after the last of them
    int copy(long rowCount, Batch target, int column) {
        Batch batch = current.batch();
        int next = column;
        for (int i = 0; i < batch.columns().size(); i++) {
            BatchRows.copy(batch.column(i), taken, taken + rowCount, target.column(next++));
        }
        taken += rowCount;
        return next;
    }

    /// Stops the thread and waits for it, so that the source can be closed.
    @Override
    public void close() {
        isStopped = true;
        thread.interrupt();
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
