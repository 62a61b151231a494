// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.util.Set;

/// Adds the scheme `shared-memory`, whose objects are those of one [MemoryStorage] of the process.
public final class SharedMemory implements StorageProvider {
    /// The objects, by the same paths as in `memory` locations.
    static final MemoryStorage CONTENT = new MemoryStorage();

    @Override
    public Set<String> schemes() {
        return Set.of("shared-memory");
    }

    @Override
    public Storage create(String scheme) {
        return CONTENT;
    }
}
