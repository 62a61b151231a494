// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.pack.PackWriter;
import dev.penstock.shards.ShardWriter;
import dev.penstock.table.TableWriter;
import java.util.concurrent.ConcurrentHashMap;

/// Objects that the other language knows by number. A number is never used again, so one that is kept too long
/// names nothing.
///
/// **Threads.** Any number.
final class Handles {
    private static final ConcurrentHashMap<Long, Object> OBJECTS = new ConcurrentHashMap<>();

    private Handles() {}

    /// Makes an object known.
    static void put(long handle, Object object) {
        if (OBJECTS.putIfAbsent(handle, object) != null) {
            throw new IllegalStateException("the number " + handle + " has another object");
        }
    }

    /// @throws IllegalStateException when there is none of this kind
    static <T> T get(long handle, Class<T> type) {
        return require(OBJECTS.get(handle), type);
    }

    /// Forgets one.
    static <T> T remove(long handle, Class<T> type) {
        T object = get(handle, type);
        // Of two who remove it at once, one has it: what is freed twice would be in two hands.
        return require(OBJECTS.remove(handle, object) ? object : null, type);
    }

    private static <T> T require(Object object, Class<T> type) {
        if (!type.isInstance(object)) {
            throw new IllegalStateException("closed");
        }
        return type.cast(object);
    }

    /// Ends an object that nobody needs any more. A writer that nobody finished is given up, not published.
    static void dispose(Object object) {
        try {
            if (object instanceof TableWriter writer) {
                writer.abort();
            } else if (object instanceof PackWriter writer) {
                writer.abort();
            } else if (object instanceof ShardWriter writer) {
                writer.abort();
            } else if (object instanceof AutoCloseable closeable) {
                closeable.close();
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// How many there are.
    static int count() {
        return OBJECTS.size();
    }
}
