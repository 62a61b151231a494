// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Io;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;

/// Tells writers in all processes that a reader needs the chunks of one generation of a store.
///
/// It is a shared lock on the byte of `.lease` whose index is the generation. The operating system releases it
/// with the process, so a killed reader keeps nothing. If `.lease` cannot be created or locked, for example on a
/// read-only file system, a reader has no lease: a chunk that it needs may then be deleted, which is an error and
/// never gives wrong bytes.
///
/// **Threads.** Safe for any number of threads.
///
/// Readers hold a lock on the byte of their generation; a rebalance retires chunks and deletes
/// them when it gets all earlier bytes. Locks end with the process, so the lock of a killed reader is released
/// and needs no cleanup.
final class StoreLease implements AutoCloseable {
    /// The lease of readers that need none.
    static final StoreLease NONE = new StoreLease(null);

    /// The locks of this holder, or null.
    private final Disk.Locks locks;

    private StoreLease(Disk.Locks locks) {
        this.locks = locks;
    }

    /// Takes the lease of a generation. The generation must be read again afterwards: chunks may have been deleted
    /// if it is not the latest any more.
    ///
    /// @return null when a writer is about to delete chunks of that generation, so that there is a later one
    static StoreLease take(Disk disk, Path store, long generation) throws IOException {
        Disk.Locks locks;
        try {
            locks = disk.locks(file(store));
        } catch (IOException e) {
            return NONE;
        }
        boolean isTaken = false;
        try {
            isTaken = locks.tryShared(generation) != null;
            return isTaken ? new StoreLease(locks) : null;
        } catch (IOException e) {
            return NONE;
        } finally {
            if (!isTaken) {
                locks.close();
            }
        }
    }

    /// Whether no reader, in any process, has a lease of a generation before this one.
    static boolean isFreeBefore(Disk disk, Path store, long generation) throws IOException {
        try {
            return runWithoutReaders(disk, store, generation, () -> {});
        } catch (AccessDeniedException e) {
            // Another user has created the file, so it is not known whether there are readers.
            return false;
        }
    }

    /// Runs a step while no reader, in any process, has or can take a lease of a generation before this one.
    ///
    /// @return false when a reader has such a lease, so that the step was not run
    static boolean runWithoutReaders(Disk disk, Path store, long generation, Io.Action step) throws IOException {
        try (Disk.Locks locks = disk.locks(file(store));
                Disk.Lock all = locks.tryExclusive(0, generation)) {
            if (all == null) {
                return false;
            }
            step.run();
            return true;
        }
    }

    private static Path file(Path store) {
        return store.resolve(StoreFormat.LEASE);
    }

    @Override
    public void close() throws IOException {
        if (locks != null) {
            locks.close();
        }
    }
}
