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

/// A transform that converts numbers to another type with an optional scale and shift: `value * scale + shift`,
/// for example bytes to numbers from 0 to 1.
///
/// Conversions between integer types keep the value; all others are computed in double precision and rounded once.
/// A number that the type cannot represent becomes the nearest one: integers are clamped to their range and lose
/// the fraction, and NaN becomes 0.
///
/// **Threads.** Safe for any number of threads.
public final class Convert implements Transform {
    private final ElementType type;
    private final double scale;
    private final double shift;
    private final List<String> names;
    private final List<String> kept;
    /// The tables for types of one byte.
    private final Map<ElementType, ByteCast> byteCasts = new EnumMap<>(ElementType.class);

    private Convert(ElementType type, double scale, double shift, List<String> names, List<String> kept) {
        if (!isNumber(type)) {
            throw new IllegalArgumentException(type + " is not a numeric type, so numbers cannot be converted to it");
        }
        this.type = type;
        this.scale = scale;
        this.shift = shift;
        this.names = names;
        this.kept = kept;
        for (ElementType from : List.of(ElementType.BOOL, ElementType.U8, ElementType.I8)) {
            byteCasts.put(from, new ByteCast(from, type, scale, shift));
        }
    }

    private static boolean isNumber(ElementType type) {
        return type.isInteger() || type.isFloat() || type == ElementType.BOOL;
    }

    /// Converts the named fields to a type; without names, all numeric fields.
    public static Convert to(ElementType type, String... names) {
        return new Convert(type, 1, 0, List.of(names), List.of());
    }

    /// [#to] with a scale and a shift.
    public static Convert scaled(ElementType type, double scale, double shift, String... names) {
        return new Convert(type, scale, shift, List.of(names), List.of());
    }

    /// Leaves some fields as they are, where all numeric fields are converted. A program may know that numbers are
    /// dates, for example.
    public Convert except(String... kept) {
        return new Convert(type, scale, shift, names, List.of(kept));
    }

    @Override
    public List<Field> fields(List<Field> fields) {
        for (String name : names) {
            if (fields.stream().noneMatch(field -> field.name().equals(name))) {
                throw new IllegalArgumentException("there is no field " + name + " to convert; the fields are "
                        + String.join(", ", fields.stream().map(Field::name).toList()));
            }
        }
        List<Field> converted = new ArrayList<>();
        for (Field field : fields) {
            if (names.contains(field.name()) && !isNumber(field.type())) {
                throw new IllegalArgumentException(
                        "field " + field.name() + " has type " + field.type() + ", but only numbers can be converted");
            }
            converted.add(
                    isWanted(field)
                            ? new Field(field.name(), type, type.size(), field.shape(), field.isVariable())
                            : field);
        }
        return converted;
    }

    private boolean isWanted(Field field) {
        boolean isNamed = names.isEmpty() ? !kept.contains(field.name()) : names.contains(field.name());
        return isNamed && isNumber(field.type());
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
