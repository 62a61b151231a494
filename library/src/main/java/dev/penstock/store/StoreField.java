// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A field of a store: its name, its compression, and the type of its values if that is declared.
///
/// @param dtype   the type of an element, or null when values are bytes: a name such as `f32`, `i8` (8 bits),
///                `utf8` or `float32`; unknown names are kept and mean bytes
/// @param shape   the shape of a value, or null when values have any number of elements
/// @param recoded chunks whose values have another compression; usually none
public record StoreField(
        String name, String dtype, List<Long> shape, StoreCompression compression, List<Recoded> recoded) {
    private static final int DIMENSION_COUNT_MAX = 32;

    /// Chunks in which values of a field have another compression than the field: while it is being changed, or
    /// after a crash during the change.
    ///
    /// @param fromChunk the first id
    /// @param toChunk   the exclusive end of the ids
    public record Recoded(StoreCompression compression, long fromChunk, long toChunk) {}

    /// Creates a field whose values all have the same compression.
    public StoreField(String name, String dtype, List<Long> shape, StoreCompression compression) {
        this(name, dtype, shape, compression, List.of());
    }

    public StoreField {
        recoded = List.copyOf(recoded);
        if (!StoreFormat.FIELD_NAME.matcher(name).matches() || name.contains("..") || name.equals("meta")) {
            throw notAllowed(name);
        }
        if (shape != null) {
            shape = List.copyOf(shape);
            if (shape.size() > DIMENSION_COUNT_MAX || shape.stream().anyMatch(length -> length < 1)) {
                throw new IllegalArgumentException("field " + name + ": the shape " + shape
                        + " is not allowed: at most " + DIMENSION_COUNT_MAX + " lengths, each at least 1");
            }
            if (dtype == null) {
                throw new IllegalArgumentException("field " + name + " has a shape but no dtype; declare both");
            }
        }
        if (valueSize(name, dtype, shape) > StoreFormat.VALUE_SIZE_MAX) {
            throw new IllegalArgumentException("field " + name + ": a value of shape " + shape
                    + " would be too large; a value has at most " + StoreFormat.VALUE_SIZE_MAX + " bytes");
        }
    }

    private static IllegalArgumentException notAllowed(String name) {
        return new IllegalArgumentException("field name '" + name + "' is not allowed, because it names a file: use"
                + " 1 to 64 of the letters a to z and A to Z, digits, _ . and -, begin with a letter, a digit or _,"
                + " and avoid meta and the names of devices such as con");
    }

    private static long valueSize(String name, String dtype, List<Long> shape) {
        try {
            Field column = column(name, dtype, shape);
            return column.isVariable() ? 0 : column.itemSize();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /// The position of a field in a list.
    ///
    /// @throws IllegalArgumentException when there is no field with that name
    static int position(List<StoreField> fields, String name) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).name().equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException("there is no field " + name + "; the fields are "
                + String.join(", ", fields.stream().map(StoreField::name).toList()));
    }

    /// Requires that a new store can have these fields. It can be copied to any system, so names of devices in
    /// Windows are rejected here, though not in a store that exists.
    ///
    /// @throws IllegalArgumentException when there are none, too many, or two whose files would have the same
    ///                                  name, or a name is not allowed
    public static void requireValid(List<StoreField> fields) {
        StoreMeta.requireFields(fields);
        for (StoreField field : fields) {
            if (StoreFormat.DEVICE_NAME.matcher(field.name()).matches()) {
                throw notAllowed(field.name());
            }
        }
    }

    /// The type of a value, for messages.
    String description() {
        Field column = column();
        return column.type() + (column.isVariable() ? ", any number of them" : " of shape " + column.shape());
    }

    /// Creates a field of uncompressed bytes.
    public static StoreField bytes(String name) {
        return new StoreField(name, null, null, StoreCompression.RAW);
    }

    /// The compression of values in a chunk.
    StoreCompression compression(long chunk) {
        for (Recoded range : recoded) {
            if (chunk >= range.fromChunk && chunk < range.toChunk) {
                return range.compression;
            }
        }
        return compression;
    }

    /// Returns a copy in which the values in some chunks have another compression.
    StoreField withRecoded(Recoded range) {
        List<Recoded> all = new ArrayList<>(recoded);
        all.add(range);
        return new StoreField(name, dtype, shape, compression, all);
    }

    /// Returns a copy with another compression.
    public StoreField withCompression(StoreCompression compression) {
        return new StoreField(name, dtype, shape, compression);
    }

    /// The field as a field of a dataset: typed if dtype and shape are declared, otherwise a variable number of
    /// elements or bytes.
    public Field column() {
        return column(name, dtype, shape);
    }

    /// Whether a value of this size matches the declaration of the field.
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

    /// The type with a name of `meta.json`. Other programs may have written one of NumPy's.
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
        return StoreTypes.find(dtype);
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
        if (!recoded.isEmpty()) {
            values.put(
                    "recoded",
                    recoded.stream()
                            .map(range -> List.of(range.compression.word(), range.fromChunk, range.toChunk))
                            .toList());
        }
        return values;
    }

    /// Parses a field of `meta.json`.
    ///
    /// @throws IllegalArgumentException when the value is not a field
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
                values.get("compress") == null ? StoreCompression.RAW : StoreCompression.of(values.text("compress")),
                values.get("recoded") == null ? List.of() : recoded(values.list("recoded")));
    }

    private static List<Recoded> recoded(List<?> listed) {
        List<Recoded> all = new ArrayList<>();
        for (Object one : listed) {
            if (!(one instanceof List<?> range && range.size() == 3)) {
                throw new IllegalArgumentException("recoded chunks must be a triple, got " + one);
            }
            all.add(new Recoded(
                    StoreCompression.of(String.valueOf(range.get(0))),
                    MetaValues.count("chunk", range.get(1)),
                    MetaValues.count("chunk", range.get(2))));
        }
        return all;
    }
}
