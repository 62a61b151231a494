// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The type of a field as text: `u8`, `f32[768]`, `u8[32,32,3]`, `utf8(16)` for text of 16 bytes, and `f32[]` for
/// any number of them. `utf32(16)` has 16 characters. A variable field of arrays is `f32[][3]`.
///
/// @param type       the type of an element
/// @param length     the width of fixed text in units of the type; 1 otherwise
/// @param shape      the dimensions of an item
/// @param isVariable whether a record holds any number of items
record FieldType(ElementType type, long length, List<Long> shape, boolean isVariable) implements Serializable {
    private static final Pattern TEXT = Pattern.compile(
            "([a-z][a-z0-9]*)(?:\\((\\d{1,9})\\))?(\\[\\])?(?:\\[(\\d{1,9}(?:\\s*,\\s*\\d{1,9})*)\\])?");

    /// A column and its type, up to the next comma outside of brackets.
    private static final Pattern COLUMN =
            Pattern.compile("\\s*(`(?:[^`]|``)+`|[^\\s:,]+)[\\s:]+([^\\[,]+(?:\\[[^\\]]*\\])*)\\s*(?:,|$)");

    static FieldType of(Field field) {
        long length = field.type().isText() ? field.elementSize() / field.type().size() : 1;
        return new FieldType(field.type(), length, field.shape(), field.isVariable());
    }

    /// @throws IllegalArgumentException when the text is not a type
    static FieldType parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        ElementType type = matcher.matches() ? element(matcher.group(1)) : null;
        if (type == null) {
            throw new IllegalArgumentException("'" + text + "' is not a type of a field: write an element type, its"
                    + " width or its shape, as in u8, utf8(16), f32[768] or i32[]");
        }
        boolean hasLength = matcher.group(2) != null;
        if (hasLength && !type.isText()) {
            throw new IllegalArgumentException("'" + text + "' has a width, but only bytes, utf8 and utf32 have one");
        }
        List<Long> shape = new ArrayList<>();
        if (matcher.group(4) != null) {
            for (String dimension : matcher.group(4).split(",")) {
                shape.add(Long.parseLong(dimension.strip()));
            }
        }
        boolean isVariable = matcher.group(3) != null || type.isText() && !hasLength;
        return new FieldType(type, hasLength ? Long.parseLong(matcher.group(2)) : 1, shape, isVariable);
    }

    /// Parses the types of some columns: `label u8, image: u8[32,32,3]`. A name with a space or a comma stands in
    /// backquotes.
    ///
    /// @throws IllegalArgumentException when a type is invalid
    static Map<String, FieldType> parseAll(String text) {
        Map<String, FieldType> types = new LinkedHashMap<>();
        Matcher matcher = COLUMN.matcher(text);
        int end = 0;
        while (end < text.stripTrailing().length()) {
            if (!matcher.find(end) || matcher.start() != end) {
                throw new IllegalArgumentException("the option types has to be a list of columns with their types, as"
                        + " in 'label u8, image u8[32,32,3]', got '" + text.substring(end) + "'");
            }
            String name = matcher.group(1);
            boolean isQuoted = name.startsWith("`");
            types.put(
                    isQuoted ? name.substring(1, name.length() - 1).replace("``", "`") : name, parse(matcher.group(2)));
            end = matcher.end();
        }
        return types;
    }

    private static ElementType element(String word) {
        for (ElementType type : ElementType.values()) {
            if (type.toString().equals(word)) {
                return type;
            }
        }
        return null;
    }

    Field field(String name) {
        return new Field(name, type, type.isText() ? length * type.size() : type.size(), shape, isVariable);
    }

    @Override
    public String toString() {
        boolean isPlainText = type.isText() && isVariable && length == 1 && shape.isEmpty();
        String dimensions =
                shape.isEmpty() ? "" : shape.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
        return type.name().toLowerCase(Locale.ROOT)
                + (type.isText() && !isPlainText ? "(" + length + ")" : "")
                + (isVariable && !isPlainText ? "[]" : "")
                + dimensions;
    }
}
