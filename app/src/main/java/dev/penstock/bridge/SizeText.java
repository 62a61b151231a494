// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Writes the sizes of records as a format of Python's module `struct`, such as `12s7s` for records of 12 and 7
/// bytes. With it a single Python call creates a `bytes` object for each record.
final class SizeText {
    private SizeText() {}

    /// Writes the text.
    ///
    /// @param offsets the start of each record, followed by the end of the last one
    /// @param target  memory for the digits of the largest size and a letter, for each record
    /// @return the length of the text
    static long write(MemorySegment offsets, long count, MemorySegment target) {
        long length = 0;
        long start = offsets.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        for (long row = 1; row <= count; row++) {
            long end = offsets.get(ValueLayout.JAVA_LONG_UNALIGNED, row * Long.BYTES);
            long size = end - start;
            start = end;
            int digitCount = digitCount(size);
            for (int digit = digitCount - 1; digit >= 0; digit--) {
                target.set(ValueLayout.JAVA_BYTE, length + digit, (byte) ('0' + size % 10));
                size /= 10;
            }
            target.set(ValueLayout.JAVA_BYTE, length + digitCount, (byte) 's');
            length += digitCount + 1;
        }
        return length;
    }

    private static int digitCount(long size) {
        int count = 1;
        for (long limit = 10; limit <= size && count < 18; limit *= 10) {
            count++;
        }
        return count;
    }
}
