// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;

/// A change of a slot of a field, as an item of the journal. [StoreFormat] describes the layout.
///
/// @param crc     the checksum in the value's prefix, or 0 without stored bytes and in overlays
/// @param isMoved whether the slot has the same value as before, at another place
record StoreChange(int field, long slot, StoreEntry entry, int crc, boolean isMoved) {
    private static final long OP_OFFSET = Layouts.offset(StoreFormat.CHANGE, "op");
    private static final long ZERO_OFFSET = Layouts.offset(StoreFormat.CHANGE, "zero");
    private static final long FIELD_OFFSET = Layouts.offset(StoreFormat.CHANGE, "field");
    private static final long CRC_OFFSET = Layouts.offset(StoreFormat.CHANGE, "crc");
    private static final long SLOT_OFFSET = Layouts.offset(StoreFormat.CHANGE, "slot");
    private static final long ENTRY_OFFSET = Layouts.offset(StoreFormat.CHANGE, "entry");

    /// A value that was put in a slot.
    StoreChange(int field, long slot, StoreEntry entry, int crc) {
        this(field, slot, entry, crc, false);
    }

    /// A value of a slot that was moved to another place.
    static StoreChange moved(int field, long slot, StoreEntry entry, int crc) {
        return new StoreChange(field, slot, entry, crc, true);
    }

    /// Reads a change, or returns null when its kind is not known to this program.
    static StoreChange read(MemorySegment items, long at) {
        byte op = items.get(U8, at + OP_OFFSET);
        boolean isKnown = op == StoreFormat.PUT || op == StoreFormat.MOVED;
        if (!isKnown || items.get(U8, at + ZERO_OFFSET) != 0) {
            return null;
        }
        return new StoreChange(
                Layouts.u16(items, at + FIELD_OFFSET),
                items.get(U64, at + SLOT_OFFSET),
                StoreEntry.read(items, at + ENTRY_OFFSET),
                items.get(U32, at + CRC_OFFSET),
                op == StoreFormat.MOVED);
    }

    void write(MemorySegment items, long at) {
        items.set(U8, at + OP_OFFSET, (byte) (isMoved ? StoreFormat.MOVED : StoreFormat.PUT));
        items.set(U8, at + ZERO_OFFSET, (byte) 0);
        items.set(U16, at + FIELD_OFFSET, (short) field);
        items.set(U32, at + CRC_OFFSET, crc);
        items.set(U64, at + SLOT_OFFSET, slot);
        entry.write(items, at + ENTRY_OFFSET);
    }
}
