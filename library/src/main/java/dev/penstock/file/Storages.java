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

    private Storages() {}

    /// The storage of a remote location.
    ///
    /// @throws IllegalArgumentException when no provider knows its scheme
    static Storage of(Location location) {
        String scheme = location.uri().getScheme().toLowerCase(Locale.ROOT);
        return BY_SCHEME.computeIfAbsent(scheme, _ -> provider(location, scheme).create(scheme));
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
