// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.store.StoreField;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/// The bytes of a value of a store, out of JSON or text.
record StoreValueText(StoreField field, Bytes bytes) {
    /// How text stands for bytes.
    enum Bytes {
        UTF8,
        BASE64,
        HEX
    }

    /// @param json what [dev.penstock.memory.Json] gives
    /// @return null when the value is missing
    /// @throws IllegalArgumentException when it is no value of the field
    byte[] ofJson(Object json) {
        Field column = field.column();
        if (json == null) {
            return null;
        }
        boolean isText = column.type() == ElementType.BYTES || column.type() == ElementType.UTF8;
        if (column.isVariable() && isText) {
            if (json instanceof String text) {
                return ofText(text);
            }
            throw new IllegalArgumentException("field " + field.name() + " holds "
                    + (column.type() == ElementType.UTF8 ? "text" : "bytes") + ", and " + json + " is no string");
        }
        List<String> elements = new ArrayList<>();
        if (column.isVariable()) {
            flatten(json instanceof List<?> list ? list : List.of(json), List.of(-1L), 0, elements);
        } else {
            flatten(json, column.shape(), 0, elements);
        }
        return parse(column, elements);
    }

    /// A whole value as text: that of a field of bytes or text as it is, any other as JSON.
    byte[] ofText(String text) {
        if (field.column().type() == ElementType.UTF8) {
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

    /// Values of one element each.
    byte[] ofElements(List<String> elements) {
        return parse(field.column(), elements);
    }

    private byte[] parse(Field column, List<String> elements) {
        byte[] value = new byte[Math.toIntExact(elements.size() * column.elementSize())];
        MemorySegment target = MemorySegment.ofArray(value);
        for (int i = 0; i < elements.size(); i++) {
            try {
                ElementParser.parse(column, elements.get(i), target, i * column.elementSize());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("field " + field.name() + ": " + e.getMessage(), e);
            }
        }
        return value;
    }

    /// Lists as deep as the shape has dimensions. A length below 0 is any length.
    private void flatten(Object json, List<Long> shape, int depth, List<String> elements) {
        if (depth == shape.size()) {
            elements.add(element(json));
            return;
        }
        long length = shape.get(depth);
        if (!(json instanceof List<?> list) || (length >= 0 && list.size() != length)) {
            throw new IllegalArgumentException("field " + field.name() + " has values of shape "
                    + field.column().shape() + ", and a list of " + length + " items was expected, not " + shown(json));
        }
        for (Object item : list) {
            flatten(item, shape, depth + 1, elements);
        }
    }

    private String element(Object json) {
        boolean isPair = field.column().type().isComplex() && json instanceof List<?> list && list.size() == 2;
        if (isPair) {
            String imaginary = ((List<?>) json).getLast().toString();
            return ((List<?>) json).getFirst() + (imaginary.startsWith("-") ? "" : "+") + imaginary + "j";
        }
        if (json == null || json instanceof List<?> || json instanceof Map<?, ?>) {
            throw new IllegalArgumentException("field " + field.name() + ": " + shown(json) + " is no "
                    + field.column().type());
        }
        return json.toString();
    }

    private static String shown(Object json) {
        String text = String.valueOf(json);
        return Text.printable(text.length() > 60 ? text.substring(0, 60) + "..." : text);
    }
}
