// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static dev.penstock.file.Layouts.U32;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Layouts;
import dev.penstock.file.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalLong;

/// Checks that the parts of a pack are consistent with each other.
final class PackChecks {
    /// From this count on the size of the index would not fit in 64 bits.
    private static final long COUNT_LIMIT = 1L << 59;

    /// The largest size of the statistics block. A larger value means that there is none.
    private static final long STATS_SIZE_MAX = 64L << 20;

    private PackChecks() {}

    /// Checks that the index and the footer fit in the file. This comes before any memory is allocated for the
    /// records.
    static void requireRoom(OpenFile file, long count) {
        if (Long.compareUnsigned(count, COUNT_LIMIT) >= 0) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    PackHeader.COUNT_OFFSET,
                    Reason.SIZE_OVERFLOW,
                    "malformed packfile: index size overflow, " + Long.toUnsignedString(count) + " records");
        }
        long room = file.size() - PackFormat.HEADER_SIZE - PackFormat.FOOTER_SIZE;
        if (room < 0 || count > room / PackFormat.ENTRY_SIZE) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    file.size(),
                    Reason.TRUNCATED,
                    "malformed packfile: missing footer, the index of " + count + " records does not fit in "
                            + file.size() + " bytes");
        }
    }

    /// Checks the index against the footer, and that all records lie between the index and the footer.
    static void requireConsistent(OpenFile file, long count, PackFooter footer, PackSummary summary) {
        long footerStart = file.size() - PackFormat.FOOTER_SIZE;
        if (summary.indexCrc() != footer.indexCrc()) {
            throw new DatasetException.Corrupt(
                    file.location(), PackFormat.HEADER_SIZE, Reason.CHECKSUM, "checksum mismatch: index");
        }
        boolean startsEarly = Long.compareUnsigned(summary.offsetMin(), PackFormat.indexEnd(count)) < 0;
        boolean endsLate = Long.compareUnsigned(summary.endMax(), footerStart) > 0;
        if (count > 0 && (startsEarly || endsLate)) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    PackFormat.HEADER_SIZE,
                    Reason.OUT_OF_RANGE,
                    "malformed packfile: data offsets out of range, a record lies outside bytes "
                            + PackFormat.indexEnd(count) + " to " + footerStart);
        }
        if (footer.dataEnd() != summary.endMax()) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    footerStart,
                    Reason.DATA_END_MISMATCH,
                    "malformed packfile: data_end mismatch, the records end at "
                            + Long.toUnsignedString(summary.endMax()) + ", the footer says "
                            + Long.toUnsignedString(footer.dataEnd()));
        }
    }

    /// The size of the statistics block after the data, if the footer points to a valid one.
    static OptionalLong statsSize(OpenFile file, PackFooter footer) throws IOException {
        long limit = file.size() - PackFormat.FOOTER_SIZE;
        long start = footer.statsAt();
        if (start <= 0 || start < footer.dataEnd() || start > limit - U32.byteSize()) {
            return OptionalLong.empty();
        }
        MemorySegment length = MemorySegment.ofArray(new byte[(int) U32.byteSize()]);
        file.read(start, length);
        long byteCount = Layouts.u32(length, 0);
        boolean fits = byteCount <= limit - start - U32.byteSize();
        return fits ? OptionalLong.of(byteCount) : OptionalLong.empty();
    }

    /// The statistics block, if there is one.
    static Optional<byte[]> statsBlock(OpenFile file, PackFooter footer) throws IOException {
        OptionalLong size = statsSize(file, footer);
        if (size.isEmpty() || size.getAsLong() > STATS_SIZE_MAX) {
            return Optional.empty();
        }
        byte[] block = new byte[(int) size.getAsLong()];
        file.read(footer.statsAt() + U32.byteSize(), MemorySegment.ofArray(block));
        return Optional.of(block);
    }
}
