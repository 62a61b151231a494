// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.file.Json;
import dev.penstock.file.Layouts;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/// Fills a column of a batch with values.
final class ColumnFill {
    /// The bytes of NaN in each type of floats.
    private static final int NAN_F16 = 0x7e00;

    private static final int NAN_BF16 = 0x7fc0;

    private final ColumnField field;
    private final Column column;

    private ColumnFill(ColumnField field, Column column) {
        this.field = field;
        this.column = column;
    }

    /// Fills a column.
    ///
    /// @throws BadValue when a value does not fit
    static void fill(ColumnField field, ColumnValues values, Column column) {
        ColumnFill fill = new ColumnFill(field, column);
        fill.mask(values);
        switch (field.form()) {
            case FIXED -> fill.fixed(values);
            case BYTES -> fill.bytes(values);
            case LIST -> fill.lists(values);
            case SHAPED -> fill.shaped(values);
            case JSON -> fill.json(values);
        }
    }

    /// A value that a field cannot have.
    static final class BadValue extends IllegalArgumentException {
        final long row;

        BadValue(long row, String message) {
            super(message);
            this.row = row;
        }
    }

    private void mask(ColumnValues values) {
        if (values.missing() == null) {
            return;
        }
        boolean isAny = false;
        for (int i = 0; i < values.count() && !isAny; i++) {
            isAny = values.isMissing(i);
        }
        if (isAny) {
            MemorySegment mask = column.reserveMissing(values.count());
            MemorySegment.copy(values.missing(), 0, mask, ValueLayout.JAVA_BYTE, 0, values.count());
        }
    }

    private void fixed(ColumnValues values) {
        ColumnValues leaf = values;
        long items = 1;
        for (ColumnType type = field.type(); type.kind() == ColumnType.Kind.FIXED_LIST; type = type.item()) {
            leaf = leaf.children().getFirst();
            items *= type.size();
        }
        long size = field.field().itemSize();
        MemorySegment target = column.reserveValues(values.count() * size).asSlice(0, values.count() * size);
        MemorySegment.copy(leaf.data(), 0, target, 0, target.byteSize());
        if (leaf != values) {
            fillGaps(values, leaf, items, target);
        }
        clearMissing(values, target, size);
    }

    private static void clearMissing(ColumnValues values, MemorySegment target, long size) {
        for (int i = 0; values.missing() != null && i < values.count(); i++) {
            if (values.missing()[i] != 0) {
                target.asSlice(i * size, size).fill((byte) 0);
            }
        }
    }

    /// Elements of an array that are missing become NaN.
    private void fillGaps(ColumnValues values, ColumnValues leaf, long items, MemorySegment target) {
        for (int i = 0; leaf.missing() != null && i < leaf.count(); i++) {
            int row = (int) (i / items);
            if (leaf.missing()[i] != 0 && !values.isMissing(row)) {
                setNan(target, i, row);
            }
        }
    }

    private void setNan(MemorySegment target, long element, long row) {
        Field of = field.field();
        switch (of.type()) {
            case F16 -> target.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, element, (short) NAN_F16);
            case BF16 -> target.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, element, (short) NAN_BF16);
            case F32 -> target.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, element, Float.NaN);
            case F64 -> target.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, element, Double.NaN);
            default ->
                throw new BadValue(
                        row,
                        "a list has an element without a value, and an array of " + of.type()
                                + " has one everywhere; fill it in first, or leave the field out");
        }
    }

    private void bytes(ColumnValues values) {
        MemorySegment offsets = column.reserveOffsets(values.count());
        offsets.set(Layouts.U64, 0, 0);
        long[] from = values.offsets();
        long start = from[0];
        if (!hasBytesUnderMissing(values)) {
            long size = from[values.count()] - start;
            MemorySegment.copy(values.data(), start, column.reserveValues(size), 0, size);
            for (int i = 1; i <= values.count(); i++) {
                offsets.setAtIndex(Layouts.U64, i, from[i] - start);
            }
            return;
        }
        long size = 0;
        for (int i = 0; i < values.count(); i++) {
            size += values.isMissing(i) ? 0 : from[i + 1] - from[i];
            offsets.setAtIndex(Layouts.U64, i + 1L, size);
        }
        MemorySegment target = column.reserveValues(size);
        long at = 0;
        for (int i = 0; i < values.count(); i++) {
            long length = values.isMissing(i) ? 0 : from[i + 1] - from[i];
            MemorySegment.copy(values.data(), from[i], target, at, length);
            at += length;
        }
    }

    private static boolean hasBytesUnderMissing(ColumnValues values) {
        for (int i = 0; values.missing() != null && i < values.count(); i++) {
            if (values.missing()[i] != 0 && values.offsets()[i + 1] != values.offsets()[i]) {
                return true;
            }
        }
        return false;
    }

    private void lists(ColumnValues values) {
        ColumnValues items = values.children().getFirst();
        long size = field.field().itemSize();
        MemorySegment offsets = column.reserveOffsets(values.count());
        long[] from = values.offsets();
        long count = 0;
        offsets.set(Layouts.U64, 0, 0);
        for (int i = 0; i < values.count(); i++) {
            count += values.isMissing(i) ? 0 : from[i + 1] - from[i];
            offsets.setAtIndex(Layouts.U64, i + 1L, count * size);
        }
        MemorySegment target = column.reserveValues(count * size);
        boolean isWhole = !hasBytesUnderMissing(values);
        if (isWhole) {
            MemorySegment.copy(items.data(), from[0] * size, target, 0, count * size);
        }
        long at = 0;
        boolean isDone = isWhole && items.missing() == null;
        for (int i = 0; i < values.count() && !isDone; i++) {
            long length = values.isMissing(i) ? 0 : from[i + 1] - from[i];
            if (!isWhole) {
                MemorySegment.copy(items.data(), from[i] * size, target, at * size, length * size);
            }
            for (long j = 0; items.missing() != null && j < length; j++) {
                if (items.missing()[(int) (from[i] + j)] != 0) {
                    setNan(target, at + j, i);
                }
            }
            at += length;
        }
    }

    /// Lists, or lists of lists, of one shape.
    private void shaped(ColumnValues values) {
        Field of = field.field();
        long[] starts = new long[values.count() + 1];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = i;
        }
        ColumnValues at = values;
        ColumnType type = field.type();
        while (type.kind() != ColumnType.Kind.FIXED) {
            for (int i = 0; i < starts.length; i++) {
                starts[i] =
                        type.kind() == ColumnType.Kind.LIST ? at.offsets()[(int) starts[i]] : starts[i] * type.size();
            }
            at = at.children().getFirst();
            type = type.item();
        }
        long expected = of.shape().stream().reduce(1L, (a, b) -> a * b);
        long size = of.elementSize();
        MemorySegment target = column.reserveValues(values.count() * expected * size);
        for (int i = 0; i < values.count(); i++) {
            if (values.isMissing(i)) {
                target.asSlice(i * expected * size, expected * size).fill((byte) 0);
                continue;
            }
            if (starts[i + 1] - starts[i] != expected) {
                throw new BadValue(
                        i,
                        "the value has " + (starts[i + 1] - starts[i]) + " elements, and its declared shape "
                                + of.shape() + " has " + expected);
            }
            MemorySegment.copy(at.data(), starts[i] * size, target, i * expected * size, expected * size);
            for (long j = 0; at.missing() != null && j < expected; j++) {
                if (at.missing()[(int) (starts[i] + j)] != 0) {
                    setNan(target, i * expected + j, i);
                }
            }
        }
    }

    private void json(ColumnValues values) {
        MemorySegment offsets = column.reserveOffsets(values.count());
        offsets.set(Layouts.U64, 0, 0);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < values.count(); i++) {
            if (!values.isMissing(i)) {
                Object json = NestedJson.of(field.type(), values, i);
                all.writeBytes(Json.text(json).getBytes(StandardCharsets.UTF_8));
            }
            offsets.setAtIndex(Layouts.U64, i + 1L, all.size());
        }
        byte[] bytes = all.toByteArray();
        MemorySegment.copy(bytes, 0, column.reserveValues(bytes.length), ValueLayout.JAVA_BYTE, 0, bytes.length);
    }
}
