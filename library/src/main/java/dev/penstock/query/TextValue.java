// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.file.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.function.LongPredicate;

/// Text or bytes in memory, with an ordering.
///
/// The order is that of code points. For UTF-32 this is the order of its units, for UTF-8 the order of its
/// unsigned bytes.
///
/// @param isPadded whether trailing zeros are padding
record TextValue(MemorySegment memory, long start, long limit, int unitSize, boolean isPadded) {
    private static final Charset UTF_32 = Charset.forName("UTF-32LE");

    /// Encodes a text as the field would store it. It is kept off-heap, like the columns, because loops over two
    /// kinds of memory are slower.
    static TextValue of(Place place, String text) {
        Charset charset = place.unitSize() == 1 ? StandardCharsets.UTF_8 : UTF_32;
        byte[] bytes = text.getBytes(charset);
        MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, bytes.length));
        MemorySegment.copy(bytes, 0, memory, Layouts.U8, 0, bytes.length);
        boolean isPadded = !place.field().isVariable();
        return new TextValue(memory, 0, bytes.length, place.unitSize(), isPadded);
    }

    static TextValue of(Place.Cells cells, long row) {
        Place place = cells.place();
        boolean isPadded = !place.field().isVariable();
        return new TextValue(cells.values(), cells.start(row), cells.limit(row), place.unitSize(), isPadded);
    }

    static int order(Place.Cells cells, long row, TextValue text) {
        return order(of(cells, row), text);
    }

    static int order(Place.Cells left, Place.Cells right, long row) {
        return order(of(left, row), of(right, row));
    }

    /// The first difference decides, also in the padding: a zero there is less than any other unit.
    static int order(TextValue left, TextValue right) {
        long common = Math.min(left.limit - left.start, right.limit - right.start);
        for (long i = 0; i < common; i += left.unitSize) {
            int order = Integer.compareUnsigned(left.unit(left.start + i), right.unit(right.start + i));
            if (order != 0) {
                return order;
            }
        }
        return Long.compare(left.size(), right.size());
    }

    /// The size in bytes, without padding.
    long size() {
        long end = limit;
        while (isPadded && end > start && unit(end - unitSize) == 0) {
            end -= unitSize;
        }
        return end - start;
    }

    /// Whether a text of the same unit stands at an offset from the start.
    boolean hasAt(long offset, TextValue text) {
        long size = text.size();
        if (offset < 0 || offset + size > size()) {
            return false;
        }
        long at = start + offset;
        return MemorySegment.mismatch(memory, at, at + size, text.memory, text.start, text.start + size) < 0;
    }

    boolean contains(TextValue text) {
        long size = text.size();
        if (size == 0) {
            return true;
        }
        int first = text.unit(text.start);
        long last = size() - size;
        for (long offset = 0; offset <= last; offset += unitSize) {
            if (unit(start + offset) == first && hasAt(offset, text)) {
                return true;
            }
        }
        return false;
    }

    private int unit(long offset) {
        return unitSize == 1 ? memory.get(Layouts.U8, offset) & 0xff : memory.get(Layouts.U32, offset);
    }

    /// Fills a mask by testing single rows.
    static void eachWord(long rowCount, Mask mask, LongPredicate test) {
        for (long start = 0; start < rowCount; start += Mask.WORD_BITS) {
            long word = 0;
            for (long row = start; row < Math.min(start + Mask.WORD_BITS, rowCount); row++) {
                word |= (test.test(row) ? 1L : 0L) << row;
            }
            mask.setWord(start, word);
        }
    }
}
