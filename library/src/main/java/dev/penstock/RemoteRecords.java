// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;

/// The records of a dataset whose files are objects of a remote storage. A loader, which knows what it will read,
/// uses it to read ahead and to tell the cache which blocks it needs last.
///
/// **Threads.** Safe for any number of threads.
public interface RemoteRecords {
    /// What has been read since the dataset was opened.
    RemoteCounts counts();

    /// Begins to read records that will be gathered soon, and returns at once. Gathers take the bytes from memory
    /// until the result is closed, and wait for those that are still on their way. Records that are in the cache
    /// on the local disk are not read.
    ///
    /// @param indices record indices in ascending order
    Ahead ahead(long[] indices);

    /// Sets the order in which the records will be used, which decides what a full cache gives up; null for none.
    void follow(NextUse order);

    /// Reads everything that the cache on the local disk does not have, until the cache is full. Without a cache
    /// nothing is read.
    ///
    /// @return the number of bytes that the cache has now
    long warm(Progress progress) throws IOException;

    /// Records that are read ahead.
    interface Ahead extends AutoCloseable {
        /// The memory that they take.
        long bytes();

        /// Frees the memory. Requests under way are interrupted.
        @Override
        void close();
    }

    /// When records will be used.
    interface NextUse {
        /// A record that is not used again.
        long NEVER = Long.MAX_VALUE;

        /// How many positions from now the first of some consecutive records is used, or [#NEVER].
        long distance(long firstRecord, long recordCount);

        /// The number of positions of an epoch.
        long epochLength();
    }
}
