// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.Leases;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/// The files of blocks that were read last, which stay open. A deleted file can still be read through them, and
/// another block never has their bytes.
///
/// A block with many small reads is copied to memory, because a system call for each of thousands of short records
/// takes longer than everything else. [#MEMORY_MAX] blocks may be in memory.
///
/// **Threads.** Safe for any number of threads.
final class OpenBlocks {
    /// Many systems allow a process 1,024 open files.
    private static final int COUNT_MAX = 192;

    private static final int MEMORY_MAX = 64;
    private static final int SMALL_SIZE = 16 << 10;

    /// A block is copied to memory after this number of small reads.
    private static final int SMALL_READS = 32;

    private final CacheFolder folder;
    private final Map<Name, Open> open = new LinkedHashMap<>(16, 0.75f, true);
    private final AtomicInteger inMemory = new AtomicInteger();

    OpenBlocks(CacheFolder folder) {
        this.folder = folder;
    }

    private record Name(ObjectKey key, long blockIndex) {}

    private final class Open {
        private final Disk.Readable file;
        private final Leases leases = new Leases(this::end);
        private final AtomicInteger smallReads = new AtomicInteger();
        /// The bytes of the block, or null when they are not in memory.
        private volatile MemorySegment memory;

        Open(Disk.Readable file) {
            this.file = file;
        }

        private void end() {
            if (memory != null) {
                inMemory.decrementAndGet();
            }
            try {
                file.close();
            } catch (IOException e) {
                // Nothing was written.
            }
        }

        boolean read(Name name, long offset, MemorySegment target) throws IOException {
            if (target.byteSize() <= SMALL_SIZE && smallReads.incrementAndGet() == SMALL_READS) {
                copyToMemory(name);
            }
            MemorySegment bytes = memory;
            if (bytes != null) {
                MemorySegment.copy(bytes, offset, target, 0, target.byteSize());
                return true;
            }
            return file.read(BlockFile.HEADER_SIZE + offset, target) == target.byteSize();
        }

        private void copyToMemory(Name name) throws IOException {
            if (inMemory.incrementAndGet() > MEMORY_MAX) {
                inMemory.decrementAndGet();
                return;
            }
            long size = BlockFile.HEADER_SIZE + name.key().blockSize(name.blockIndex());
            MemorySegment whole = Arena.ofAuto().allocate(size);
            if (file.read(0, whole) == whole.byteSize() && BlockFile.isBlock(whole, name.key(), name.blockIndex())) {
                memory = whole.asSlice(BlockFile.HEADER_SIZE);
            } else {
                inMemory.decrementAndGet();
            }
        }
    }

    /// Copies bytes of a block whose checksum was compared before.
    ///
    /// @return whether they were there
    boolean read(ObjectKey key, long blockIndex, long offset, MemorySegment target) throws IOException {
        Name name = new Name(key, blockIndex);
        Open block = acquire(name);
        try {
            return block.read(name, offset, target);
        } finally {
            block.leases.release();
        }
    }

    private Open acquire(Name name) throws IOException {
        synchronized (open) {
            Open present = open.get(name);
            if (present != null && present.leases.acquire()) {
                return present;
            }
        }
        Open opened = new Open(folder.open(name.key(), name.blockIndex()));
        opened.leases.acquire();
        List<Open> replaced = new ArrayList<>();
        synchronized (open) {
            Open before = open.put(name, opened);
            if (before != null) {
                replaced.add(before);
            }
            Iterator<Open> oldest = open.values().iterator();
            while (open.size() > COUNT_MAX) {
                replaced.add(oldest.next());
                oldest.remove();
            }
        }
        replaced.forEach(block -> block.leases.close());
        return opened;
    }

    /// Closes the file of a block.
    void close(ObjectKey key, long blockIndex) {
        closeIf(name -> name.blockIndex() == blockIndex && name.key().equals(key));
    }

    /// Closes the files of an object.
    void close(ObjectKey key) {
        closeIf(name -> name.key().equals(key));
    }

    private void closeIf(Predicate<Name> isGone) {
        List<Open> gone = new ArrayList<>();
        synchronized (open) {
            open.entrySet().removeIf(entry -> isGone.test(entry.getKey()) && gone.add(entry.getValue()));
        }
        gone.forEach(block -> block.leases.close());
    }
}
