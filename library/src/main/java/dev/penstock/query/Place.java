// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;

/// One element of a field.
///
/// @param elementOffset the offset of the element in the field, in bytes
record Place(Field field, long elementOffset) implements Operand {
    ElementType type() {
        return field.type();
    }

    /// The bounds of the element, or null if they are not known.
    Bounds.Range bounds(Bounds bounds) {
        return field.isVariable() || !field.shape().isEmpty() ? null : bounds.of(field);
    }

    /// Whether the element is an integer or a boolean.
    boolean isWhole() {
        return type().isInteger() || type() == ElementType.BOOL;
    }

    /// The size of a code unit of text, in bytes.
    int unitSize() {
        return type() == ElementType.UTF32 ? (int) ElementType.UTF32.size() : 1;
    }

    /// @throws IllegalArgumentException when the batch has no such column
    Cells cells(Batch batch) {
        Column column = batch.column(field.name());
        if (!column.field().equals(field)) {
            throw new IllegalArgumentException(
                    "the batch has the field " + column.field() + ", but the condition was parsed for " + field);
        }
        return new Cells(this, column.values(), field.isVariable() ? column.offsets() : null);
    }

    /// The values of the element in all rows of one batch.
    ///
    /// @param offsets the start of each row of a variable field, or null
    record Cells(Place place, MemorySegment values, MemorySegment offsets) {
        void longs(long rowIndex, int count, long[] target) {
            long stride = place.field.itemSize();
            Values.longs(place.type(), values, rowIndex * stride + place.elementOffset, stride, count, target);
        }

        void doubles(long rowIndex, int count, double[] target) {
            long stride = place.field.itemSize();
            Values.doubles(place.type(), values, rowIndex * stride + place.elementOffset, stride, count, target);
        }

        long start(long rowIndex) {
            return offsets == null
                    ? rowIndex * place.field.itemSize() + place.elementOffset
                    : offsets.get(Layouts.U64, rowIndex * Layouts.U64.byteSize());
        }

        long limit(long rowIndex) {
            return offsets == null ? start(rowIndex) + place.field.elementSize() : start(rowIndex + 1);
        }
    }
}
