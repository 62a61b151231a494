// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Reason;
import java.util.Arrays;

/// Reads Parquet's runs of small numbers: each run is one number repeated, or groups of 8 numbers of `width` bits.
///
/// The bytes are followed by 8 more, so that a number is read with one access.
final class RunDecoder {
    private final byte[] bytes;
    private final int limit;
    private final int width;
    private int position;
    private int repeated;
    private int packed;
    private int value;
    private long bit;

    RunDecoder(byte[] bytes, int start, int limit, int width) {
        Damage.require(width >= 0 && width <= 32, Reason.OUT_OF_RANGE, "numbers of " + width + " bits");
        this.bytes = bytes;
        this.position = start;
        this.limit = limit;
        this.width = width;
    }

    void read(int[] target, int start, int count) {
        int at = start;
        int end = start + count;
        while (at < end) {
            if (repeated == 0 && packed == 0) {
                begin();
            }
            int some = Math.min(end - at, repeated > 0 ? repeated : packed);
            if (repeated > 0) {
                Arrays.fill(target, at, at + some, value);
                repeated -= some;
            } else {
                unpack(target, at, some);
                packed -= some;
            }
            at += some;
        }
    }

    private void begin() {
        long header = varint();
        if (width == 0 && (header >>> 1) == 0) {
            throw new Damage(Reason.COUNT_MISMATCH, "a run is empty");
        }
        if ((header & 1) == 0) {
            repeated = (int) Math.min(Integer.MAX_VALUE, header >>> 1);
            int size = (width + 7) / 8;
            require(position + size <= limit);
            value = 0;
            for (int i = 0; i < size; i++) {
                value |= (bytes[position++] & 0xff) << 8 * i;
            }
        } else {
            long count = (header >>> 1) * 8;
            packed = (int) Math.min(Integer.MAX_VALUE - 8, count);
            bit = position * 8L;
            // The last group may be cut off behind its last number.
            position = (int) Math.min(limit, position + (header >>> 1) * width);
        }
        Damage.require(repeated > 0 || packed > 0, Reason.COUNT_MISMATCH, "a run is empty");
    }

    private static void require(boolean isInside) {
        Damage.require(isInside, Reason.TRUNCATED, "its numbers are cut off");
    }

    private long varint() {
        long number = 0;
        for (int shift = 0; shift <= 28; shift += 7) {
            require(position < limit);
            int next = bytes[position++];
            number |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw new Damage(Reason.BAD_VARINT, "the size of a run is too large");
    }

    private void unpack(int[] target, int start, int count) {
        require(bit + (long) count * width <= limit * 8L);
        long mask = (1L << width) - 1;
        long at = bit;
        byte[] from = bytes;
        int step = width;
        for (int i = start; i < start + count; i++) {
            long word = (long) Dense.LONG.get(from, (int) (at >>> 3));
            target[i] = (int) (word >>> (at & 7) & mask);
            at += step;
        }
        bit = at;
    }
}
