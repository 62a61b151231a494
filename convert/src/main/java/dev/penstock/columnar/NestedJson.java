// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.ElementType;
import dev.penstock.Elements;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Nested values as JSON: lists, objects, texts and numbers. Bytes are in base64; NaN and missing values are null.
final class NestedJson {
    private NestedJson() {}

    static Object of(ColumnType type, ColumnValues values, int index) {
        if (values.isMissing(index)) {
            return null;
        }
        return switch (type.kind()) {
            case FIXED -> number(type, values, index);
            case TEXT -> new String(bytes(values, index), StandardCharsets.UTF_8);
            case BYTES -> Base64.getEncoder().encodeToString(bytes(values, index));
            case LIST, FIXED_LIST -> list(type, values, index);
            case STRUCT -> struct(type, values, index);
            case MAP -> entries(type, values, index);
        };
    }

    private static byte[] bytes(ColumnValues values, int index) {
        long start = values.offsets()[index];
        return values.data().asSlice(start, values.offsets()[index + 1] - start).toArray(ValueLayout.JAVA_BYTE);
    }

    private static Object number(ColumnType type, ColumnValues values, int index) {
        ElementType element = type.element();
        MemorySegment data = values.data();
        long offset = index * type.size();
        if (element == ElementType.BYTES) {
            byte[] bytes = data.asSlice(offset, type.size()).toArray(ValueLayout.JAVA_BYTE);
            return Base64.getEncoder().encodeToString(bytes);
        } else if (element == ElementType.BOOL) {
            return data.get(ValueLayout.JAVA_BYTE, offset) != 0;
        } else if (element.isFloat()) {
            double number = Elements.toDouble(element, data, offset);
            return Double.isFinite(number) ? (Object) number : null;
        }
        long whole = Elements.toLong(element, data, offset);
        return element == ElementType.U64 && whole < 0 ? new BigInteger(Long.toUnsignedString(whole)) : whole;
    }

    private static List<Object> list(ColumnType type, ColumnValues values, int index) {
        boolean isFixed = type.kind() == ColumnType.Kind.FIXED_LIST;
        long start = isFixed ? index * type.size() : values.offsets()[index];
        long end = isFixed ? start + type.size() : values.offsets()[index + 1];
        List<Object> list = new ArrayList<>();
        for (long i = start; i < end; i++) {
            list.add(of(type.item(), values.children().getFirst(), (int) i));
        }
        return list;
    }

    private static Map<String, Object> struct(ColumnType type, ColumnValues values, int index) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (int i = 0; i < type.children().size(); i++) {
            ColumnType member = type.children().get(i);
            members.put(member.name(), of(member, values.children().get(i), index));
        }
        return members;
    }

    /// The entries of a map, each as an object of key and value.
    private static List<Object> entries(ColumnType type, ColumnValues values, int index) {
        List<Object> entries = new ArrayList<>();
        for (long i = values.offsets()[index]; i < values.offsets()[index + 1]; i++) {
            entries.add(struct(type, values, (int) i));
        }
        return entries;
    }
}
