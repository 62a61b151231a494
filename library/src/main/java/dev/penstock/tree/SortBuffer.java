// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Paths with values in one array, to be sorted.
final class SortBuffer {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int HEAD_SIZE = Long.BYTES + Integer.BYTES;
    private static final int ARRAY_SIZE_MAX = Integer.MAX_VALUE - 8;

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
        long[] prefixes = new long[count];
        for (int i = 0; i < count; i++) {
            prefixes[i] = KeyOrder.prefix(data, positions[i] + HEAD_SIZE, size(positions[i]));
        }
        int[] order = Arrays.copyOf(positions, count);
        KeyOrder.sort(prefixes, order, this::compare);
        long duplicateCount = 0;
        for (int i = 0; i < order.length; i++) {
            int position = order[i];
            // Equal ones are in the order in which they came.
            if (i + 1 < order.length && prefixes[i] == prefixes[i + 1] && compare(position, order[i + 1]) == 0) {
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

    private int compare(int a, int b) {
        int aStart = a + HEAD_SIZE;
        int bStart = b + HEAD_SIZE;
        return Arrays.compareUnsigned(data, aStart, aStart + size(a), data, bStart, bStart + size(b));
    }
}
