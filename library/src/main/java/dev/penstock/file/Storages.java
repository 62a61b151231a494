// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/// The storages of all schemes, found on the classpath.
final class Storages {
    /// The providers are loaded with this class, because searching for services opens all jars.
    private static final List<StorageProvider> PROVIDERS =
            ServiceLoader.load(StorageProvider.class, Storages.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    private static final Map<String, Storage> BY_SCHEME = new ConcurrentHashMap<>();
    private static final Map<Cached, Storage> CACHED = new ConcurrentHashMap<>();

    private Storages() {}

    /// A scheme, and the cache in front of its storage.
    private record Cached(String scheme, CacheOptions cache) {}

    /// The provider is loaded with this class, when the first cache is used.
    private static final class Caches {
        static final CacheProvider PROVIDER = ServiceLoader.load(CacheProvider.class, Storages.class.getClassLoader())
                .findFirst()
                .orElseThrow();
    }

    /// The storage of a remote location, behind a cache.
    ///
    /// @throws IllegalArgumentException when no provider knows its scheme
    static Storage of(Location location, CacheOptions cache) {
        if (!cache.isOn()) {
            return of(location);
        }
        Cached key = new Cached(scheme(location), cache);
        return CACHED.computeIfAbsent(key, _ -> Caches.PROVIDER.over(of(location), cache));
    }

    /// The storage of a remote location.
    ///
    /// @throws IllegalArgumentException when no provider knows its scheme
    static Storage of(Location location) {
        String scheme = scheme(location);
        return BY_SCHEME.computeIfAbsent(scheme, _ -> provider(location, scheme).create(scheme));
    }

    private static String scheme(Location location) {
        return location.uri().getScheme().toLowerCase(Locale.ROOT);
    }

    private static StorageProvider provider(Location location, String scheme) {
        for (StorageProvider provider : PROVIDERS) {
            if (provider.schemes().contains(scheme)) {
                return provider;
            }
        }
        TreeSet<String> known = new TreeSet<>();
        PROVIDERS.forEach(provider -> known.addAll(provider.schemes()));
        throw new IllegalArgumentException(location + " cannot be read: no storage for the scheme '" + scheme
                + "' is installed; the schemes are " + String.join(", ", known));
    }
}
