// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Finds where a run or line data was written, by the hash of its content. The content itself is in the file and
/// is compared there.
///
/// **Ownership.** The table is off-heap with 12 bytes for each slot, and is freed by [#close].
final class ContentIndex implements AutoCloseable {
    static final long ABSENT = 0;

    private static final long PLACES_START = 1 << 14;

    /// Up to this size the table grows fourfold, because freeing the old one stops all threads for a moment.
    private static final long PLACES_FAST = 1 << 18;

    /// An offset and a part of the hash, side by side, so that checking a slot is one memory access.
    private static final int PLACE_SIZE = Long.BYTES + Integer.BYTES;

    /// Whether the bytes at an offset are the wanted content.
    @FunctionalInterface
    interface ContentMatch {
        boolean isSame(long offset) throws IOException;
    }

    private final long limit;
    private Arena arena;
    private MemorySegment places;
    private long mask;
    private long count;

    /// @param limit the largest number of entries; a further one empties the table first
    ContentIndex(long limit) {
        this.limit = limit;
        allocate(PLACES_START);
    }

    private void allocate(long placeCount) {
        arena = Arena.ofShared();
        // Filled with zeros, which mark empty slots.
        places = arena.allocate(placeCount * PLACE_SIZE, Long.BYTES);
        mask = placeCount - 1;
    }

    /// The offset of an entry with this hash that passes the check, or [#ABSENT].
    long find(long hash, ContentMatch match) throws IOException {
        int stored = (int) hash;
        for (long place = place(stored); ; place = (place + 1) & mask) {
            long offset = places.get(U64, place * PLACE_SIZE);
            if (offset == ABSENT) {
                return ABSENT;
            }
            if (places.get(U32, place * PLACE_SIZE + Long.BYTES) == stored && match.isSame(offset)) {
                return offset;
            }
        }
    }

    /// Adds an entry that [#find] did not find.
    void add(long hash, long offset) {
        if (limit == 0) {
            return;
        }
        if (count >= limit) {
            places.fill((byte) 0);
            count = 0;
        }
        if (count >= (mask + 1) / 4 * 3) {
            grow();
        }
        put((int) hash, offset);
        count++;
    }

    private void put(int hash, long offset) {
        long place = place(hash);
        while (places.get(U64, place * PLACE_SIZE) != ABSENT) {
            place = (place + 1) & mask;
        }
        places.set(U64, place * PLACE_SIZE, offset);
        places.set(U32, place * PLACE_SIZE + Long.BYTES, hash);
    }

    private long place(int hash) {
        return Integer.toUnsignedLong(hash) & mask;
    }

    private void grow() {
        Arena oldArena = arena;
        MemorySegment oldPlaces = places;
        long oldCount = mask + 1;
        allocate(oldCount < PLACES_FAST ? 4 * oldCount : 2 * oldCount);
        for (long place = 0; place < oldCount; place++) {
            long offset = oldPlaces.get(U64, place * PLACE_SIZE);
            if (offset != ABSENT) {
                put(oldPlaces.get(U32, place * PLACE_SIZE + Long.BYTES), offset);
            }
        }
        oldArena.close();
    }

    @Override
    public void close() {
        arena.close();
    }
}
