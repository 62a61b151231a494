// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/// Reads JSON as maps, lists, strings, numbers, booleans and nulls.
public final class Json {
    private final Object value;

    private Json(Object value) {
        this.value = value;
    }

    /// Reads a whole file.
    public static Json read(Path file) throws IOException {
        return parse(Files.readAllBytes(file));
    }

    /// Reads one line.
    public static Json parse(String text) {
        return parse(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Json parse(byte[] bytes) {
        try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), bytes)) {
            return new Json(value(parser, parser.nextToken()));
        }
    }

    private static Object value(JsonParser parser, JsonToken token) {
        return switch (token) {
            case START_OBJECT -> {
                Map<String, Object> members = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    members.put(name, value(parser, parser.nextToken()));
                }
                yield members;
            }
            case START_ARRAY -> {
                List<Object> items = new ArrayList<>();
                for (JsonToken item = parser.nextToken(); item != JsonToken.END_ARRAY; item = parser.nextToken()) {
                    items.add(value(parser, item));
                }
                yield items;
            }
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getNumberValue();
            case VALUE_TRUE, VALUE_FALSE -> parser.getBooleanValue();
            default -> null;
        };
    }

    /// The names of the members of an object.
    public List<String> names() {
        return ((Map<?, ?>) value).keySet().stream().map(String.class::cast).toList();
    }

    /// Whether an object has a member that is not null.
    public boolean has(String name) {
        return value instanceof Map<?, ?> members && members.get(name) != null;
    }

    /// A member of an object.
    public Json get(String name) {
        return new Json(((Map<?, ?>) value).get(name));
    }

    /// The items of an array.
    public List<Json> items() {
        return ((List<?>) value).stream().map(Json::new).toList();
    }

    public Json get(int index) {
        return new Json(((List<?>) value).get(index));
    }

    /// The plain value of a member: text, boolean, `Long`, or null.
    public Object plain(String name) {
        Object member = ((Map<?, ?>) value).get(name);
        return member instanceof Number number ? (Object) number.longValue() : member;
    }

    public boolean isText() {
        return value instanceof String;
    }

    public String text() {
        return (String) value;
    }

    public long number() {
        return ((Number) value).longValue();
    }

    public boolean isTrue() {
        return Boolean.TRUE.equals(value);
    }

    public boolean isObject() {
        return value instanceof Map<?, ?>;
    }

    public boolean isArray() {
        return value instanceof List<?>;
    }

    /// Creates an array of these items.
    public static Json of(List<Json> items) {
        return new Json(items.stream().map(item -> item.value).toList());
    }

    /// A string, number or boolean as text.
    public String plain() {
        return String.valueOf(value);
    }
}
