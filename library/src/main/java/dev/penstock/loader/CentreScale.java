// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.memory.FloatCast;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Subtracts a mean from each element of a field and multiplies the result: `(value - mean[i]) * scale`. It
/// centres activations and gives them a norm of about the root of their width.
///
/// Numbers are computed in double precision and rounded once.
///
/// **Threads.** Any number.
public final class CentreScale implements Transform {
    private final String name;
    private final double[] mean;
    private final double scale;
    private final ElementType type;

    private CentreScale(String name, double[] mean, double scale, ElementType type) {
        this.name = name;
        this.mean = mean.clone();
        this.scale = scale;
        this.type = type;
    }

    /// @param name  of a field of floating-point numbers with as many elements as the mean
    /// @param scale finite
    /// @param type  that the field gets: f32, f64, f16 or bf16
    /// @throws IllegalArgumentException when the scale is not finite or the type is not of floating-point numbers
    public static CentreScale of(String name, double[] mean, double scale, ElementType type) {
        if (!Double.isFinite(scale)) {
            throw new IllegalArgumentException("the scale must be finite, got " + scale);
        }
        if (!type.isFloat()) {
            throw new IllegalArgumentException("values are scaled to f16, bf16, f32 or f64 and not to " + type);
        }
        return new CentreScale(name, mean, scale, type);
    }

    @Override
    public List<Field> fields(List<Field> fields) {
        List<Field> changed = new ArrayList<>();
        boolean isThere = false;
        for (Field field : fields) {
            if (!field.name().equals(name)) {
                changed.add(field);
                continue;
            }
            isThere = true;
            long length = field.itemSize() / field.elementSize();
            if (!field.type().isFloat() || field.isVariable() || length != mean.length) {
                throw new IllegalArgumentException("field " + field + " cannot be centred with a mean of " + mean.length
                        + " numbers: it needs as many floating-point numbers in each record");
            }
            changed.add(new Field(name, type, type.size(), field.shape(), false));
        }
        if (!isThere) {
            throw new IllegalArgumentException("no field " + name + " to centre; there are: "
                    + String.join(", ", fields.stream().map(Field::name).toList()));
        }
        return changed;
    }

    @Override
    public void apply(Batch source, Batch target) {
        for (int i = 0; i < source.columns().size(); i++) {
            Column from = source.column(i);
            if (from.field().name().equals(name)) {
                scale(from, target.column(i), source.rowCount());
            } else {
                target.column(i).exchange(from);
            }
        }
    }

    private void scale(Column from, Column to, long rowCount) {
        to.copyMissing(from, rowCount);
        int width = mean.length;
        MemorySegment values = to.reserveValues(rowCount * width * type.size());
        double[] row = new double[width];
        MemorySegment rowSegment = MemorySegment.ofArray(row);
        long fromSize = width * from.field().type().size();
        for (long i = 0; i < rowCount; i++) {
            MemorySegment stored = from.memory().asSlice(i * fromSize, fromSize);
            FloatCast.cast(from.field().type(), stored, ElementType.F64, rowSegment, width);
            for (int column = 0; column < width; column++) {
                row[column] = (row[column] - mean[column]) * scale;
            }
            FloatCast.cast(ElementType.F64, rowSegment, type, values.asSlice(i * width * type.size()), width);
        }
    }
}
