// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Field;
import java.util.ArrayList;
import java.util.List;

/// A column of a text table: one element of a field. Elements of a field with a shape are named `name[0]`,
/// `name[1]`, or `name[1,0]`.
///
/// @param offset the offset of the element in the field
public record Cell(Field field, long offset, String name) {
    /// The largest number of columns of a text table.
    private static final long CELLS_MAX = 100_000;

    /// The columns of these fields.
    ///
    /// @throws IllegalArgumentException when there are too many columns
    public static List<Cell> of(List<Field> fields) {
        List<Cell> cells = new ArrayList<>();
        for (Field field : fields) {
            long count = field.isVariable() ? 1 : field.shape().stream().reduce(1L, (a, b) -> a * b);
            if (cells.size() + count > CELLS_MAX) {
                throw new IllegalArgumentException("a row has more than " + CELLS_MAX
                        + " values, which is too many for CSV: choose other fields or another format");
            }
            for (long i = 0; i < count; i++) {
                String name = field.isVariable() ? field.name() : field.name() + position(field.shape(), i);
                cells.add(new Cell(field, i * field.elementSize(), name));
            }
        }
        return cells;
    }

    private static String position(List<Long> shape, long elementIndex) {
        if (shape.isEmpty()) {
            return "";
        }
        String text = "]";
        long left = elementIndex;
        for (int i = shape.size() - 1; i >= 0; i--) {
            text = (i > 0 ? "," : "[") + left % shape.get(i) + text;
            left /= shape.get(i);
        }
        return text;
    }
}
