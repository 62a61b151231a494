// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.rows.kernel.FloatCast;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A transform that subtracts a mean from each element of a field and multiplies the result: `(value - mean[i]) *
/// scale`. It centres activations and gives them a norm of about the square root of their width.
///
/// Alternatively it divides the result by a deviation, to normalise numbers by known statistics: `(value -
/// mean[i]) / deviation[i]`. There may then be fewer means and deviations than elements, such as one for each
/// channel of an image: they apply to the last dimensions and are repeated for the others.
///
/// Numbers are computed in double precision and rounded once.
///
/// **Threads.** Safe for any number of threads.
public final class CentreScale implements Transform {
    private static final int TILE_COUNT = 1024;

    private final String name;
    private final double[] mean;
    private final double scale;
    private final ElementType type;
    /// The means and deviations, repeated until a loop over them is efficient. Deviations are null if the
    /// differences are multiplied by the scale.
    private final double[] tiledMean;

    private final double[] tiledDeviation;

    private CentreScale(String name, double[] mean, double scale, double[] deviation, ElementType type) {
        this.name = name;
        this.mean = mean;
        this.scale = scale;
        this.type = type;
        this.tiledMean = tiled(mean);
        this.tiledDeviation = deviation == null ? null : tiled(deviation);
        if (!type.isFloat()) {
            throw new IllegalArgumentException("the type must be f16, bf16, f32 or f64, got " + type);
        }
    }

    /// @param name  the name of a floating-point field with as many elements as the mean
    /// @param scale the finite factor
    /// @param type  the type of the resulting field: f32, f64, f16 or bf16
    /// @throws IllegalArgumentException when the scale is not finite or the type is not a floating-point type
    public static CentreScale of(String name, double[] mean, double scale, ElementType type) {
        if (!Double.isFinite(scale)) {
            throw new IllegalArgumentException("the scale must be finite, got " + scale);
        }
        return new CentreScale(name, mean.clone(), scale, null, type);
    }

    /// Normalises numbers of any type by their statistics.
    ///
    /// @param name      the name of a numeric field; the means and deviations match its last dimensions
    /// @param mean      one number for all elements, or as many as there are deviations
    /// @param deviation one number for all elements, or as many as there are means; finite and not 0
    /// @param type      the type of the resulting field: f32, f64, f16 or bf16
    /// @throws IllegalArgumentException when an argument is invalid
    public static CentreScale normalising(String name, double[] mean, double[] deviation, ElementType type) {
        int width = Math.max(mean.length, deviation.length);
        if (mean.length != width && mean.length != 1 || deviation.length != width && deviation.length != 1) {
            throw new IllegalArgumentException("the numbers of means and deviations differ: " + mean.length + " and "
                    + deviation.length + "; give one of each, or the same number");
        }
        for (double one : deviation) {
            if (one == 0 || !Double.isFinite(one)) {
                throw new IllegalArgumentException("deviations must be finite and not 0, got " + one
                        + "; replace those of constant elements by 1");
            }
        }
        return new CentreScale(name, widened(mean, width), 1, widened(deviation, width), type);
    }

    private static double[] tiled(double[] numbers) {
        double[] tiled = new double[numbers.length * Math.max(1, TILE_COUNT / Math.max(1, numbers.length))];
        for (int i = 0; i < tiled.length; i++) {
            tiled[i] = numbers[i % numbers.length];
        }
        return tiled;
    }

    private static double[] widened(double[] numbers, int width) {
        if (numbers.length == width) {
            return numbers.clone();
        }
        double[] all = new double[width];
        Arrays.fill(all, numbers[0]);
        return all;
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
            if (!fits(field, length)) {
                throw new IllegalArgumentException(misfit(field, length));
            }
            changed.add(new Field(name, type, type.size(), field.shape(), false));
        }
        if (!isThere) {
            throw new IllegalArgumentException("there is no field " + name + " to normalise; the fields are "
                    + String.join(", ", fields.stream().map(Field::name).toList()));
        }
        return changed;
    }

    private boolean fits(Field field, long length) {
        if (field.isVariable()) {
            return false;
        }
        return tiledDeviation == null
                ? field.type().isFloat() && length == mean.length
                : isNumber(field.type()) && mean.length > 0 && length % mean.length == 0;
    }

    private String misfit(Field field, long length) {
        String has = field.isVariable()
                ? "its records have different lengths"
                : "it has " + length + " elements of type " + field.type() + " in each record";
        String needs = tiledDeviation == null
                ? "as many floating-point numbers as the mean"
                : "numbers, as many as the mean or a multiple of them";
        return "field " + name + " does not fit a mean of " + mean.length + " numbers: " + has + ", and " + needs
                + " are needed";
    }

    private static boolean isNumber(ElementType type) {
        return type.isFloat() || type.isInteger() || type == ElementType.BOOL;
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
        ElementType fromType = from.field().type();
        long count = rowCount * (to.field().itemSize() / type.size());
        MemorySegment values = to.reserveValues(count * type.size());
        double[] row = new double[tiledMean.length];
        MemorySegment rowSegment = MemorySegment.ofArray(row);
        for (long done = 0; done < count; done += row.length) {
            int size = (int) Math.min(row.length, count - done);
            MemorySegment stored = from.memory().asSlice(done * fromType.size(), size * fromType.size());
            if (fromType.isFloat()) {
                FloatCast.cast(fromType, stored, ElementType.F64, rowSegment, size);
            } else {
                NumberCast.cast(fromType, stored, ElementType.F64, rowSegment, size, 1, 0);
            }
            if (tiledDeviation == null) {
                for (int i = 0; i < size; i++) {
                    row[i] = (row[i] - tiledMean[i]) * scale;
                }
            } else {
                for (int i = 0; i < size; i++) {
                    row[i] = (row[i] - tiledMean[i]) / tiledDeviation[i];
                }
            }
            FloatCast.cast(ElementType.F64, rowSegment, type, values.asSlice(done * type.size()), size);
        }
    }
}
