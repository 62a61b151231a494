// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.util.List;

/// Commits the changes of all threads together: one thread writes a batch and waits for the disk, while the others
/// collect the next batch.
///
/// **Threads.** Safe for any number of threads. Methods need the lock of the writer unless they say otherwise.
final class GroupCommit {
    /// The lock of the writer.
    private final StoreLock lock;

    private final StoreFiles files;
    private final OpenBatch open;
    private final boolean isDurable;
    /// The number of the batch, by which a thread knows whether another thread has committed its changes.
    private long batchNumber = 1;

    private long committedNumber;
    /// Whether a thread waits for the disk with a written batch.
    private boolean isForcing;

    GroupCommit(StoreLock lock, StoreFiles files, OpenBatch open, boolean isDurable) {
        this.lock = lock;
        this.files = files;
        this.open = open;
        this.isDurable = isDurable;
    }

    /// A batch that one thread commits.
    ///
    /// @param changes the changes of the batch, for which the journal has space
    record Turn(StoreBatch batch, List<StoreChange> changes) {}

    /// Waits until no thread waits for the disk with a batch. The lock is released meanwhile.
    void awaitIdle() {
        lock.until(this::isIdle);
    }

    /// Whether no thread waits for the disk with a batch.
    boolean isIdle() {
        return !isForcing;
    }

    /// Takes the changes since the last commit. [#write] must follow.
    ///
    /// @param author the thread that is informed if its changes were discarded
    /// @return null when another thread has committed the changes of this one, or there are none
    Turn begin(Thread author) throws IOException {
        open.requireCommittable(author);
        long number = batchNumber;
        awaitIdle();
        open.requireCommittable(author);
        if (committedNumber >= number || !open.isChanged()) {
            files.requireSound();
            return null;
        }
        open.flush();
        open.requireCommittable(author);
        List<StoreChange> changes = open.changes();
        files.reserve(changes);
        Turn turn = new Turn(open.batch(), changes);
        open.startNext(author);
        // Set when nothing can fail any more, because only [#write] clears it.
        isForcing = true;
        batchNumber++;
        return turn;
    }

    /// Writes a batch and returns when it is committed. The calling thread does not hold the lock, so that others
    /// can continue.
    void write(Turn turn) throws IOException {
        boolean isWritten = false;
        try {
            files.write(turn.changes(), turn.batch().length(), isDurable);
            isWritten = true;
        } finally {
            end(turn, isWritten);
        }
    }

    private void end(Turn turn, boolean isWritten) throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            try {
                if (isWritten) {
                    files.committed(() -> turn.batch().apply(turn.changes()));
                    committedNumber = batchNumber - 1;
                }
            } finally {
                isForcing = false;
                lock.signalAll();
            }
        }
    }
}
