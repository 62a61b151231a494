// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A field of a store: its name, how its values are compressed, and what they are if that is declared.
///
/// @param dtype what an element is, or null when values are bytes; names that are not known are kept and mean
/// bytes
/// @param shape of a value, or null when values have any number of elements
public record StoreField(String name, String dtype, List<Long> shape, StoreCompression compression) {
    private static final int DIMENSION_COUNT_MAX = 32;

    public StoreField {
        if (!StoreFormat.FIELD_NAME.matcher(name).matches() || name.contains("..") || name.equals("meta")) {
            throw new IllegalArgumentException("field name " + name
                    + " is not allowed: letters, digits, _ . and -, at most 64 of them, because it names a file");
        }
        if (shape != null) {
            shape = List.copyOf(shape);
            if (shape.size() > DIMENSION_COUNT_MAX || shape.stream().anyMatch(length -> length < 1)) {
                throw new IllegalArgumentException("field " + name + ": the shape " + shape
                        + " is not allowed: at most " + DIMENSION_COUNT_MAX + " lengths, each at least 1");
            }
            if (dtype == null) {
                throw new IllegalArgumentException("field " + name + " has a shape and no dtype; declare both");
            }
        }
        // Refuses a value that is too large.
        column(name, dtype, shape);
    }

    /// The position of a field in a list.
    ///
    /// @throws IllegalArgumentException when there is none of that name
    static int position(List<StoreField> fields, String name) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).name().equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException("no field " + name + "; there are: "
                + String.join(", ", fields.stream().map(StoreField::name).toList()));
    }

    /// A field of bytes that are stored as they are.
    public static StoreField bytes(String name) {
        return new StoreField(name, null, null, StoreCompression.RAW);
    }

    /// The same field with another compression.
    public StoreField withCompression(StoreCompression compression) {
        return new StoreField(name, dtype, shape, compression);
    }

    /// The field of a dataset: typed where dtype and shape are declared, otherwise any number of elements or
    /// bytes.
    public Field column() {
        return column(name, dtype, shape);
    }

    /// Whether a value of so many bytes is what the field declares.
    boolean isFitting(long byteCount) {
        Field column = column();
        return column.isVariable() ? byteCount % column.itemSize() == 0 : byteCount == column.itemSize();
    }

    private static Field column(String name, String dtype, List<Long> shape) {
        ElementType type = type(dtype);
        if (type == null) {
            return Field.variable(name, ElementType.BYTES);
        }
        return shape == null ? Field.variable(name, type) : Field.fixed(name, type, shape.toArray(Long[]::new));
    }

    private static ElementType type(String dtype) {
        if (dtype == null) {
            return null;
        }
        for (ElementType type : ElementType.values()) {
            if (type != ElementType.UTF32
                    && type.name().toLowerCase(Locale.ROOT).equals(dtype)) {
                return type;
            }
        }
        return null;
    }

    Map<String, Object> values() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("name", name);
        if (dtype != null) {
            values.put("dtype", dtype);
        }
        if (shape != null) {
            values.put("shape", shape);
        }
        values.put("compress", compression.word());
        return values;
    }

    /// Reads a field of `meta.json`.
    ///
    /// @throws IllegalArgumentException when it is none
    static StoreField of(Object value) {
        MetaValues values = MetaValues.of("field", value);
        List<Long> shape = null;
        if (values.get("shape") != null) {
            shape = new ArrayList<>();
            for (Object length : values.list("shape")) {
                shape.add(MetaValues.count("shape", length));
            }
        }
        Object dtype = values.get("dtype");
        return new StoreField(
                values.text("name"),
                dtype == null ? null : values.text("dtype"),
                shape,
                StoreCompression.of(values.text("compress")));
    }
}
