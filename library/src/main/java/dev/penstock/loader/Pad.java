// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.memory.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// A variable field with all rows of a batch as long as the longest of them, and a mask that says what is real.
///
/// The field keeps its values and offsets, which are then even: its values are an array of as many rows as the
/// batch has. The mask is a field of its own behind it, named after it with `_mask`, with a truth value for each
/// item.
///
/// **Threads.** Any number.
public final class Pad implements Transform {
    private static final String MASK_SUFFIX = "_mask";

    private final String name;
    private final double fill;
    private final long multiple;
    private final long lengthMax;

    private Pad(String name, double fill, long multiple, long lengthMax) {
        if (multiple < 1 || lengthMax < 1) {
            throw new IllegalArgumentException("lengths are whole multiples of 1 or more, and at most 1 or more");
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

    /// Makes the length a multiple, so that there are fewer different ones.
    public Pad withMultiple(long multiple) {
        return new Pad(name, fill, multiple, lengthMax);
    }

    /// Cuts rows that are longer.
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
                    throw new IllegalArgumentException("field " + name + " has one length and needs no padding");
                }
                if (fields.stream().anyMatch(other -> other.name().equals(name + MASK_SUFFIX))) {
                    throw new IllegalArgumentException("there is a field " + name + MASK_SUFFIX + " already");
                }
                padded.add(Field.variable(name + MASK_SUFFIX, ElementType.BOOL));
                isFound = true;
            }
        }
        if (!isFound) {
            throw new IllegalArgumentException("no field " + name + " to pad; there are: "
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
        MemorySegment pattern = fill == 0 ? null : pattern(from.field());
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

    /// The element that is repeated to fill up.
    private MemorySegment pattern(Field field) {
        MemorySegment pattern =
                MemorySegment.ofArray(new byte[(int) field.type().size()]);
        if (field.type().isText()) {
            pattern.set(ValueLayout.JAVA_BYTE, 0, (byte) fill);
        } else {
            // Of a complex number the imaginary part stays 0.
            ElementType type = switch (field.type()) {
                case C64 -> ElementType.F32;
                case C128 -> ElementType.F64;
                default -> field.type();
            };
            NumberCast.cast(ElementType.F64, MemorySegment.ofArray(new double[] {fill}), type, pattern, 1, 1, 0);
        }
        return pattern;
    }

    private static void fill(MemorySegment target, MemorySegment pattern) {
        for (long offset = 0; offset < target.byteSize(); offset += pattern.byteSize()) {
            MemorySegment.copy(pattern, 0, target, offset, pattern.byteSize());
        }
    }
}
