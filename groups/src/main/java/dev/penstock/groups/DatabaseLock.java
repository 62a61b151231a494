// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.file.Disk;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;

/// SQLite's locks on a database, so that programs with SQLite in other processes and a [GroupChange] exclude each
/// other.
///
/// SQLite locks bytes that no database of our size reaches:
///
/// | bytes from 0x40000000 | name     | held by                                                                     |
/// |----------------------:|----------|-----------------------------------------------------------------------------|
/// |                     0 | pending  | a writer that waits for readers to finish; no new reader begins             |
/// |                     1 | reserved | the only writer, from the start of its transaction                          |
/// |              2 to 511 | shared   | readers and the writer, shared; exclusively by a writer that changes pages  |
///
/// **Threads.** One thread at a time. **Lifecycle.** Closing releases all locks.
final class DatabaseLock implements AutoCloseable {
    private static final long PENDING = 0x4000_0000L;
    private static final long RESERVED = PENDING + 1;
    private static final long SHARED = PENDING + 2;
    private static final long SHARED_COUNT = 510;
    private static final int PAUSE_MS_MAX = 50;

    private final Path file;
    private final Disk.RangeLocks locks;
    private final long patienceNanos;
    private Disk.Lock pending;
    private Disk.Lock shared;

    private DatabaseLock(Path file, Disk.RangeLocks locks, Duration patience) {
        this.file = file;
        this.locks = locks;
        this.patienceNanos = patience.toNanos();
    }

    /// Becomes the only writer. Other programs may still read.
    ///
    /// @param patience the time to wait for another writer
    /// @throws IOException when another program is still writing then
    static DatabaseLock reserve(Disk disk, Path file, Duration patience) throws IOException {
        while (true) {
            DatabaseLock lock = new DatabaseLock(file, disk.rangeLocks(file), patience);
            try {
                lock.await(lock::tryReserve);
                if (lock.locks.isCurrent()) {
                    return lock;
                }
                // Another process has replaced the database meanwhile.
                lock.close();
            } catch (Throwable e) {
                lock.closeAfter(e);
                throw e;
            }
        }
    }

    /// Takes a lock if it is free.
    @FunctionalInterface
    private interface Attempt {
        boolean succeeds() throws IOException;
    }

    private void await(Attempt attempt) throws IOException {
        long start = System.nanoTime();
        for (int i = 0; !attempt.succeeds(); i++) {
            if (System.nanoTime() - start > patienceNanos) {
                throw new IOException(
                        file + " cannot be changed because another program has it open with SQLite; the dataset is"
                                + " unchanged. Close that program and try again");
            }
            try {
                Thread.sleep(Math.min(i, PAUSE_MS_MAX));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for the lock of " + file);
            }
        }
    }

    private boolean tryReserve() throws IOException {
        Disk.Lock gate = locks.tryShared(PENDING);
        shared = gate == null ? null : locks.tryShared(SHARED);
        if (gate != null) {
            gate.close();
        }
        if (shared != null && locks.tryExclusive(RESERVED, 1) != null) {
            return true;
        }
        if (shared != null) {
            shared.close();
        }
        return false;
    }

    /// Waits until no other program is reading, and keeps out new readers.
    ///
    /// @throws IOException when another program is still reading after the patience of this lock
    void excludeReaders() throws IOException {
        await(() -> (pending = locks.tryExclusive(PENDING, 1)) != null);
        // Nobody else can become the writer, because the reserved byte stays locked.
        shared.close();
        await(() -> (shared = locks.tryExclusive(SHARED, SHARED_COUNT)) != null);
    }

    /// Allows other programs to read again.
    void admitReaders() throws IOException {
        shared.close();
        // The pending byte is still locked, so nobody else holds the shared bytes.
        shared = locks.tryShared(SHARED);
        pending.close();
    }

    private void closeAfter(Throwable error) {
        try {
            close();
        } catch (IOException e) {
            error.addSuppressed(e);
        }
    }

    @Override
    public void close() throws IOException {
        locks.close();
    }
}
