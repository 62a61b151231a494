// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.ClosedException;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;

/// Objects that Python refers to by number. A number is never reused, so a stale number refers to
/// nothing.
///
/// **Threads.** Safe for any number of threads.
final class Handles {
    private static final ConcurrentHashMap<Long, Object> OBJECTS = new ConcurrentHashMap<>();

    private Handles() {}

    /// Registers an object.
    static void put(long handle, Object object) {
        if (OBJECTS.putIfAbsent(handle, object) != null) {
            throw new IllegalStateException("the number " + handle + " is already in use");
        }
    }

    /// @throws IllegalStateException when there is no object of this type with the number
    static <T> T get(long handle, Class<T> type) {
        return require(OBJECTS.get(handle), type);
    }

    /// Removes an object.
    static <T> T remove(long handle, Class<T> type) {
        T object = get(handle, type);
        // If two threads remove it at the same time, only one succeeds. Memory that was freed twice would have two
        // owners.
        return require(OBJECTS.remove(handle, object) ? object : null, type);
    }

    private static <T> T require(Object object, Class<T> type) {
        if (!type.isInstance(object)) {
            throw new ClosedException("closed");
        }
        return type.cast(object);
    }

    /// Closes an object that is not needed any more. The output of an unfinished writer is discarded.
    static void dispose(Object object) {
        try {
            if (object instanceof AutoCloseable closeable) {
                closeable.close();
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// All registered objects, which may change during the iteration.
    static Collection<Object> all() {
        return OBJECTS.values();
    }

    /// The number of registered objects.
    static int count() {
        return OBJECTS.size();
    }
}
