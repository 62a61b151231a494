// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.journal;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.file.Crc32c;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;

/// The head of a journal frame, without its items. [Journal] describes the layout.
///
/// @param kind     [Journal#COMMIT], [Journal#OVERLAY] or [Journal#SYNC]
/// @param flags    [Journal#SYNCED] and [Journal#MORE]
/// @param fields   16 bits that the owner of the journal defines
/// @param durable  the highest sequence that was known to be durable when the frame was written
/// @param length   a number that the owner of the journal defines
/// @param count    the number of items that follow
public record JournalFrame(int kind, int flags, int fields, long sequence, long durable, long length, int count) {
    static final long MAGIC_OFFSET = Journal.frameOffset("magic");
    static final long KIND_OFFSET = Journal.frameOffset("kind");
    static final long FLAGS_OFFSET = Journal.frameOffset("flags");
    static final long FIELDS_OFFSET = Journal.frameOffset("fields");
    static final long SALT_OFFSET = Journal.frameOffset("salt");
    static final long SEQUENCE_OFFSET = Journal.frameOffset("sequence");
    static final long DURABLE_OFFSET = Journal.frameOffset("durable");
    static final long LENGTH_OFFSET = Journal.frameOffset("length");
    static final long COUNT_OFFSET = Journal.frameOffset("count");
    static final long CRC_OFFSET = Journal.frameOffset("crc");

    /// Whether the data that this frame and earlier ones refer to was durable before the frame was written.
    public boolean isSynced() {
        return (flags & Journal.SYNCED) != 0;
    }

    /// Whether the commit continues in the next frame.
    public boolean hasMore() {
        return (flags & Journal.MORE) != 0;
    }

    static JournalFrame read(MemorySegment head) {
        return new JournalFrame(
                Byte.toUnsignedInt(head.get(U8, KIND_OFFSET)),
                Byte.toUnsignedInt(head.get(U8, FLAGS_OFFSET)),
                Layouts.u16(head, FIELDS_OFFSET),
                head.get(U64, SEQUENCE_OFFSET),
                head.get(U64, DURABLE_OFFSET),
                head.get(U64, LENGTH_OFFSET),
                head.get(U32, COUNT_OFFSET));
    }

    /// Writes the head in front of items that are already in place, with the checksum of both.
    void write(MemorySegment frame, int magic, long salt) {
        frame.set(U32, MAGIC_OFFSET, magic);
        frame.set(U8, KIND_OFFSET, (byte) kind);
        frame.set(U8, FLAGS_OFFSET, (byte) flags);
        frame.set(U16, FIELDS_OFFSET, (short) fields);
        frame.set(U64, SALT_OFFSET, salt);
        frame.set(U64, SEQUENCE_OFFSET, sequence);
        frame.set(U64, DURABLE_OFFSET, durable);
        frame.set(U64, LENGTH_OFFSET, length);
        frame.set(U32, COUNT_OFFSET, count);
        Crc32c crc = new Crc32c();
        crc.update(frame.asSlice(0, CRC_OFFSET));
        crc.update(frame.asSlice(Journal.FRAME_HEAD_SIZE));
        frame.set(U32, CRC_OFFSET, crc.value());
    }
}
