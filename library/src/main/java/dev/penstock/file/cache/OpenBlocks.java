// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.Leases;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The files of blocks that were read last, which stay open. A deleted file can still be read through them, and
/// another block never has their bytes.
///
/// **Threads.** Safe for any number of threads.
final class OpenBlocks {
    /// Many systems allow a process 1,024 open files.
    private static final int COUNT_MAX = 192;

    private final CacheFolder folder;
    private final Map<Name, Open> open = new LinkedHashMap<>(16, 0.75f, true);

    OpenBlocks(CacheFolder folder) {
        this.folder = folder;
    }

    private record Name(ObjectKey key, long blockIndex) {}

    private record Open(Disk.Readable file, Leases leases) {
        static Open of(Disk.Readable file) {
            return new Open(file, new Leases(() -> {
                try {
                    file.close();
                } catch (IOException e) {
                    // Nothing was written.
                }
            }));
        }
    }

    /// Copies bytes of a block whose checksum was compared before.
    ///
    /// @return whether they were there
    boolean read(ObjectKey key, long blockIndex, long offset, MemorySegment target) throws IOException {
        Open block = acquire(new Name(key, blockIndex));
        try {
            return block.file().read(BlockFile.HEADER_SIZE + offset, target) == target.byteSize();
        } finally {
            block.leases().release();
        }
    }

    private Open acquire(Name name) throws IOException {
        synchronized (open) {
            Open present = open.get(name);
            if (present != null && present.leases().acquire()) {
                return present;
            }
        }
        Open opened = Open.of(folder.open(name.key(), name.blockIndex()));
        opened.leases().acquire();
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
        replaced.forEach(block -> block.leases().close());
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

    private void closeIf(java.util.function.Predicate<Name> isGone) {
        List<Open> gone = new ArrayList<>();
        synchronized (open) {
            open.entrySet().removeIf(entry -> isGone.test(entry.getKey()) && gone.add(entry.getValue()));
        }
        gone.forEach(block -> block.leases().close());
    }
}
