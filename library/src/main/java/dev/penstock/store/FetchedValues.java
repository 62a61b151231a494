// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.OpenFile;
import dev.penstock.file.RangeList;
import dev.penstock.file.RangeReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/// The stored bytes of many values of a store in a remote storage, read by parallel requests. Neighbours share
/// a request.
///
/// **Threads.** Safe for any number of threads.
final class FetchedValues {
    /// Values share arrays of about this size.
    private static final long ARRAY_SIZE = 32 << 20;

    private final MemorySegment[] places;
    private final long[] starts;

    private FetchedValues(int count) {
        this.places = new MemorySegment[count];
        this.starts = new long[count];
    }

    /// Reads the values of entries.
    ///
    /// @param entries gives each entry; those without bytes are left out
    static FetchedValues read(StoreValues values, int count, IntFunction<StoreEntry> entries) throws IOException {
        return read(values, count, entries, Long.MAX_VALUE);
    }

    /// Reads what the checksums of entries need: their prefixes, or the whole values if they have none.
    static FetchedValues prefixes(StoreValues values, int count, IntFunction<StoreEntry> entries) throws IOException {
        return read(values, count, entries, values.hasPrefixes() ? StoreFormat.PREFIX_SIZE : Long.MAX_VALUE);
    }

    private static FetchedValues read(StoreValues values, int count, IntFunction<StoreEntry> entries, long sizeMax)
            throws IOException {
        FetchedValues fetched = new FetchedValues(count);
        Map<Long, OpenFile> chunks = new HashMap<>();
        List<OpenFile> held = new ArrayList<>();
        try {
            RangeList ranges = new RangeList();
            MemorySegment free = MemorySegment.NULL;
            for (int i = 0; i < count; i++) {
                StoreEntry entry = entries.apply(i);
                if (!entry.hasBytes()) {
                    continue;
                }
                OpenFile chunk = chunks.get(entry.chunk());
                if (chunk == null || entry.offset() > chunk.size() - entry.size()) {
                    chunk = values.acquireChunk(entry);
                    held.add(chunk);
                    chunks.put(entry.chunk(), chunk);
                }
                long start = values.start(entry);
                long size = Math.min(sizeMax, entry.offset() + entry.size() - start);
                if (free.byteSize() < size) {
                    free = MemorySegment.ofArray(new byte[Math.toIntExact(Math.max(size, room(count - i, size)))]);
                }
                fetched.places[i] = free.asSlice(0, size);
                fetched.starts[i] = start;
                ranges.add(chunk, start, fetched.places[i]);
                free = free.asSlice(size);
            }
            ranges.read();
        } finally {
            held.forEach(OpenFile::release);
        }
        return fetched;
    }

    /// The size of an array for the rest of the values, judged by the first of them.
    private static long room(long count, long size) {
        return Math.min(ARRAY_SIZE, Math.multiplyExact(count, size));
    }

    /// Reads the bytes of one entry as from its chunk.
    RangeReader at(int index) {
        MemorySegment bytes = places[index];
        long start = starts[index];
        return (offset, target) -> MemorySegment.copy(bytes, offset - start, target, 0, target.byteSize());
    }
}
