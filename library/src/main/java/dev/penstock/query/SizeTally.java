// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;

/// Statistics of the sizes of text, bytes and variable fields.
final class SizeTally implements Tally {
    private final Field field;
    private final WholeTally sizes;
    private final long[] block = new long[Values.BLOCK];

    SizeTally(Field field) {
        this.field = field;
        this.sizes = new WholeTally(field, true);
    }

    @Override
    public void add(Column column, long rowCount) {
        long count = field.isVariable() ? rowCount : rowCount * Tally.elementCount(field);
        MemorySegment offsets = field.isVariable() ? column.offsets() : null;
        MemorySegment values = column.values();
        for (long start = 0; start < count; start += Values.BLOCK) {
            int blockCount = (int) Math.min(Values.BLOCK, count - start);
            for (int i = 0; i < blockCount; i++) {
                block[i] = offsets == null ? unpadded(values, start + i) : variable(offsets, start + i);
            }
            sizes.addBlock(block, blockCount);
        }
    }

    private static long variable(MemorySegment offsets, long row) {
        long at = row * Layouts.U64.byteSize();
        return offsets.get(Layouts.U64, at + Layouts.U64.byteSize()) - offsets.get(Layouts.U64, at);
    }

    private long unpadded(MemorySegment values, long elementIndex) {
        long size = field.elementSize();
        boolean isWide = field.type() == ElementType.UTF32 && size % ElementType.UTF32.size() == 0;
        int unitSize = isWide ? (int) ElementType.UTF32.size() : 1;
        return new TextValue(values, elementIndex * size, (elementIndex + 1) * size, unitSize, true).size();
    }

    @Override
    public void merge(Tally other) {
        sizes.merge(((SizeTally) other).sizes);
    }

    @Override
    public FieldStats result() {
        return sizes.result();
    }
}
