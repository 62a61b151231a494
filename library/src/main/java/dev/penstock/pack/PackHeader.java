// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// The header of a pack.
///
/// @param count the number of entries that follow, unsigned and not checked yet
record PackHeader(boolean hasNames, long count) {
    private static final long VERSION_OFFSET = Layouts.offset(PackFormat.HEADER, "version");
    private static final long FLAGS_OFFSET = Layouts.offset(PackFormat.HEADER, "flags");
    static final long COUNT_OFFSET = Layouts.offset(PackFormat.HEADER, "count");
    private static final long CRC_OFFSET = Layouts.offset(PackFormat.HEADER, "headerCrc");

    static PackHeader read(OpenFile file) throws IOException {
        Location location = file.location();
        if (file.size() < PackFormat.HEADER_SIZE) {
            throw new DatasetException.Corrupt(
                    location,
                    file.size(),
                    Reason.TRUNCATED,
                    "malformed packfile: file too small, " + file.size() + " bytes where a header takes "
                            + PackFormat.HEADER_SIZE);
        }
        MemorySegment header = MemorySegment.ofArray(new byte[(int) PackFormat.HEADER_SIZE]);
        file.read(0, header);
        if (header.asSlice(0, VERSION_OFFSET).mismatch(MemorySegment.ofArray(PackFormat.MAGIC)) != -1) {
            throw new DatasetException.WrongFormat(location, "malformed packfile: bad magic, this is not a pack");
        }
        long version = Layouts.u32(header, VERSION_OFFSET);
        if (version != PackFormat.VERSION) {
            throw new DatasetException.UnsupportedVersion(
                    location,
                    VERSION_OFFSET,
                    Reason.UNSUPPORTED_VERSION,
                    "malformed packfile: unsupported version " + version + ", this program reads version 1");
        }
        if (Crc32c.of(header.asSlice(0, CRC_OFFSET)) != header.get(U32, CRC_OFFSET)) {
            throw new DatasetException.Corrupt(location, CRC_OFFSET, Reason.CHECKSUM, "checksum mismatch: header");
        }
        return new PackHeader(readFlags(location, header), header.get(U64, COUNT_OFFSET));
    }

    private static boolean readFlags(Location location, MemorySegment header) {
        int flags = header.get(U32, FLAGS_OFFSET);
        if ((flags & ~PackFormat.HEADER_FLAG_NAMES) != 0) {
            throw new DatasetException.UnsupportedVersion(
                    location,
                    FLAGS_OFFSET,
                    Reason.UNKNOWN_FLAGS,
                    "unknown header flags 0x" + Integer.toHexString(flags)
                            + ": a newer version wrote this pack, update to read it");
        }
        return flags != 0;
    }

    MemorySegment write() {
        MemorySegment header = MemorySegment.ofArray(new byte[(int) PackFormat.HEADER_SIZE]);
        header.copyFrom(MemorySegment.ofArray(PackFormat.MAGIC));
        header.set(U32, VERSION_OFFSET, PackFormat.VERSION);
        header.set(U32, FLAGS_OFFSET, hasNames ? PackFormat.HEADER_FLAG_NAMES : 0);
        header.set(U64, COUNT_OFFSET, count);
        header.set(U32, CRC_OFFSET, Crc32c.of(header.asSlice(0, CRC_OFFSET)));
        return header;
    }
}
