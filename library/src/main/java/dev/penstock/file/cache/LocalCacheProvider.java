// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.file.CacheOptions;
import dev.penstock.file.CacheProvider;
import dev.penstock.file.Disk;
import dev.penstock.file.Storage;

/// The cache of the library.
public final class LocalCacheProvider implements CacheProvider {
    @Override
    public Storage over(Storage storage, CacheOptions options) {
        return new CachedStorage(storage, BlockCache.shared(Disk.real(), options));
    }
}
