// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The values of a JSON object that a program expects to have certain keys and types.
///
/// Every method throws `IllegalArgumentException` with the key when the value is missing or has another type.
public record JsonObject(Map<?, ?> values) {
    /// The text of a key.
    public String text(String key) {
        return typed(key, String.class);
    }

    /// The integer of a key.
    public long whole(String key) {
        return typed(key, Long.class);
    }

    /// The integers in the list of a key.
    public List<Long> wholes(String key) {
        return elements(key, Long.class);
    }

    /// The objects in the list of a key.
    public List<JsonObject> objects(String key) {
        return elements(key, Map.class).stream().map(JsonObject::new).toList();
    }

    /// The texts in the object of a key, in their order.
    public Map<String, String> texts(String key) {
        Map<String, String> texts = new LinkedHashMap<>();
        Map<?, ?> object = typed(key, Map.class);
        object.forEach((name, text) -> {
            require(text instanceof String, key);
            texts.put((String) name, (String) text);
        });
        return texts;
    }

    /// Requires that a key has a value.
    public void require(String key, Object expected) {
        require(expected.equals(values.get(key)), key);
    }

    /// Requires something of the values.
    ///
    /// @param what what is invalid otherwise
    public static void require(boolean isValid, String what) {
        if (!isValid) {
            throw new IllegalArgumentException("its " + what + " is invalid");
        }
    }

    private <T> List<T> elements(String key, Class<T> type) {
        List<T> elements = new ArrayList<>();
        List<?> list = typed(key, List.class);
        for (Object element : list) {
            require(type.isInstance(element), key);
            elements.add(type.cast(element));
        }
        return elements;
    }

    private <T> T typed(String key, Class<T> type) {
        require(type.isInstance(values.get(key)), key);
        return type.cast(values.get(key));
    }
}
