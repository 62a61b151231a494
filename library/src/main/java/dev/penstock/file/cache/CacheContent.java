// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The objects in the folder of a cache, for people who look at it or clear it.
///
/// @param uri       the URI of the object, or null when it is not known
/// @param bytes     the size of the object
/// @param heldBytes the size of its blocks in the cache
/// @param isUsed    whether a process has it open
public record CacheContent(String uri, long bytes, long heldBytes, boolean isUsed) {
    /// Lists the objects. A folder that does not exist has none.
    ///
    /// @throws java.nio.file.FileSystemException when the folder is not a cache
    public static List<CacheContent> list(Path folder) throws IOException {
        List<CacheContent> all = new ArrayList<>();
        if (Disk.real().exists(folder)) {
            CacheFolder cache = existing(folder);
            for (ObjectKey key : cache.keys()) {
                all.add(of(cache, key));
            }
        }
        return all;
    }

    /// Deletes the blocks of objects whose URI begins with a text. It can be done at any time: programs that use
    /// the cache read deleted blocks again from the storage.
    ///
    /// @param start the start of the URIs; empty for everything
    /// @return the objects that were deleted
    public static List<CacheContent> clear(Path folder, String start) throws IOException {
        List<CacheContent> deleted = new ArrayList<>();
        if (Disk.real().exists(folder)) {
            CacheFolder cache = existing(folder);
            for (ObjectKey key : cache.keys()) {
                CacheContent content = of(cache, key);
                if (start.isEmpty() || content.uri != null && content.uri.startsWith(start)) {
                    cache.deleteAll(key);
                    deleted.add(content);
                }
            }
        }
        return deleted;
    }

    private static CacheFolder existing(Path folder) throws IOException {
        if (!Disk.real().isDirectory(folder)) {
            throw new NoSuchFileException(folder.toString(), null, "it is not a folder");
        }
        return CacheFolder.open(Disk.real(), folder);
    }

    private static CacheContent of(CacheFolder cache, ObjectKey key) throws IOException {
        long held = 0;
        for (long block : cache.blocks(key)) {
            held += key.blockSize(block);
        }
        Disk.Lock lock = new CacheLocks(Disk.real(), cache.locks()).tryUnused(key);
        if (lock != null) {
            CacheLocks.release(lock);
        }
        return new CacheContent(cache.uri(key), key.size(), held, lock == null);
    }
}
