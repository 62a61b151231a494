// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// A transform that turns classes into one-hot vectors: an integer field gets the number of classes as its last
/// dimension.
///
/// A number that is not a valid class is an error of its record.
///
/// **Threads.** Safe for any number of threads.
public final class OneHot implements Transform {
    private final String name;
    private final long classCount;
    private final ElementType type;

    private OneHot(String name, long classCount, ElementType type) {
        this.name = name;
        this.classCount = classCount;
        this.type = type;
    }

    /// @param name       the name of an integer or boolean field
    /// @param classCount the number of classes; valid classes are 0 to `classCount - 1`
    /// @param type       the type of the vectors
    /// @throws IllegalArgumentException when there is no class, or the type is not numeric
    public static OneHot of(String name, long classCount, ElementType type) {
        if (classCount < 1) {
            throw new IllegalArgumentException("classCount must be at least 1, got " + classCount);
        }
        if (type.isText() || type == ElementType.C64 || type == ElementType.C128) {
            throw new IllegalArgumentException(
                    "the type of one-hot vectors must be a floating-point or integer type, got " + type);
        }
        return new OneHot(name, classCount, type);
    }

    @Override
    public List<Field> fields(List<Field> fields) {
        List<Field> changed = new ArrayList<>();
        for (Field field : fields) {
            changed.add(field.name().equals(name) ? vectors(field) : field);
        }
        if (fields.stream().noneMatch(field -> field.name().equals(name))) {
            throw new IllegalArgumentException("there is no field " + name + " for one-hot vectors; the fields are "
                    + String.join(", ", fields.stream().map(Field::name).toList()));
        }
        return changed;
    }

    private Field vectors(Field field) {
        boolean isWhole = field.type().isInteger() || field.type() == ElementType.BOOL;
        if (!isWhole || field.isVariable()) {
            String found = field.isVariable() ? "has values of different lengths" : "has the type " + field.type();
            throw new IllegalArgumentException(
                    "one-hot vectors are made of a field of integers, and field " + name + " " + found);
        }
        List<Long> shape = new ArrayList<>(field.shape());
        shape.add(classCount);
        return new Field(name, type, type.size(), shape, false);
    }

    @Override
    public void apply(Batch source, Batch target) {
        for (int i = 0; i < source.columns().size(); i++) {
            Column from = source.column(i);
            if (from.field().name().equals(name)) {
                mark(from, target.column(i), source.rowCount());
            } else {
                target.column(i).exchange(from);
            }
        }
    }

    private void mark(Column from, Column to, long rowCount) {
        to.copyMissing(from, rowCount);
        ElementType fromType = from.field().type();
        long count = from.valueBytes() / fromType.size();
        long byteCount = Math.multiplyExact(Math.multiplyExact(count, classCount), type.size());
        MemorySegment vectors = to.reserveValues(byteCount);
        vectors.asSlice(0, byteCount).fill((byte) 0);
        MemorySegment one = Pad.pattern(to.field(), 1);
        MemorySegment values = from.memory();
        long each = Math.max(1, count / Math.max(1, rowCount));
        for (long i = 0; i < count; i++) {
            if (from.hasMissing() && from.isMissing(i / each)) {
                continue;
            }
            long number = Elements.toLong(fromType, values, i * fromType.size());
            if (number < 0 || number >= classCount) {
                throw new IllegalArgumentException("field " + name + " is " + number + ", which is not one of the "
                        + classCount + " classes 0 to " + (classCount - 1));
            }
            MemorySegment.copy(one, 0, vectors, (i * classCount + number) * type.size(), type.size());
        }
    }
}
