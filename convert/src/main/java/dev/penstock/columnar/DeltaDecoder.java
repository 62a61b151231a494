// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Reason;

/// Reads Parquet's DELTA_BINARY_PACKED numbers: blocks of differences, each block with its smallest difference and
/// the widths of its parts.
final class DeltaDecoder {
    private static final int PART_COUNT_MAX = 1 << 16;

    private final byte[] bytes;
    private final int limit;
    private final int blockSize;
    private final int partCount;
    private final int partSize;
    private final byte[] widths;
    private int position;
    private long left;
    private long value;
    private boolean isFirst = true;
    private long smallest;
    private int part;
    private int partLeft;
    private long bit;

    DeltaDecoder(byte[] bytes, int start, int limit) {
        this.bytes = bytes;
        this.position = start;
        this.limit = limit;
        long block = varint();
        long parts = varint();
        boolean isValid = block > 0 && block <= SIZE_MAX && parts > 0 && parts <= PART_COUNT_MAX && block % parts == 0;
        Damage.require(isValid, Reason.OUT_OF_RANGE, "blocks of " + block + " differences in " + parts + " parts");
        blockSize = (int) block;
        partCount = (int) parts;
        partSize = blockSize / partCount;
        widths = new byte[partCount];
        part = partCount;
        left = varint();
        value = zigzag();
    }

    private static final long SIZE_MAX = 1 << 24;

    private long varint() {
        long number = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            Damage.require(position < limit, Reason.TRUNCATED, "its numbers are cut off");
            int next = bytes[position++];
            number |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw new Damage(Reason.BAD_VARINT, "a number is too large");
    }

    private long zigzag() {
        long number = varint();
        return number >>> 1 ^ -(number & 1);
    }

    /// The number of values that are left.
    long left() {
        return left;
    }

    /// The first byte behind all numbers, once they have been read.
    int end() {
        // Parts of a block that have no numbers have no bytes.
        return position;
    }

    long next() {
        Damage.require(left > 0, Reason.COUNT_MISMATCH, "it has fewer numbers than its page");
        left--;
        if (isFirst) {
            isFirst = false;
            return value;
        }
        if (partLeft == 0) {
            begin();
        }
        partLeft--;
        value += smallest + take(widths[part]);
        return value;
    }

    private void begin() {
        part++;
        if (part >= partCount) {
            smallest = zigzag();
            Damage.require(position + partCount <= limit, Reason.TRUNCATED, "its widths are cut off");
            System.arraycopy(bytes, position, widths, 0, partCount);
            position += partCount;
            part = 0;
        }
        int width = widths[part];
        Damage.require(width >= 0 && width <= 64, Reason.OUT_OF_RANGE, "numbers of " + width + " bits");
        partLeft = partSize;
        bit = position * 8L;
        long end = position + (long) partSize * width / 8;
        // The last part may be cut off behind its last number.
        long needed = position + ((Math.min(left + 1, partSize) * width) + 7) / 8;
        Damage.require(needed <= limit, Reason.TRUNCATED, "its numbers are cut off");
        position = (int) Math.min(limit, end);
    }

    private long take(int width) {
        if (width == 0) {
            return 0;
        }
        int at = (int) (bit >>> 3);
        int shift = (int) (bit & 7);
        bit += width;
        long word = (long) Dense.LONG.get(bytes, at) >>> shift;
        if (shift + width > 64) {
            word |= (long) (bytes[at + 8] & 0xff) << 64 - shift;
        }
        return width == 64 ? word : word & (1L << width) - 1;
    }
}
