// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.LongUnaryOperator;

/// An open object of a remote storage whose blocks are kept in a cache on the local disk. A block has
/// [#BLOCK_SIZE] bytes, the last one of an object may be shorter.
///
/// **Threads.** Safe for any number of threads.
public interface BlockSource extends Disk.Readable {
    /// The size of a block: large enough that a request for it keeps a connection busy.
    int BLOCK_SIZE = 1 << 20;

    /// The number of bytes of a block.
    int blockSize(long blockIndex);

    /// Copies bytes of one block from the cache.
    ///
    /// @return false when the cache does not have the block, or has lost it
    boolean readHeld(long offset, MemorySegment target);

    /// Whether the cache has a block, as far as it is known.
    boolean holds(long blockIndex);

    /// Whether the cache would keep a block that it does not have.
    boolean wants(long blockIndex);

    /// Reads a block and keeps it, if there is room. Threads and processes that need the same block at the same
    /// time request it once.
    ///
    /// @return the bytes of the block
    MemorySegment fetch(long blockIndex) throws IOException;

    /// Reads a block in the background and keeps it.
    void fetchLater(long blockIndex);

    /// Counts the requests of this object there.
    void countTo(RemoteCounter counter);

    /// Says how far from now the bytes of a block are used, as a number of positions, or null when it is not
    /// known. See [dev.penstock.RemoteRecords.NextUse].
    ///
    /// @param epochLength the number of positions of an epoch
    void follow(LongUnaryOperator distance, long epochLength);
}
