// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/// Converts JSON or text to the bytes of a value of a store.
public record ValueText(Field field, Bytes bytes) {
    /// The encoding of bytes in text.
    public enum Bytes {
        UTF8,
        BASE64,
        HEX
    }

    /// @param json a value returned by [dev.penstock.file.Json]
    /// @return null when the value is missing
    /// @throws IllegalArgumentException when it is not a valid value of the field
    public byte[] ofJson(Object json) {
        if (json == null) {
            return null;
        }
        boolean isText = field.type() == ElementType.BYTES || field.type() == ElementType.UTF8;
        if (field.isVariable() && isText) {
            if (json instanceof String text) {
                return ofText(text);
            }
            throw new IllegalArgumentException("field " + field.name() + " holds "
                    + (field.type() == ElementType.UTF8 ? "text" : "bytes") + ", but " + json + " is not a string");
        }
        List<String> elements = new ArrayList<>();
        if (field.isVariable()) {
            flatten(json instanceof List<?> list ? list : List.of(json), List.of(-1L), 0, elements);
        } else {
            flatten(json, field.shape(), 0, elements);
        }
        return parse(elements);
    }

    /// Parses a whole value from text: unchanged for a field of bytes or text, otherwise JSON.
    public byte[] ofText(String text) {
        if (field.type() == ElementType.UTF8) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        try {
            return switch (bytes) {
                case UTF8 -> text.getBytes(StandardCharsets.UTF_8);
                case BASE64 -> Base64.getDecoder().decode(text);
                case HEX -> HexFormat.of().parseHex(text);
            };
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("field " + field.name() + ": the text is not " + bytes.name(), e);
        }
    }

    /// Parses a value from its elements.
    public byte[] ofElements(List<String> elements) {
        return parse(elements);
    }

    private byte[] parse(List<String> elements) {
        byte[] value = new byte[Math.toIntExact(elements.size() * field.elementSize())];
        MemorySegment target = MemorySegment.ofArray(value);
        for (int i = 0; i < elements.size(); i++) {
            try {
                ElementParser.parse(field, elements.get(i), target, i * field.elementSize());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("field " + field.name() + ": " + e.getMessage(), e);
            }
        }
        return value;
    }

    /// Flattens lists that are nested as deep as the shape has dimensions. A negative length allows any length.
    private void flatten(Object json, List<Long> shape, int depth, List<String> elements) {
        if (depth == shape.size()) {
            elements.add(element(json));
            return;
        }
        long length = shape.get(depth);
        if (!(json instanceof List<?> list) || (length >= 0 && list.size() != length)) {
            throw new IllegalArgumentException("field " + field.name() + " has values of shape " + field.shape()
                    + ", so a list of " + length + " items is expected, got " + shown(json));
        }
        for (Object item : list) {
            flatten(item, shape, depth + 1, elements);
        }
    }

    private String element(Object json) {
        boolean isPair = field.type().isComplex() && json instanceof List<?> list && list.size() == 2;
        if (isPair) {
            String imaginary = ((List<?>) json).getLast().toString();
            return ((List<?>) json).getFirst() + (imaginary.startsWith("-") ? "" : "+") + imaginary + "j";
        }
        if (json == null || json instanceof List<?> || json instanceof Map<?, ?>) {
            throw new IllegalArgumentException(
                    "field " + field.name() + ": " + shown(json) + " is not a valid " + field.type());
        }
        return json.toString();
    }

    private static String shown(Object json) {
        String text = String.valueOf(json);
        return Printable.of(text.length() > 60 ? text.substring(0, 60) + "..." : text);
    }
}
