// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Reason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Values one after another, without those that are missing. The memory is used again for the next values.
final class Dense {
    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    byte[] bytes = new byte[1 << 12];
    int size;
    /// For values of any size: the first byte of each, and the end of the last.
    long[] offsets = new long[1 << 8];

    int count;

    void clear() {
        size = 0;
        count = 0;
        offsets[0] = 0;
    }

    /// Makes room, and returns the first free byte.
    int reserve(long more) {
        long needed = size + more;
        Damage.require(needed <= Integer.MAX_VALUE - 16, Reason.SIZE_OVERFLOW, "a batch of values is too large");
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 16, Math.max(needed, bytes.length * 2L)));
        }
        return size;
    }

    void reserveOffsets(int more) {
        if (count + more + 1 > offsets.length) {
            offsets = Arrays.copyOf(offsets, Math.max(count + more + 1, offsets.length * 2));
        }
    }

    /// Adds values of a fixed size.
    void addFixed(byte[] from, int start, int valueCount, int valueSize) {
        int at = reserve((long) valueCount * valueSize);
        System.arraycopy(from, start, bytes, at, valueCount * valueSize);
        size += valueCount * valueSize;
        count += valueCount;
    }

    /// Adds a value of any size. The offsets were reserved.
    void add(byte[] from, long start, int length) {
        int at = reserve(length);
        System.arraycopy(from, (int) start, bytes, at, length);
        size += length;
        offsets[++count] = size;
    }
}
