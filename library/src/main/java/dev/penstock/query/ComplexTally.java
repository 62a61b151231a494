// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;

/// Counts complex numbers. They have no order, so there is no minimum, maximum or histogram.
final class ComplexTally implements Tally {
    private final Field field;
    private long count;
    private long nonFiniteCount;

    ComplexTally(Field field) {
        this.field = field;
    }

    @Override
    public void add(Column column, long rowCount) {
        MemorySegment values = column.values();
        ElementType part = field.type() == ElementType.C64 ? ElementType.F32 : ElementType.F64;
        long elementCount = rowCount * Tally.elementCount(field);
        for (long i = 0; i < elementCount; i++) {
            double real = Elements.toDouble(part, values, 2 * i * part.size());
            double imaginary = Elements.toDouble(part, values, (2 * i + 1) * part.size());
            nonFiniteCount += Double.isFinite(real) && Double.isFinite(imaginary) ? 0 : 1;
        }
        count += elementCount;
    }

    @Override
    public void merge(Tally other) {
        ComplexTally tally = (ComplexTally) other;
        count += tally.count;
        nonFiniteCount += tally.nonFiniteCount;
    }

    @Override
    public FieldStats result() {
        return FieldStats.without(field, false, count, nonFiniteCount);
    }
}
