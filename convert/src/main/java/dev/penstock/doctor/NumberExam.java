// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Counts records with floating-point values that are NaN or infinite.
final class NumberExam implements ColumnExam {
    private final Field field;
    private final Affected nan;
    private final Affected infinite;

    NumberExam(Field field, Findings findings) {
        this.field = field;
        this.nan = findings.affected(Check.NAN, field.name());
        this.infinite = findings.affected(Check.INFINITY, field.name());
    }

    static boolean fits(Field field) {
        return field.type().isFloat() || field.type().isComplex();
    }

    @Override
    public void add(Column column, long rowCount, RecordIds ids) {
        MemorySegment values = column.values();
        long itemSize = field.itemSize();
        long start = 0;
        for (long row = 0; row < rowCount; row++) {
            long end =
                    field.isVariable() ? column.offsets().getAtIndex(ValueLayout.JAVA_LONG, row + 1) : start + itemSize;
            int found = column.isMissing(row) ? 0 : kinds(values, start, end);
            if ((found & 1) != 0) {
                nan.add(ids.of(row));
            }
            if ((found & 2) != 0) {
                infinite.add(ids.of(row));
            }
            start = end;
        }
    }

    /// The bit 1 for a NaN among the values, and the bit 2 for an infinite one.
    private int kinds(MemorySegment values, long start, long end) {
        int found = 0;
        int size = elementSize(field.type());
        for (long offset = start; offset < end; offset += size) {
            found |= kind(values, offset);
        }
        return found;
    }

    private static int elementSize(ElementType type) {
        return (int) (type.isComplex() ? type.size() / 2 : type.size());
    }

    private int kind(MemorySegment values, long offset) {
        return switch (field.type()) {
            case F16 -> kind(values.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset) & 0x7FFF, 0x7C00);
            case BF16 -> kind(values.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset) & 0x7FFF, 0x7F80);
            case F32, C64 -> kind(values.get(ValueLayout.JAVA_INT_UNALIGNED, offset) & 0x7FFF_FFFF, 0x7F80_0000);
            default ->
                kind(values.get(ValueLayout.JAVA_LONG_UNALIGNED, offset) & Long.MAX_VALUE, 0x7FF0_0000_0000_0000L);
        };
    }

    /// @param bits     the bits without the sign
    /// @param infinity the bits of infinity, above which NaN begins
    private static int kind(long bits, long infinity) {
        return bits < infinity ? 0 : bits > infinity ? 1 : 2;
    }

    @Override
    public void report(Findings findings) {
        findings.fact(field.name(), "nan", nan.count());
        findings.fact(field.name(), "infinite", infinite.count());
        findings.add(nan, "one such value makes the loss NaN, and every weight after it");
        findings.add(infinite, "sums and means of the field are infinite; check for overflow or a division by zero");
    }
}
