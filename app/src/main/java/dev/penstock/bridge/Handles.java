// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// Objects that the other language knows by number. A number is never used again, so one that is kept too long
/// names nothing.
///
/// **Threads.** Any number.
final class Handles {
    private static final ConcurrentHashMap<Long, Object> OBJECTS = new ConcurrentHashMap<>();
    private static final AtomicLong NEXT = new AtomicLong(1);

    private Handles() {}

    static long add(Object object) {
        long handle = NEXT.getAndIncrement();
        OBJECTS.put(handle, object);
        return handle;
    }

    /// Under a number below 0 that the other language has chosen: it knows the number before there is an object,
    /// and loses none when it is interrupted between a call and its answer.
    static long add(long number, Object object) {
        if (number >= 0 || OBJECTS.putIfAbsent(number, object) != null) {
            throw new IllegalArgumentException("the number " + number + " is taken");
        }
        return number;
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

    /// How many there are.
    static int count() {
        return OBJECTS.size();
    }
}
