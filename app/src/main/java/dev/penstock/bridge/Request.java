// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.memory.Json;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What the other language asks for: a verb, and its arguments by name.
record Request(Map<?, ?> arguments) {
    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    static Request parse(byte[] json) {
        if (Json.parse(json) instanceof Map<?, ?> map) {
            return new Request(map);
        }
        throw new IllegalArgumentException("a request is an object");
    }

    String verb() {
        return text("verb");
    }

    boolean has(String name) {
        return arguments.get(name) != null;
    }

    private <T> T require(String name, Class<T> type) {
        Object value = arguments.get(name);
        if (!type.isInstance(value)) {
            throw new IllegalArgumentException(
                    "the request " + arguments.get("verb") + " has no " + name + " that is a " + type.getSimpleName());
        }
        return type.cast(value);
    }

    String text(String name) {
        return require(name, String.class);
    }

    long number(String name) {
        return require(name, Long.class);
    }

    long numberOr(String name, long otherwise) {
        return has(name) ? number(name) : otherwise;
    }

    double real(String name) {
        return require(name, Number.class).doubleValue();
    }

    boolean isTrue(String name) {
        return Boolean.TRUE.equals(arguments.get(name));
    }

    /// The object of a number.
    <T> T object(String name, Class<T> type) {
        return Handles.get(number(name), type);
    }

    /// Makes an object known by the number that the other language has chosen for it.
    void keep(Object object) {
        try {
            Handles.put(number("as"), object);
        } catch (RuntimeException e) {
            Handles.dispose(object);
            throw e;
        }
    }

    <T> List<T> list(String name, Class<T> type) {
        List<T> values = new ArrayList<>();
        for (Object value : require(name, List.class)) {
            if (value != null && !type.isInstance(value)) {
                throw new IllegalArgumentException("among the " + name + " of the request " + arguments.get("verb")
                        + " is something that is no " + type.getSimpleName());
            }
            values.add(type.cast(value));
        }
        return values;
    }

    Request part(String name) {
        return new Request(require(name, Map.class));
    }

    /// Memory of the other language: the arguments `name` and `nameBytes`.
    MemorySegment memory(String name) {
        return ALL.asSlice(number(name), number(name + "Bytes"));
    }
}
