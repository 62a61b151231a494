// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;

/// The commits that [StoreWriter] offers, and what follows a commit: a new journal and a delayed sync.
///
/// **Threads.** Safe for any number of threads.
final class CommitCalls {
    private final StoreWriter writer;
    private final StoreFiles files;
    private final GroupCommit commits;
    private final DelayedSync delayedSync;
    private final int fieldCount;

    CommitCalls(StoreWriter writer, StoreOptions options, StoreFiles files, GroupCommit commits) {
        this.writer = writer;
        this.files = files;
        this.commits = commits;
        this.delayedSync = new DelayedSync(this, options);
        this.fieldCount = writer.fields().size();
    }

    /// Commits, also while the store is being closed.
    ///
    /// @param author the thread that is informed if its changes were discarded
    /// @return the sequence of the commit
    long commit(Thread author) throws IOException {
        GroupCommit.Turn turn;
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireNotClosed();
            turn = commits.begin(author);
            if (turn == null) {
                return files.sequence();
            }
        }
        commits.write(turn);
        return afterCommit(turn.changes().size());
    }

    /// What follows a commit cannot undo it, so its failure is a warning, and it is tried again later.
    private long afterCommit(int changeCount) {
        try (StoreLock.Held _ = writer.lock().hold()) {
            long sequence = files.sequence();
            commits.awaitIdle();
            if (!writer.isClosed() && !files.isStopped()) {
                files.warnings().of(() -> {
                    files.rotateIfLarge();
                    delayedSync.committed(changeCount / fieldCount);
                });
            }
            return sequence;
        }
    }

    /// Makes all commits so far durable, also while the store is being closed.
    void sync() throws IOException {
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireNotClosed();
            commits.awaitIdle();
            files.sync();
            delayedSync.synced();
        }
    }

    /// Makes all commits so far durable, because the time of [StoreOptions#batchMillis] is over.
    void syncInTime() throws IOException {
        try (StoreLock.Held _ = writer.lock().hold()) {
            delayedSync.timerEnded();
            sync();
        }
    }

    /// Publishes the last commit for programs that know only the published layout.
    void publish() throws IOException {
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireOpen();
            commits.awaitIdle();
            publishCommitted();
            delayedSync.synced();
        }
    }

    /// Publishes, and says in an error that nothing committed is lost.
    private void publishCommitted() throws IOException {
        try {
            files.publish();
        } catch (IOException e) {
            boolean isUnclear = files.isStopped() && !writer.isDurable();
            throw isUnclear ? e : new StorePublishException(writer.path(), e);
        }
    }

    /// Publishes when that writes at most this number of bytes, and makes all commits durable otherwise.
    void publishIfCheap(long publishBytesMax) throws IOException {
        try (StoreLock.Held _ = writer.lock().hold()) {
            commits.awaitIdle();
            long bytes = files.publishBytes();
            if (!writer.isClosed() && !files.isPublished() && (bytes == 0 || bytes <= publishBytesMax)) {
                publishCommitted();
            } else if (!writer.isClosed()) {
                files.sync();
            }
        }
    }
}
