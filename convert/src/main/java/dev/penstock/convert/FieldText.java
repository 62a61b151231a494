// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Formats the values of a field as JSON and as cells of CSV. [ValueText] reads them.
///
/// Floats are written with the fewest digits that identify them. Bytes are Base64 in JSON and hexadecimal
/// elsewhere. NaN and the infinities are the strings `NaN`, `Infinity` and `-Infinity` in JSON.
public final class FieldText {
    private FieldText() {}

    /// The fields of a row by name; null if the value is missing.
    public static Map<String, Object> record(Batch batch, long rowIndex) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (Column column : batch.columns()) {
            boolean isMissing = column.isMissing(rowIndex);
            fields.put(column.field().name(), isMissing ? null : json(column.field(), column.value(rowIndex)));
        }
        return fields;
    }

    /// The value of a record as JSON, with nested lists if the field has a shape.
    public static Object json(Field field, MemorySegment value) {
        if (!field.isVariable()) {
            return nested(field, value, 0, 0, field.itemSize());
        }
        if (field.type() == ElementType.BYTES) {
            return Base64.getEncoder().encodeToString(value.toArray(ValueLayout.JAVA_BYTE));
        }
        if (field.type() == ElementType.UTF8) {
            return Elements.toText(field.type(), value, 0, value.byteSize());
        }
        List<Object> items = new ArrayList<>();
        for (long offset = 0; offset < value.byteSize(); offset += field.itemSize()) {
            items.add(nested(field, value, 0, offset, field.itemSize()));
        }
        return items;
    }

    private static Object nested(Field field, MemorySegment value, int depth, long offset, long byteCount) {
        if (depth == field.shape().size()) {
            return element(field, value, offset);
        }
        long length = field.shape().get(depth);
        List<Object> items = new ArrayList<>();
        for (long i = 0; i < length; i++) {
            items.add(nested(field, value, depth + 1, offset + i * (byteCount / length), byteCount / length));
        }
        return items;
    }

    private static Object element(Field field, MemorySegment value, long offset) {
        ElementType type = field.type();
        return switch (type) {
            case BOOL -> Elements.toLong(type, value, offset) != 0;
            case U64 -> unsigned(Elements.toLong(type, value, offset));
            case F16, BF16, F32 -> (float) Elements.toDouble(type, value, offset);
            case F64 -> Elements.toDouble(type, value, offset);
            case C64 -> List.of(part(ElementType.F32, value, offset), part(ElementType.F32, value, offset + 4));
            case C128 -> List.of(part(ElementType.F64, value, offset), part(ElementType.F64, value, offset + 8));
            case UTF8, UTF32 -> Elements.toText(type, value, offset, field.elementSize());
            case BYTES -> {
                byte[] bytes = value.asSlice(offset, field.elementSize()).toArray(ValueLayout.JAVA_BYTE);
                yield Base64.getEncoder().encodeToString(bytes);
            }
            default -> Elements.toLong(type, value, offset);
        };
    }

    private static Object unsigned(long value) {
        return value >= 0 ? (Object) value : new BigInteger(Long.toUnsignedString(value));
    }

    private static Object part(ElementType type, MemorySegment value, long offset) {
        double number = Elements.toDouble(type, value, offset);
        return type == ElementType.F32 ? (Object) (float) number : (Object) number;
    }

    /// One element as a cell of a text table.
    public static String cell(Field field, MemorySegment value, long offset) {
        ElementType type = field.type();
        if (type == ElementType.BYTES) {
            byte[] bytes = value.asSlice(offset, field.elementSize()).toArray(ValueLayout.JAVA_BYTE);
            return HexFormat.of().formatHex(bytes);
        }
        Object element = element(field, value, offset);
        return type.isComplex() ? complex((List<?>) element) : element.toString();
    }

    private static String complex(List<?> parts) {
        String imaginary = parts.getLast().toString();
        boolean isSigned = imaginary.startsWith("-");
        return parts.getFirst() + (isSigned ? "" : "+") + imaginary + "j";
    }
}
