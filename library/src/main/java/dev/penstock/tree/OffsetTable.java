// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.memory.Layouts.U32;
import static dev.penstock.memory.Layouts.U64;

import dev.penstock.Buffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Finds where something of a certain content was written, by its hash. The content itself is in the file, and is
/// compared there.
///
/// **Ownership.** The table is outside the heap, 12 bytes a place, and is freed by [#close].
final class OffsetTable implements AutoCloseable {
    static final long ABSENT = 0;

    private static final long PLACES_START = 1 << 10;

    /// Whether what is written at an offset is what is looked for.
    @FunctionalInterface
    interface Check {
        boolean isSame(long offset) throws IOException;
    }

    private final long limit;
    private Buffer offsetBuffer;
    private Buffer hashBuffer;
    private MemorySegment offsets;
    private MemorySegment hashes;
    private long mask;
    private long count;

    /// @param limit how many entries it may have; a new one beyond that empties the table first
    OffsetTable(long limit) {
        this.limit = limit;
        allocate(PLACES_START);
    }

    private void allocate(long places) {
        offsetBuffer = new Buffer();
        hashBuffer = new Buffer();
        offsets = offsetBuffer.reserve(places * Long.BYTES).asSlice(0, places * Long.BYTES);
        hashes = hashBuffer.reserve(places * Integer.BYTES).asSlice(0, places * Integer.BYTES);
        offsets.fill((byte) 0);
        mask = places - 1;
    }

    /// The offset of an entry with this hash that passes the check, or [#ABSENT].
    long find(long hash, Check check) throws IOException {
        int stored = (int) hash;
        for (long place = place(stored); ; place = (place + 1) & mask) {
            long offset = offsets.get(U64, place * Long.BYTES);
            if (offset == ABSENT) {
                return ABSENT;
            }
            if (hashes.get(U32, place * Integer.BYTES) == stored && check.isSame(offset)) {
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
            offsets.fill((byte) 0);
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
        while (offsets.get(U64, place * Long.BYTES) != ABSENT) {
            place = (place + 1) & mask;
        }
        offsets.set(U64, place * Long.BYTES, offset);
        hashes.set(U32, place * Integer.BYTES, hash);
    }

    private long place(int hash) {
        return Integer.toUnsignedLong(hash) & mask;
    }

    private void grow() {
        Buffer oldOffsetBuffer = offsetBuffer;
        Buffer oldHashBuffer = hashBuffer;
        MemorySegment oldOffsets = offsets;
        MemorySegment oldHashes = hashes;
        long oldPlaces = mask + 1;
        allocate(2 * oldPlaces);
        for (long place = 0; place < oldPlaces; place++) {
            long offset = oldOffsets.get(U64, place * Long.BYTES);
            if (offset != ABSENT) {
                put(oldHashes.get(U32, place * Integer.BYTES), offset);
            }
        }
        oldOffsetBuffer.close();
        oldHashBuffer.close();
    }

    @Override
    public void close() {
        offsetBuffer.close();
        hashBuffer.close();
    }
}
