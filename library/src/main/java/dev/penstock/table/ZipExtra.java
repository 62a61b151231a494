// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import java.lang.foreign.MemorySegment;

/// The 64-bit numbers in the extra fields of an entry or a local header. They must be read in the order in which
/// they are stored.
final class ZipExtra {
    private static final int HEAD_SIZE = 4;

    private final Location file;
    private final long offset;
    private final MemorySegment numbers;
    private long usedBytes;

    /// @param offset the offset of the structure in the file, for messages
    ZipExtra(Location file, long offset, MemorySegment extra) {
        this.file = file;
        this.offset = offset;
        this.numbers = find(extra);
    }

    /// Some programs pad with incomplete extra fields to align members, so the search ends silently there.
    private static MemorySegment find(MemorySegment extra) {
        long start = 0;
        while (start + HEAD_SIZE <= extra.byteSize()) {
            long size = Layouts.u16(extra, start + Short.BYTES);
            long end = start + HEAD_SIZE + size;
            if (end > extra.byteSize()) {
                break;
            }
            if (Layouts.u16(extra, start) == ZipFormat.EXTRA_64) {
                return extra.asSlice(start + HEAD_SIZE, size);
            }
            start = end;
        }
        return extra.asSlice(0, 0);
    }

    /// Returns a number of a structure, or the next 64-bit number when all its bits are set.
    long value(ZipStruct struct, MemorySegment bytes, long start, String field) {
        if (!struct.isElsewhere(bytes, start, field)) {
            return struct.get(bytes, start, field);
        }
        if (usedBytes + Long.BYTES > numbers.byteSize()) {
            throw new DatasetException.Corrupt(
                    file, offset, Reason.BAD_HEADER, "the 64-bit number for " + field + " is missing");
        }
        long value = numbers.get(Layouts.U64, usedBytes);
        usedBytes += Long.BYTES;
        if (value < 0) {
            throw new DatasetException.Corrupt(file, offset, Reason.SIZE_OVERFLOW, field + " does not fit in 63 bits");
        }
        return value;
    }
}
