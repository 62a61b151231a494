// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.file.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.HashMap;
import java.util.Map;

/// The numeric fields of a structure of [ZipFormat] by name. The names are resolved once, because an archive may
/// have a million structures.
final class ZipStruct {
    static final ZipStruct END = new ZipStruct(ZipFormat.END);
    static final ZipStruct LOCATOR = new ZipStruct(ZipFormat.LOCATOR);
    static final ZipStruct END_64 = new ZipStruct(ZipFormat.END_64);
    static final ZipStruct ENTRY = new ZipStruct(ZipFormat.ENTRY);
    static final ZipStruct LOCAL = new ZipStruct(ZipFormat.LOCAL);

    private record Place(long offset, long size) {}

    private final Map<String, Place> places = new HashMap<>();
    private final int size;

    private ZipStruct(StructLayout layout) {
        this.size = (int) layout.byteSize();
        for (MemoryLayout member : layout.memberLayouts()) {
            String name = member.name().orElseThrow();
            places.put(name, new Place(Layouts.offset(layout, name), member.byteSize()));
        }
    }

    /// The size of the structure in bytes.
    int size() {
        return size;
    }

    /// Reads a number of the structure that begins at `start`. A 64-bit number may become negative.
    long get(MemorySegment bytes, long start, String field) {
        Place place = places.get(field);
        long offset = start + place.offset;
        return switch ((int) place.size) {
            case Short.BYTES -> Layouts.u16(bytes, offset);
            case Integer.BYTES -> Layouts.u32(bytes, offset);
            case Long.BYTES -> bytes.get(Layouts.U64, offset);
            default -> throw new IllegalArgumentException(field + " is not a number");
        };
    }

    /// Whether all bits of a number are set, so that its value is in a 64-bit number elsewhere.
    boolean isElsewhere(MemorySegment bytes, long start, String field) {
        return get(bytes, start, field) == (places.get(field).size == Short.BYTES ? 0xFFFFL : 0xFFFF_FFFFL);
    }
}
