// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// Numbers of another type, scaled and shifted on the way: `value * scale + shift`, for instance bytes as numbers
/// from 0 to 1.
///
/// Between whole numbers a value is kept; all else is reckoned in double precision and rounded once. A number
/// that the type does not have becomes the nearest it has: whole numbers end at their bounds and lose the
/// fraction, and what is no number becomes 0 among them.
///
/// **Threads.** Any number.
public final class Convert implements Transform {
    private final ElementType type;
    private final double scale;
    private final double shift;
    private final List<String> names;
    /// For the types of one byte.
    private final Map<ElementType, ByteCast> byteCasts = new EnumMap<>(ElementType.class);

    private Convert(ElementType type, double scale, double shift, List<String> names) {
        if (!isNumber(type)) {
            throw new IllegalArgumentException(type + " is no type that numbers are converted to");
        }
        this.type = type;
        this.scale = scale;
        this.shift = shift;
        this.names = names;
        for (ElementType from : List.of(ElementType.BOOL, ElementType.U8, ElementType.I8)) {
            byteCasts.put(from, new ByteCast(from, type, scale, shift));
        }
    }

    private static boolean isNumber(ElementType type) {
        return type.isInteger() || type.isFloat() || type == ElementType.BOOL;
    }

    /// The fields of these names as another type; without names, all fields of numbers.
    public static Convert to(ElementType type, String... names) {
        return new Convert(type, 1, 0, List.of(names));
    }

    /// [#to], each value multiplied and added to.
    public static Convert scaled(ElementType type, double scale, double shift, String... names) {
        return new Convert(type, scale, shift, List.of(names));
    }

    @Override
    public List<Field> fields(List<Field> fields) {
        for (String name : names) {
            if (fields.stream().noneMatch(field -> field.name().equals(name))) {
                throw new IllegalArgumentException("no field " + name + " to convert; there are: "
                        + String.join(", ", fields.stream().map(Field::name).toList()));
            }
        }
        List<Field> converted = new ArrayList<>();
        for (Field field : fields) {
            if (names.contains(field.name()) && !isNumber(field.type())) {
                throw new IllegalArgumentException("field " + field.name() + " is of type " + field.type()
                        + ", and only numbers can be converted");
            }
            converted.add(
                    isWanted(field)
                            ? new Field(field.name(), type, type.size(), field.shape(), field.isVariable())
                            : field);
        }
        return converted;
    }

    private boolean isWanted(Field field) {
        return isNumber(field.type()) && (names.isEmpty() || names.contains(field.name()));
    }

    @Override
    public void apply(Batch source, Batch target) {
        for (int i = 0; i < source.columns().size(); i++) {
            Column from = source.column(i);
            Column to = target.column(i);
            boolean isSame = from.field().type() == type && scale == 1 && shift == 0;
            if (isSame || !isWanted(from.field())) {
                to.exchange(from);
            } else {
                convert(from, to, source.rowCount());
            }
        }
    }

    private void convert(Column from, Column to, long rowCount) {
        to.copyMissing(from, rowCount);
        ElementType fromType = from.field().type();
        long count = from.valueBytes() / fromType.size();
        MemorySegment values = to.reserveValues(count * type.size());
        ByteCast byteCast = byteCasts.get(fromType);
        if (byteCast != null) {
            byteCast.cast(from.memory(), values, count);
        } else {
            NumberCast.cast(fromType, from.memory(), type, values, count, scale, shift);
        }
        if (from.field().isVariable()) {
            Offsets.scale(from.offsets(), to.reserveOffsets(rowCount), rowCount, fromType.size(), type.size());
        }
    }
}
