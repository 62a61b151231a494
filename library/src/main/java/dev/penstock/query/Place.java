// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.memory.Layouts;
import java.lang.foreign.MemorySegment;

/// One element of a field, in every row.
///
/// @param elementOffset bytes from the start of the field to the element
record Place(Field field, long elementOffset) implements Operand {
    ElementType type() {
        return field.type();
    }

    /// Whole numbers, truth values among them.
    boolean isWhole() {
        return type().isInteger() || type() == ElementType.BOOL;
    }

    /// Bytes of one character or byte of text.
    int unitSize() {
        return type() == ElementType.UTF32 ? (int) ElementType.UTF32.size() : 1;
    }

    /// @throws IllegalArgumentException when the batch has no column of the field
    Cells cells(Batch batch) {
        Column column = batch.column(field.name());
        if (!column.field().equals(field)) {
            throw new IllegalArgumentException(
                    "the batch was made for " + column.field() + " and the condition for " + field);
        }
        return new Cells(this, column.values(), field.isVariable() ? column.offsets() : null);
    }

    /// The element in all rows of one batch.
    ///
    /// @param offsets where each row of a variable field starts, or null
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
