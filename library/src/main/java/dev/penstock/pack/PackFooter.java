// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Layouts;
import dev.penstock.file.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// The footer of a pack.
///
/// @param statsAt  the offset of the statistics block, or 0; not checked
/// @param reserved the last four bytes, which should be zero
record PackFooter(long dataEnd, int indexCrc, int dataCrc, long statsAt, int reserved) {
    private static final long DATA_END_OFFSET = Layouts.offset(PackFormat.FOOTER, "dataEnd");
    private static final long INDEX_CRC_OFFSET = Layouts.offset(PackFormat.FOOTER, "indexCrc");
    private static final long DATA_CRC_OFFSET = Layouts.offset(PackFormat.FOOTER, "dataCrc");
    private static final long STATS_OFFSET = Layouts.offset(PackFormat.FOOTER, "statsAt");
    private static final long CRC_OFFSET = Layouts.offset(PackFormat.FOOTER, "footerCrc");
    static final long RESERVED_OFFSET = Layouts.offset(PackFormat.FOOTER, "reserved");

    static PackFooter read(OpenFile file) throws IOException {
        long start = file.size() - PackFormat.FOOTER_SIZE;
        MemorySegment footer = MemorySegment.ofArray(new byte[(int) PackFormat.FOOTER_SIZE]);
        file.read(start, footer);
        if (Crc32c.of(footer.asSlice(0, CRC_OFFSET)) != footer.get(U32, CRC_OFFSET)) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    start + CRC_OFFSET,
                    Reason.CHECKSUM,
                    "checksum mismatch: footer; the file may be truncated or still being copied");
        }
        return new PackFooter(
                footer.get(U64, DATA_END_OFFSET),
                footer.get(U32, INDEX_CRC_OFFSET),
                footer.get(U32, DATA_CRC_OFFSET),
                footer.get(U64, STATS_OFFSET),
                footer.get(U32, RESERVED_OFFSET));
    }

    MemorySegment write() {
        MemorySegment footer = MemorySegment.ofArray(new byte[(int) PackFormat.FOOTER_SIZE]);
        footer.set(U64, DATA_END_OFFSET, dataEnd);
        footer.set(U32, INDEX_CRC_OFFSET, indexCrc);
        footer.set(U32, DATA_CRC_OFFSET, dataCrc);
        footer.set(U64, STATS_OFFSET, statsAt);
        footer.set(U32, CRC_OFFSET, Crc32c.of(footer.asSlice(0, CRC_OFFSET)));
        footer.set(U32, RESERVED_OFFSET, reserved);
        return footer;
    }
}
