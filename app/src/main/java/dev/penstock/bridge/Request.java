// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Dataset;
import dev.penstock.file.Json;
import dev.penstock.plugin.VerbRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A request of Python: a verb and its arguments by name.
record Request(Map<?, ?> arguments) implements VerbRequest {
    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    static Request parse(byte[] json) {
        if (Json.parse(json) instanceof Map<?, ?> map) {
            return new Request(map);
        }
        throw new IllegalArgumentException("a request must be a JSON object");
    }

    String verb() {
        return text("verb");
    }

    @Override
    public boolean has(String name) {
        return arguments.get(name) != null;
    }

    private <T> T require(String name, Class<T> type) {
        Object value = arguments.get(name);
        if (!type.isInstance(value)) {
            throw new WrongTypeException(callerName(name) + " must be " + typeName(type) + ", got " + shown(value));
        }
        return type.cast(value);
    }

    /// The name of an argument in Python: `batch_size` for `batchSize`.
    private static String callerName(String name) {
        StringBuilder text = new StringBuilder();
        for (char letter : name.toCharArray()) {
            if (Character.isUpperCase(letter)) {
                text.append('_');
            }
            text.append(Character.toLowerCase(letter));
        }
        return text.toString();
    }

    /// The name of a type in Python.
    private static String typeName(Class<?> type) {
        return switch (type.getSimpleName()) {
            case "Long" -> "an integer";
            case "String" -> "a string";
            case "List" -> "a list";
            case "Map" -> "a dictionary";
            case "Number" -> "a number";
            default -> "a " + type.getSimpleName();
        };
    }

    private static String shown(Object value) {
        return value instanceof String text ? "'" + text + "'" : value == null ? "nothing" : value.toString();
    }

    @Override
    public String text(String name) {
        return require(name, String.class);
    }

    @Override
    public long number(String name) {
        return require(name, Long.class);
    }

    @Override
    public long numberOr(String name, long otherwise) {
        return has(name) ? number(name) : otherwise;
    }

    @Override
    public double real(String name) {
        return require(name, Number.class).doubleValue();
    }

    @Override
    public boolean isTrue(String name) {
        return Boolean.TRUE.equals(arguments.get(name));
    }

    /// The object with a number.
    <T> T object(String name, Class<T> type) {
        return Handles.get(number(name), type);
    }

    /// Registers an object under the number that Python has chosen for it.
    void keep(Object object) {
        try {
            Handles.put(number("as"), object);
        } catch (RuntimeException e) {
            Handles.dispose(object);
            throw e;
        }
    }

    @Override
    public <T> List<T> list(String name, Class<T> type) {
        List<T> values = new ArrayList<>();
        for (Object value : require(name, List.class)) {
            if (value != null && !type.isInstance(value)) {
                throw new WrongTypeException(callerName(name) + " must be a list whose items are each " + typeName(type)
                        + ", but contains " + shown(value));
            }
            values.add(type.cast(value));
        }
        return values;
    }

    Request part(String name) {
        return new Request(require(name, Map.class));
    }

    /// The texts of a dictionary; none if it is absent.
    Map<String, String> texts(String name) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (has(name)) {
            Request part = part(name);
            part.arguments().keySet().forEach(key -> texts.put((String) key, part.text((String) key)));
        }
        return texts;
    }

    @Override
    public MemorySegment memory(String name) {
        return ALL.asSlice(number(name), number(name + "Bytes"));
    }

    @Override
    public Dataset dataset() {
        return object("handle", Source.class).dataset();
    }

    @Override
    public Object opened(Dataset dataset) {
        return DatasetRequests.opened(this, dataset);
    }
}
