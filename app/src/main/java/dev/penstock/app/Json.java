// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.StringWriter;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/// Writes maps, lists and plain values as one line of JSON.
final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    static String text(Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            write(generator, value);
        }
        return text.toString();
    }

    /// The same with keys as JSON has them: `storedBytes` for `stored_bytes`.
    static Map<String, Object> camelKeys(Map<String, Object> values) {
        Map<String, Object> renamed = new LinkedHashMap<>();
        values.forEach((key, value) -> renamed.put(
                Pattern.compile("_(.)").matcher(key).replaceAll(m -> m.group(1).toUpperCase(Locale.ROOT)), value));
        return renamed;
    }

    private static void write(JsonGenerator generator, Object value) {
        switch (value) {
            case null -> generator.writeNull();
            case Map<?, ?> map -> {
                generator.writeStartObject();
                map.forEach((key, item) -> {
                    generator.writeName(key.toString());
                    write(generator, item);
                });
                generator.writeEndObject();
            }
            case Collection<?> items -> {
                generator.writeStartArray();
                items.forEach(item -> write(generator, item));
                generator.writeEndArray();
            }
            case Boolean flag -> generator.writeBoolean(flag);
            case Long number -> generator.writeNumber(number);
            case Integer number -> generator.writeNumber(number);
            case Double number -> generator.writeNumber(number);
            default -> generator.writeString(value.toString());
        }
    }
}
