// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.journal;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;

/// The header of a journal. [Journal] describes the layout.
///
/// @param uuid     the id of the dataset that the journal belongs to
/// @param number   the number in the name of the file
/// @param salt     a random number, new for every journal
/// @param sequence the sequence of the state that the changes are applied to
public record JournalHeader(UUID uuid, long number, long salt, long sequence) {
    private static final long UUID_OFFSET = Journal.headerOffset("uuid");
    private static final long NUMBER_OFFSET = Journal.headerOffset("number");
    private static final long SALT_OFFSET = Journal.headerOffset("salt");
    private static final long SEQUENCE_OFFSET = Journal.headerOffset("sequence");
    private static final long ZERO_OFFSET = Journal.headerOffset("zero");
    private static final long CRC_OFFSET = Journal.headerOffset("crc");

    /// Reads a header.
    ///
    /// @throws DatasetException when the header is missing or damaged
    static JournalHeader read(Journal journal, Location file, MemorySegment bytes) {
        if (bytes.byteSize() < Journal.HEADER_SIZE) {
            throw new DatasetException.Corrupt(
                    file, bytes.byteSize(), Reason.TRUNCATED, "the file ends within the header of the journal");
        }
        byte[] magic = bytes.asSlice(0, journal.magicBytes().length).toArray(Layouts.U8);
        if (!Arrays.equals(magic, journal.magicBytes())) {
            throw new DatasetException.WrongFormat(
                    file, "this is not a journal: it does not begin with " + journal.magic());
        }
        if (bytes.get(U32, CRC_OFFSET) != Crc32c.of(bytes.asSlice(0, CRC_OFFSET))) {
            throw new DatasetException.Corrupt(
                    file, CRC_OFFSET, Reason.CHECKSUM, "the header of the journal is damaged");
        }
        for (long at = ZERO_OFFSET; at < CRC_OFFSET; at++) {
            if (bytes.get(Layouts.U8, at) != 0) {
                throw new DatasetException.Corrupt(
                        file, at, Reason.NONZERO_PADDING, "reserved bytes of the journal's header are not zero");
            }
        }
        ByteBuffer uuid = ByteBuffer.wrap(bytes.asSlice(UUID_OFFSET, 16).toArray(Layouts.U8));
        return new JournalHeader(
                new UUID(uuid.getLong(), uuid.getLong()),
                bytes.get(U64, NUMBER_OFFSET),
                bytes.get(U64, SALT_OFFSET),
                bytes.get(U64, SEQUENCE_OFFSET));
    }

    byte[] write(Journal journal) {
        byte[] bytes = new byte[(int) Journal.HEADER_SIZE];
        MemorySegment header = MemorySegment.ofArray(bytes);
        header.copyFrom(MemorySegment.ofArray(journal.magicBytes()));
        ByteBuffer.wrap(bytes)
                .putLong((int) UUID_OFFSET, uuid.getMostSignificantBits())
                .putLong((int) UUID_OFFSET + Long.BYTES, uuid.getLeastSignificantBits());
        header.set(U64, NUMBER_OFFSET, number);
        header.set(U64, SALT_OFFSET, salt);
        header.set(U64, SEQUENCE_OFFSET, sequence);
        header.set(U32, CRC_OFFSET, Crc32c.of(header.asSlice(0, CRC_OFFSET)));
        return bytes;
    }
}
