// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.memory.Layouts.U64;
import static dev.penstock.memory.Layouts.U8;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.memory.Faults;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Path;

/// The numbers and nodes of one tree file, read where they lie.
///
/// Every access is inside the file, since the memory checks it; an access that would not be ends in an
/// [IndexOutOfBoundsException], which [#explained] turns into the error that names the file. So each caller
/// reads inside a `try` that ends with [Faults#settle] and throws what `explained` says.
///
/// **Threads.** Any number; it never changes.
final class TreeBytes {
    private static final VarHandle KEY_WORDS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /// The high bit of each byte.
    private static final long HIGH = 0x8080_8080_8080_8080L;

    private static final long ONES = 0x0101_0101_0101_0101L;

    /// Alternating bytes of the shortest leaf: a head that says value, and a value of one byte.
    private static final long LEAF_HEADS_MASK = 0x00FF_00FF_00FF_00FFL;

    private static final long LEAF_HEADS = 0x0040_0040_0040_0040L;

    /// What is missing from the largest one-byte number to the end of a byte.
    private static final long LEAF_VALUES_ROOM = 0x0008_0008_0008_0008L;

    private final Path path;
    private final MemorySegment bytes;
    private final long size;
    private final boolean isStrict;

    TreeBytes(Path path, MemorySegment bytes, boolean isStrict) {
        this.path = path;
        this.bytes = bytes;
        this.size = bytes.byteSize();
        this.isStrict = isStrict;
    }

    Path path() {
        return path;
    }

    MemorySegment segment() {
        return bytes;
    }

    long size() {
        return size;
    }

    boolean isStrict() {
        return isStrict;
    }

    /// @throws IllegalStateException when the memory is gone
    void requireOpen() {
        if (!bytes.scope().isAlive()) {
            throw new IllegalStateException(path + " is closed");
        }
    }

    int u8(long offset) {
        return bytes.get(U8, offset) & 0xFF;
    }

    long u64(long offset) {
        return bytes.get(U64, offset);
    }

    /// Eight bytes, of which those behind the end of the file are zero.
    long word(long offset) {
        return offset <= size - Long.BYTES ? bytes.get(U64, offset) : lastWord(offset, (int) (size - offset));
    }

    private long lastWord(long offset, int count) {
        long word = 0;
        for (int i = 0; i < count; i++) {
            word |= (long) u8(offset + i) << (8 * i);
        }
        return word;
    }

    int varintSize(long offset) {
        return Varint.sizeFrom(u8(offset));
    }

    /// The number at an offset.
    long varint(long offset) {
        int first = u8(offset);
        return first <= Varint.SINGLE_MAX ? first : longVarint(offset, first - Varint.SINGLE_MAX);
    }

    private long longVarint(long offset, int payload) {
        if (offset + payload >= size) {
            throw corrupt(offset, Reason.TRUNCATED, "the file ends within a number");
        }
        long value = word(offset + 1) & (-1L >>> (Long.SIZE - 8 * payload));
        if (isStrict && !Varint.isMinimal(payload, value)) {
            throw tooLong(offset);
        }
        return value;
    }

    private DatasetException.Corrupt tooLong(long offset) {
        return corrupt(offset, Reason.NOT_CANONICAL, "a number of more bytes than it needs");
    }

    /// What a distance at an offset leads to from a node.
    long target(long node, long offset) {
        return target(node, offset, varint(offset));
    }

    /// The same for a distance that is known.
    long target(long node, long offset, long distance) {
        if (Long.compareUnsigned(distance - 1, node - TreeFormat.HEADER_SIZE) >= 0) {
            throw corrupt(
                    offset,
                    Reason.OUT_OF_RANGE,
                    "a distance of " + Long.toUnsignedString(distance) + " leads out of the arena");
        }
        return node - distance;
    }

    /// Where the node at an offset ends. One load tells it of nearly every node.
    long nodeEnd(long node) {
        if (node > size - Long.BYTES) {
            return longNodeEnd(node);
        }
        long word = bytes.get(U64, node);
        int head = (int) word & 0xFF;
        int at = (head & TreeFormat.VALUE) == 0 ? 1 : 1 + Varint.sizeFrom(byteOf(word, 1));
        if (at > 7) {
            return longNodeEnd(node);
        }
        if (head < TreeFormat.LINE) {
            int count = head & TreeFormat.COUNT;
            if (count == 0) {
                return node + at;
            }
            requireCount(node, count);
            // A mask takes as many bytes as the smallest number of children that has one.
            return node + at + Varint.sizeFrom(byteOf(word, at)) + count;
        }
        if ((head & TreeFormat.LINE_CHILD) != 0) {
            at += Varint.sizeFrom(byteOf(word, at));
            if (at > 7) {
                return longNodeEnd(node);
            }
        }
        return node + at + Varint.sizeFrom(byteOf(word, at));
    }

    /// A byte of eight that were loaded together.
    static int byteOf(long word, int index) {
        return (int) (word >>> (8 * index)) & 0xFF;
    }

    private long longNodeEnd(long node) {
        int head = u8(node);
        long at = node + 1;
        if ((head & TreeFormat.VALUE) != 0) {
            at += varintSize(at);
        }
        if (head < TreeFormat.LINE) {
            int count = head & TreeFormat.COUNT;
            if (count == 0) {
                return at;
            }
            requireCount(node, count);
            return at + varintSize(at) + count;
        }
        if ((head & TreeFormat.LINE_CHILD) != 0) {
            at += varintSize(at);
        }
        return at + varintSize(at);
    }

    void requireCount(long node, int count) {
        if (count > TreeFormat.MASK_COUNT) {
            throw corrupt(node, Reason.UNKNOWN_KIND, "no node begins with " + count + " as its count of children");
        }
    }

    /// Steps over so many nodes of a run.
    long skip(long first, int count) {
        long node = first;
        int left = count;
        while (left >= 4 && node <= size - Long.BYTES) {
            long word = bytes.get(U64, node);
            if (isFourLeaves(word)) {
                node += Long.BYTES;
                left -= 4;
            } else {
                node = nodeEnd(node);
                left--;
            }
        }
        for (; left > 0; left--) {
            node = nodeEnd(node);
        }
        return node;
    }

    /// Whether eight bytes are four leaves with values of one byte.
    static boolean isFourLeaves(long word) {
        return (word & LEAF_HEADS_MASK) == LEAF_HEADS && hasOneByteValues(word);
    }

    /// Whether bytes 1, 3, 5 and 7 are all at most 247: adding 8 to one that is not carries out of it.
    private static boolean hasOneByteValues(long word) {
        long values = (word >>> 8) & LEAF_HEADS_MASK;
        return ((values + LEAF_VALUES_ROOM) & ~LEAF_HEADS_MASK) == 0;
    }

    /// Whether so many bytes of the file are those of a key.
    boolean matches(long offset, byte[] key, int keyStart, int count) {
        int i = 0;
        for (; i <= count - Long.BYTES; i += Long.BYTES) {
            if (bytes.get(U64, offset + i) != (long) KEY_WORDS.get(key, keyStart + i)) {
                return false;
            }
        }
        int left = count - i;
        if (left == 0) {
            return true;
        }
        if (keyStart + i <= key.length - Long.BYTES && offset + i <= size - Long.BYTES) {
            long difference = bytes.get(U64, offset + i) ^ (long) KEY_WORDS.get(key, keyStart + i);
            return difference << (Long.SIZE - 8 * left) == 0;
        }
        for (; i < count; i++) {
            if (bytes.get(U8, offset + i) != key[keyStart + i]) {
                return false;
            }
        }
        return true;
    }

    /// The rank of a byte in a list of at most eight that is loaded, or -1 when it is not in it.
    int rankInWord(long word, int count, int wanted, long offset) {
        long pattern = wanted * ONES;
        long valid = HIGH & firstBytes(count);
        if (isStrict) {
            long pairs = HIGH & firstBytes(count - 1);
            if ((lessThan(word, word >>> 8) & pairs) != pairs) {
                throw corrupt(offset, Reason.UNSORTED, "the bytes of a branch are not in ascending order");
            }
        }
        long difference = word ^ pattern;
        long equal = ~(((difference & ~HIGH) + ~HIGH) | difference) & valid;
        // In a list that is sorted all bytes before the equal one are smaller.
        return equal == 0 ? -1 : Long.bitCount(lessThan(word, pattern) & valid);
    }

    /// How many bytes of an ascending list are smaller than one, or -1 when it is not among them.
    int rankInList(long list, int count, int wanted) {
        long pattern = wanted * ONES;
        int smaller = 0;
        int rank = -1;
        for (int i = 0; i < count; i += Long.BYTES) {
            long word = word(list + i);
            long valid = HIGH & firstBytes(count - i);
            long difference = word ^ pattern;
            long equal = ~(((difference & ~HIGH) + ~HIGH) | difference) & valid;
            int smallerHere = Long.bitCount(lessThan(word, pattern) & valid);
            if (equal != 0) {
                rank = smaller + smallerHere;
            }
            smaller += smallerHere;
            if (isStrict) {
                requireAscending(list + i, word, count - i);
            }
        }
        return rank;
    }

    /// Fails unless each of the next eight bytes of a list that has a successor in it is smaller than that.
    private void requireAscending(long list, long word, int left) {
        long pairs = HIGH & firstBytes(left - 1);
        if (pairs != 0 && (lessThan(word, word(list + 1)) & pairs) != pairs) {
            throw corrupt(list, Reason.UNSORTED, "the bytes of a branch are not in ascending order");
        }
    }

    void requireAscending(long list, int count) {
        for (int i = 0; i < count; i += Long.BYTES) {
            requireAscending(list + i, word(list + i), count - i);
        }
    }

    /// The same for at most eight bytes that are not at the end of the file.
    void requireAscendingWord(long list, int count) {
        long word = bytes.get(U64, list);
        long pairs = HIGH & firstBytes(count - 1);
        if ((lessThan(word, word >>> 8) & pairs) != pairs) {
            throw corrupt(list, Reason.UNSORTED, "the bytes of a branch are not in ascending order");
        }
    }

    private static long firstBytes(int count) {
        return count >= Long.BYTES ? -1 : ~(-1L << (8 * count));
    }

    /// The high bits of those bytes that are smaller than their counterparts, as unsigned numbers.
    private static long lessThan(long a, long b) {
        long greaterOrEqual = (a & ~b) | (~(a ^ b) & ((a | HIGH) - (b & ~HIGH)));
        return ~greaterOrEqual & HIGH;
    }

    int maskCount(long mask) {
        return Long.bitCount(u64(mask))
                + Long.bitCount(u64(mask + 8))
                + Long.bitCount(u64(mask + 16))
                + Long.bitCount(u64(mask + 24));
    }

    /// How many bits of a mask are set before one, or -1 when that is not set.
    int rankInMask(long mask, int wanted) {
        int wordIndex = wanted >>> 6;
        long word = u64(mask + 8L * wordIndex);
        long bit = 1L << wanted;
        if (isStrict && maskCount(mask) < TreeFormat.MASK_COUNT) {
            throw corrupt(mask, Reason.NOT_CANONICAL, "a mask of fewer than 32 children");
        }
        if ((word & bit) == 0) {
            return -1;
        }
        int rank = Long.bitCount(word & (bit - 1));
        for (int i = 0; i < wordIndex; i++) {
            rank += Long.bitCount(u64(mask + 8L * i));
        }
        return rank;
    }

    /// The first set bit of a mask at or behind one, or 256.
    int nextInMask(long mask, int from) {
        for (int wordIndex = from >>> 6; wordIndex < 4; wordIndex++) {
            long word = u64(mask + 8L * wordIndex);
            if (wordIndex == from >>> 6) {
                word &= -1L << from;
            }
            if (word != 0) {
                return wordIndex * Long.SIZE + Long.numberOfTrailingZeros(word);
            }
        }
        return 256;
    }

    DatasetException.Corrupt corrupt(long offset, Reason reason, String what) {
        return new DatasetException.Corrupt(path, offset, reason, what);
    }

    /// What to throw for something that was thrown while the file was read.
    ///
    /// What looks like damage may be the garbage that a shortened file gives, so the fault has the first word.
    RuntimeException explained(Throwable thrown) {
        if (thrown instanceof InternalError fault) {
            return Faults.translate(fault, path, 0, size);
        }
        try {
            Faults.settle();
        } catch (InternalError fault) {
            return Faults.translate(fault, path, 0, size);
        }
        return switch (thrown) {
            case IndexOutOfBoundsException outside ->
                new DatasetException.Corrupt(
                        path, size, Reason.TRUNCATED, "a node reaches beyond the end of the file", outside);
            case IllegalStateException _ -> new IllegalStateException(path + " is closed");
            case RuntimeException other -> other;
            default -> throw new AssertionError(thrown);
        };
    }
}
