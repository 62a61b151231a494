// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// A transform that pads a variable field, so that all rows of a batch are as long as the longest, and adds a mask
/// of the real items.
///
/// The field keeps its values and offsets, which are then evenly spaced: its values are an array with the rows of
/// the batch. The mask is an additional field after it, with the suffix `_mask` and a boolean for each item.
///
/// **Threads.** Safe for any number of threads.
public final class Pad implements Transform {
    private static final String MASK_SUFFIX = "_mask";

    private final String name;
    private final double fill;
    private final long multiple;
    private final long lengthMax;

    private Pad(String name, double fill, long multiple, long lengthMax) {
        if (multiple < 1 || lengthMax < 1) {
            throw new IllegalArgumentException(
                    "the multiple and the longest length must be at least 1, got " + multiple + " and " + lengthMax);
        }
        this.name = name;
        this.fill = fill;
        this.multiple = multiple;
        this.lengthMax = lengthMax;
    }

    /// Pads a field with zeros.
    public static Pad of(String name) {
        return new Pad(name, 0, 1, Long.MAX_VALUE);
    }

    /// Pads with another number.
    public Pad withFill(double fill) {
        return new Pad(name, fill, multiple, lengthMax);
    }

    /// Rounds the length up to a multiple, so that there are fewer different lengths.
    public Pad withMultiple(long multiple) {
        return new Pad(name, fill, multiple, lengthMax);
    }

    /// Truncates longer rows.
    public Pad withLengthMax(long lengthMax) {
        return new Pad(name, fill, multiple, lengthMax);
    }

    @Override
    public List<Field> fields(List<Field> fields) {
        List<Field> padded = new ArrayList<>();
        boolean isFound = false;
        for (Field field : fields) {
            padded.add(field);
            if (field.name().equals(name)) {
                if (!field.isVariable()) {
                    throw new IllegalArgumentException("field " + name + " is fixed and needs no padding");
                }
                if (fields.stream().anyMatch(other -> other.name().equals(name + MASK_SUFFIX))) {
                    throw new IllegalArgumentException("the field " + name + MASK_SUFFIX + " already exists");
                }
                requireFill(name, field.type(), fill);
                padded.add(Field.variable(name + MASK_SUFFIX, ElementType.BOOL));
                isFound = true;
            }
        }
        if (!isFound) {
            throw new IllegalArgumentException("there is no field " + name + " to pad; the fields are "
                    + String.join(", ", fields.stream().map(Field::name).toList()));
        }
        return padded;
    }

    @Override
    public void apply(Batch source, Batch target) {
        int to = 0;
        for (Column column : source.columns()) {
            if (column.field().name().equals(name)) {
                pad(column, target.column(to), target.column(to + 1), source.rowCount());
                to += 2;
            } else {
                target.column(to++).exchange(column);
            }
        }
    }

    private void pad(Column from, Column to, Column mask, long rowCount) {
        to.copyMissing(from, rowCount);
        long itemSize = from.field().itemSize();
        MemorySegment offsets = from.offsets();
        long longest = Math.ceilDiv(Offsets.longest(offsets, rowCount) / itemSize, multiple) * multiple;
        long length = Math.min(longest, lengthMax);
        long rowSize = Math.multiplyExact(length, itemSize);
        MemorySegment values = from.values();
        MemorySegment pattern = fill == 0 ? null : pattern(from.field(), fill);
        MemorySegment padded = to.reserveValues(Math.multiplyExact(rowCount, rowSize));
        MemorySegment isReal = mask.reserveValues(Math.multiplyExact(rowCount, length));
        for (long row = 0; row < rowCount; row++) {
            long start = offsets.getAtIndex(U64, row);
            long size = Math.min(rowSize, offsets.getAtIndex(U64, row + 1) - start);
            MemorySegment.copy(values, start, padded, row * rowSize, size);
            MemorySegment behind = padded.asSlice(row * rowSize + size, rowSize - size);
            if (pattern == null) {
                behind.fill((byte) 0);
            } else {
                fill(behind, pattern);
            }
            long real = size / itemSize;
            isReal.asSlice(row * length, real).fill((byte) 1);
            isReal.asSlice(row * length + real, length - real).fill((byte) 0);
        }
        Offsets.even(to.reserveOffsets(rowCount), rowCount, rowSize);
        Offsets.even(mask.reserveOffsets(rowCount), rowCount, length);
    }

    /// Refuses a padding value that the type of the field cannot hold. It would become another value, which may be
    /// a valid one. Floating-point numbers may be rounded.
    static void requireFill(String name, ElementType type, double fill) {
        if (type.isFloat() || type == ElementType.C64 || type == ElementType.C128) {
            return;
        }
        double[] back = new double[1];
        if (type.isText()) {
            back[0] = (byte) fill & 0xFF;
        } else {
            MemorySegment number = MemorySegment.ofArray(new byte[(int) type.size()]);
            NumberCast.cast(ElementType.F64, MemorySegment.ofArray(new double[] {fill}), type, number, 1, 1, 0);
            NumberCast.cast(type, number, ElementType.F64, MemorySegment.ofArray(back), 1, 1, 0);
        }
        if (back[0] != fill) {
            throw new IllegalArgumentException("field " + name + " is padded with " + fill + ", which its type " + type
                    + " cannot hold; choose another fill value");
        }
    }

    /// The element that is repeated as padding.
    static MemorySegment pattern(Field field, double fill) {
        MemorySegment pattern =
                MemorySegment.ofArray(new byte[(int) field.type().size()]);
        if (field.type().isText()) {
            pattern.set(ValueLayout.JAVA_BYTE, 0, (byte) fill);
        } else {
            // The imaginary part of a complex number stays 0.
            ElementType type = switch (field.type()) {
                case C64 -> ElementType.F32;
                case C128 -> ElementType.F64;
                default -> field.type();
            };
            NumberCast.cast(ElementType.F64, MemorySegment.ofArray(new double[] {fill}), type, pattern, 1, 1, 0);
        }
        return pattern;
    }

    static void fill(MemorySegment target, MemorySegment pattern) {
        for (long offset = 0; offset < target.byteSize(); offset += pattern.byteSize()) {
            MemorySegment.copy(pattern, 0, target, offset, pattern.byteSize());
        }
    }
}
