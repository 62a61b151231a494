// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static dev.penstock.memory.Layouts.U16;
import static dev.penstock.memory.Layouts.U32;
import static dev.penstock.memory.Layouts.U64;
import static dev.penstock.memory.Layouts.U8;

import dev.penstock.memory.Layouts;
import java.lang.foreign.MemorySegment;

/// What a slot of a field holds from now on, as an item of the journal; [StoreFormat] has the layout.
///
/// @param crc that of the value's prefix, or 0 without stored bytes and in overlays
record StoreChange(int field, long slot, StoreEntry entry, int crc) {
    private static final long OP_OFFSET = Layouts.offset(StoreFormat.CHANGE, "op");
    private static final long ZERO_OFFSET = Layouts.offset(StoreFormat.CHANGE, "zero");
    private static final long FIELD_OFFSET = Layouts.offset(StoreFormat.CHANGE, "field");
    private static final long CRC_OFFSET = Layouts.offset(StoreFormat.CHANGE, "crc");
    private static final long SLOT_OFFSET = Layouts.offset(StoreFormat.CHANGE, "slot");
    private static final long ENTRY_OFFSET = Layouts.offset(StoreFormat.CHANGE, "entry");

    /// Reads a change, or returns null when it is none that this program knows.
    static StoreChange read(MemorySegment items, long at) {
        if (items.get(U8, at + OP_OFFSET) != StoreFormat.PUT || items.get(U8, at + ZERO_OFFSET) != 0) {
            return null;
        }
        return new StoreChange(
                Layouts.u16(items, at + FIELD_OFFSET),
                items.get(U64, at + SLOT_OFFSET),
                StoreEntry.read(items, at + ENTRY_OFFSET),
                items.get(U32, at + CRC_OFFSET));
    }

    /// The field of a change, or -1 when it is none that this program knows.
    static int fieldOf(MemorySegment items, long at) {
        boolean isPut = items.get(U16, at + OP_OFFSET) == StoreFormat.PUT;
        return isPut ? Layouts.u16(items, at + FIELD_OFFSET) : -1;
    }

    static long slotOf(MemorySegment items, long at) {
        return items.get(U64, at + SLOT_OFFSET);
    }

    /// The chunk and the size of the entry, as [StoreEntry#of] takes them.
    static long chunkAndSizeOf(MemorySegment items, long at) {
        return StoreEntry.chunkAndSizeOf(items, at + ENTRY_OFFSET);
    }

    /// The offset of the entry.
    static long offsetOf(MemorySegment items, long at) {
        return StoreEntry.offsetOf(items, at + ENTRY_OFFSET);
    }

    void write(MemorySegment items, long at) {
        items.set(U8, at + OP_OFFSET, (byte) StoreFormat.PUT);
        items.set(U8, at + ZERO_OFFSET, (byte) 0);
        items.set(U16, at + FIELD_OFFSET, (short) field);
        items.set(U32, at + CRC_OFFSET, crc);
        items.set(U64, at + SLOT_OFFSET, slot);
        entry.write(items, at + ENTRY_OFFSET);
    }
}
