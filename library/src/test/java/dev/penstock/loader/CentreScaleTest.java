// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Rounding;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Values are centred and scaled in double precision and rounded once.
final class CentreScaleTest {
    private static final Field ID = Field.fixed("id", ElementType.I64);

    private static final double[][] ROWS = {
        {1, 2, 3},
        {-0.0, Float.MIN_VALUE, Float.MAX_VALUE},
        {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY},
        {0.1f, -0.1f, 1e-30f}
    };
    private static final double[] MEAN = {0.25, -1e-10, 7};

    private static Field rows(ElementType type) {
        return new Field("value", type, type.size(), List.of(3L), false);
    }

    private static Batch batch(Field field) {
        Batch batch = Batch.create(List.of(ID, field));
        MemorySegment ids = batch.column(0).reserveValues(ROWS.length * 8L);
        MemorySegment values = batch.column(1).reserveValues(ROWS.length * field.itemSize());
        for (int row = 0; row < ROWS.length; row++) {
            ids.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, row, row + 100);
            for (int column = 0; column < 3; column++) {
                long offset = row * field.itemSize() + column * field.type().size();
                switch (field.type()) {
                    case F32 -> values.set(ValueLayout.JAVA_FLOAT_UNALIGNED, offset, (float) ROWS[row][column]);
                    case F16 ->
                        values.set(ValueLayout.JAVA_SHORT_UNALIGNED, offset, Float.floatToFloat16((float)
                                ROWS[row][column]));
                    default -> values.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, offset, ROWS[row][column]);
                }
            }
        }
        batch.complete(ROWS.length);
        return batch;
    }

    @Test
    void everyValueIsRoundedOnce() {
        for (ElementType from : List.of(ElementType.F16, ElementType.F32, ElementType.F64)) {
            for (ElementType to : List.of(ElementType.F32, ElementType.F64, ElementType.F16)) {
                CentreScale transform = CentreScale.of("value", MEAN, 3.7, to);
                List<Field> fields = transform.fields(List.of(ID, rows(from)));
                assertEquals(rows(to), fields.get(1));
                try (Batch source = batch(rows(from));
                        Batch target = Batch.create(fields)) {
                    double[] stored = new double[9 + 3];
                    for (int i = 0; i < stored.length; i++) {
                        MemorySegment values = source.column(1).memory();
                        stored[i] = Elements.toDouble(from, values, i * from.size());
                    }
                    transform.apply(source, target);
                    target.complete(ROWS.length);
                    for (int i = 0; i < stored.length; i++) {
                        double expected = Rounding.toType(to, (stored[i] - MEAN[i % 3]) * 3.7);
                        double found = Elements.toDouble(to, target.column(1).memory(), i * to.size());
                        assertEquals(expected, found, from + " to " + to + ", value " + i);
                    }
                    assertEquals(101, target.column(0).memory().get(ValueLayout.JAVA_LONG_UNALIGNED, 8));
                }
            }
        }
    }

    @Test
    void whatCannotBeCentredIsRefused() {
        CentreScale transform = CentreScale.of("value", MEAN, 1, ElementType.F32);
        for (List<Field> fields : List.of(
                List.of(ID),
                List.of(Field.fixed("value", ElementType.F32)),
                List.of(new Field("value", ElementType.I32, 4, List.of(3L), false)),
                List.of(Field.variable("value", ElementType.F32)))) {
            assertThrows(IllegalArgumentException.class, () -> transform.fields(fields), fields.toString());
        }
        assertThrows(IllegalArgumentException.class, () -> CentreScale.of("value", MEAN, Double.NaN, ElementType.F32));
        assertThrows(IllegalArgumentException.class, () -> CentreScale.of("value", MEAN, 1, ElementType.I32));
    }
}
