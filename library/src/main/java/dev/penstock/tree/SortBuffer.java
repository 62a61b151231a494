// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Paths with values in one array, to be sorted: as unsigned bytes, a path before those that it begins.
final class SortBuffer {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int HEAD_SIZE = Long.BYTES + Integer.BYTES;
    private static final int ARRAY_SIZE_MAX = Integer.MAX_VALUE - 8;

    /// A path by its place in the array. Most comparisons are decided by the first eight bytes.
    private record Entry(long prefix, int position) {}

    private byte[] data = new byte[1 << 16];
    private int used;
    private int[] positions = new int[1 << 10];
    private int count;

    static int entrySize(int pathSize) {
        return HEAD_SIZE + pathSize;
    }

    int count() {
        return count;
    }

    long usedBytes() {
        return used;
    }

    void add(byte[] bytes, int start, int size, long value) {
        long needed = (long) used + entrySize(size);
        if (needed > data.length) {
            data = Arrays.copyOf(data, Math.toIntExact(Math.min(Math.max(needed, 2L * data.length), ARRAY_SIZE_MAX)));
        }
        if (count == positions.length) {
            positions = Arrays.copyOf(positions, 2 * count);
        }
        positions[count++] = used;
        LONGS.set(data, used, value);
        INTS.set(data, used + Long.BYTES, size);
        System.arraycopy(bytes, start, data, used + HEAD_SIZE, size);
        used += entrySize(size);
    }

    /// Hands all paths out in order, of equal ones the last, and becomes empty.
    ///
    /// @return how many were left out
    long drain(TreeSorter.Sink sink) throws IOException {
        Entry[] entries = new Entry[count];
        for (int i = 0; i < count; i++) {
            entries[i] = new Entry(prefix(positions[i]), positions[i]);
        }
        Arrays.sort(entries, this::compare);
        long duplicateCount = 0;
        for (int i = 0; i < entries.length; i++) {
            int position = entries[i].position;
            // Equal paths are in the order in which they came, since the sort is stable.
            if (i + 1 < entries.length && compare(entries[i], entries[i + 1]) == 0) {
                duplicateCount++;
            } else {
                sink.accept(data, position + HEAD_SIZE, size(position), (long) LONGS.get(data, position));
            }
        }
        count = 0;
        used = 0;
        return duplicateCount;
    }

    private int size(int position) {
        return (int) INTS.get(data, position + Long.BYTES);
    }

    /// The first eight bytes of a path as a number that sorts as they do, with zeros behind a shorter path.
    private long prefix(int position) {
        int size = size(position);
        long prefix = 0;
        for (int i = 0; i < Math.min(size, Long.BYTES); i++) {
            prefix |= (data[position + HEAD_SIZE + i] & 0xFFL) << (56 - 8 * i);
        }
        return prefix;
    }

    private int compare(Entry a, Entry b) {
        int order = Long.compareUnsigned(a.prefix, b.prefix);
        if (order != 0) {
            return order;
        }
        int aStart = a.position + HEAD_SIZE;
        int bStart = b.position + HEAD_SIZE;
        return Arrays.compareUnsigned(data, aStart, aStart + size(a.position), data, bStart, bStart + size(b.position));
    }
}
