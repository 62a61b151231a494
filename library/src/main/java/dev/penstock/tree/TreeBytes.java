// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.memory.Layouts.U64;
import static dev.penstock.memory.Layouts.U8;
import static dev.penstock.memory.Layouts.WORDS;

import dev.penstock.DatasetException;
import dev.penstock.Location;
import dev.penstock.Reason;
import dev.penstock.memory.Faults;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/// The numbers and nodes of one tree file, read in place.
///
/// The layout of nodes is decoded here and nowhere else: a node is given by its offset and its first eight bytes,
/// its *word*, and a part of it by the number of bytes before it. [TreeNode] decodes a whole node in these terms,
/// [TreeLookup] only the parts that a key needs.
///
/// Every access is inside the file, since the memory checks it; an access that would not be ends in an
/// [IndexOutOfBoundsException], which [#explained] turns into the error that names the file. So each caller
/// reads inside [#read], or inside a `try` that ends with [Faults#settle] and throws what `explained` says.
///
/// **Threads.** Any number; it never changes.
final class TreeBytes {
    /// Alternating bytes of the shortest leaf: a head that says value, and a value of one byte.
    private static final long LEAF_HEADS_MASK = 0x00FF_00FF_00FF_00FFL;

    private static final long LEAF_HEADS = 0x0001_0001_0001_0001L * TreeFormat.VALUE;

    /// What is missing from the largest one-byte number to the end of a byte.
    private static final long LEAF_VALUES_ROOM = 0x0001_0001_0001_0001L * (0xFF - Varint.SINGLE_MAX);

    private final Location location;
    private final MemorySegment bytes;
    private final long size;
    private final boolean isStrict;

    TreeBytes(Location location, MemorySegment bytes, boolean isStrict) {
        this.location = location;
        this.bytes = bytes;
        this.size = bytes.byteSize();
        this.isStrict = isStrict;
    }

    /// The same bytes, read strictly or leniently.
    TreeBytes withStrict(boolean isStrict) {
        return new TreeBytes(location, bytes, isStrict);
    }

    Location location() {
        return location;
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
            throw new IllegalStateException(location + " is closed");
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

    /// A byte of eight that were loaded together.
    static int byteOf(long word, int index) {
        return (int) (word >>> (8 * index)) & 0xFF;
    }

    /// The number of bytes of the number at an offset.
    int varintSize(long offset) {
        return Varint.sizeFrom(u8(offset));
    }

    /// The number at an offset.
    long varint(long offset) {
        return varint(offset, u8(offset));
    }

    /// The number at an offset, whose first byte is known.
    long varint(long offset, int first) {
        return first <= Varint.SINGLE_MAX ? first : longVarint(offset, first - Varint.SINGLE_MAX);
    }

    private long longVarint(long offset, int payload) {
        if (offset + payload >= size) {
            throw corrupt(offset, Reason.TRUNCATED, "the file ends within a number");
        }
        long value = word(offset + 1) & (-1L >>> (Long.SIZE - 8 * payload));
        if (isStrict && !Varint.isMinimal(payload, value)) {
            throw corrupt(offset, Reason.NOT_CANONICAL, "a number of more bytes than it needs");
        }
        return value;
    }

    /// The offset that a distance leads to from a node.
    ///
    /// @param offset where the distance is, for the error message
    long target(long node, long offset, long distance) {
        if (Long.compareUnsigned(distance - 1, node - TreeFormat.HEADER_SIZE) >= 0) {
            throw corrupt(
                    offset,
                    Reason.OUT_OF_RANGE,
                    "a distance of " + Long.toUnsignedString(distance) + " leads out of the arena");
        }
        return node - distance;
    }

    /// The part of a node that follows its value.
    static int afterValue(long word) {
        return (word & TreeFormat.VALUE) == 0 ? 1 : 1 + Varint.sizeFrom(byteOf(word, 1));
    }

    /// The byte at a part of a node.
    int byteAt(long node, long word, int part) {
        return part < Long.BYTES ? byteOf(word, part) : u8(node + part);
    }

    /// The offset that the distance at a part of a node leads to.
    ///
    /// @param first the first byte of the distance
    long reference(long node, int part, int first) {
        return target(node, node + part, varint(node + part, first));
    }

    /// The part of a line that refers to its line data.
    int lineDataPart(long node, long word) {
        int part = afterValue(word);
        return (word & TreeFormat.LINE_CHILD) == 0 ? part : part + Varint.sizeFrom(byteAt(node, word, part));
    }

    /// The offset behind a node. Few branches, since the kind of the next node is hard to predict.
    long nodeEnd(long node) {
        long word = word(node);
        int shape = SHAPES[(int) word & 0xFF];
        int size1 = Varint.sizeFrom(byteOf(word, 1));
        if (shape < 0 || size1 > 6) {
            return oddNodeEnd(node, word);
        }
        int size2 = Varint.sizeFrom(byteOf(word, 1 + size1));
        return node + (shape & 0xFF) + (size1 & shape >> 8) + (size2 & shape >> 16);
    }

    /// For each head: the bytes of a node that are no numbers, and above them all bits of a byte for each of two
    /// numbers. Negative for a head that is invalid or has three numbers.
    private static final int[] SHAPES = new int[256];

    static {
        for (int head = 0; head < SHAPES.length; head++) {
            boolean isLine = head >= TreeFormat.LINE;
            int count = isLine ? 0 : head & TreeFormat.COUNT;
            int numberCount = ((head & TreeFormat.VALUE) != 0 ? 1 : 0)
                    + (isLine ? 1 + (head & TreeFormat.LINE_CHILD) : Math.min(count, 1));
            boolean isUsual = numberCount < 3 && count <= TreeFormat.MASK_COUNT;
            // A mask takes as many bytes as the smallest number of children that has one.
            int shape = 1 + count + (numberCount > 0 ? 0xF00 : 0) + (numberCount > 1 ? 0xF0000 : 0);
            SHAPES[head] = isUsual ? shape : -1;
        }
    }

    private long oddNodeEnd(long node, long word) {
        int head = (int) word & 0xFF;
        int part = head >= TreeFormat.LINE ? lineDataPart(node, word) : afterValue(word);
        int count = head >= TreeFormat.LINE ? 0 : head & TreeFormat.COUNT;
        requireCount(node, count);
        boolean isLeaf = head < TreeFormat.LINE && count == 0;
        return node + part + (isLeaf ? 0 : Varint.sizeFrom(byteAt(node, word, part)) + count);
    }

    void requireCount(long node, int count) {
        if (count > TreeFormat.MASK_COUNT) {
            throw corrupt(node, Reason.UNKNOWN_KIND, "no node begins with " + count + " as its count of children");
        }
    }

    void requirePlainLine(long node, int head) {
        if (!isStrict) {
            return;
        }
        if ((head & TreeFormat.LINE_UNUSED) != 0) {
            throw corrupt(node, Reason.UNKNOWN_FLAGS, "a line with bits set that mean nothing");
        }
        if ((head & TreeFormat.VALUE) != 0 && (head & TreeFormat.LINE_CHILD) != 0) {
            throw corrupt(node, Reason.NOT_CANONICAL, "a line with both a value and a child");
        }
    }

    /// The length that line data begins with, held against where it has to end.
    int segmentSize(long node, long data) {
        long length = varint(data);
        long room = node - data - varintSize(data);
        if (length < 1 || length > room) {
            throw corrupt(
                    data,
                    Reason.OUT_OF_RANGE,
                    "line data of " + Long.toUnsignedString(length) + " bytes where 1 to " + room + " fit");
        }
        if (length > TreeFormat.KEY_SIZE_MAX) {
            throw corrupt(data, Reason.SIZE_OVERFLOW, "a line longer than any path may be");
        }
        return (int) length;
    }

    /// The number of bytes of a line if a key goes on with all of them, else 0.
    int matchLine(long node, long word, byte[] key, int position) {
        requirePlainLine(node, (int) word & 0xFF);
        int part = lineDataPart(node, word);
        long data = reference(node, part, byteAt(node, word, part));
        long start = word(data);
        int count = (int) start & 0xFF;
        if (count < Long.BYTES && count > 0 && count < node - data && position <= key.length - Long.BYTES) {
            // Most lines are short: the length and all bytes have been loaded together.
            long difference = start >>> 8 ^ (long) WORDS.get(key, position);
            return difference << (Long.SIZE - 8 * count) == 0 ? count : 0;
        }
        count = segmentSize(node, data);
        boolean isMatching = count <= key.length - position && matches(data + varintSize(data), key, position, count);
        return isMatching ? count : 0;
    }

    /// The offset of the node that has so many before it in a run.
    long skip(long first, int count) {
        long node = first;
        int left = count;
        while (left >= 4 && node <= size - Long.BYTES) {
            boolean isFour = isFourLeaves(bytes.get(U64, node));
            node = isFour ? node + Long.BYTES : nodeEnd(node);
            left -= isFour ? 4 : 1;
        }
        for (; left > 0; left--) {
            node = nodeEnd(node);
        }
        return node;
    }

    /// Whether eight bytes are four leaves with values of one byte.
    static boolean isFourLeaves(long word) {
        // Adding the room to a byte above the largest one-byte number carries out of it.
        long values = (word >>> 8) & LEAF_HEADS_MASK;
        return (word & LEAF_HEADS_MASK) == LEAF_HEADS && ((values + LEAF_VALUES_ROOM) & ~LEAF_HEADS_MASK) == 0;
    }

    /// Whether so many bytes of the file are those of a key.
    boolean matches(long offset, byte[] key, int keyStart, int count) {
        int i = 0;
        for (; i <= count - Long.BYTES; i += Long.BYTES) {
            if (bytes.get(U64, offset + i) != (long) WORDS.get(key, keyStart + i)) {
                return false;
            }
        }
        int left = count - i;
        if (left == 0) {
            return true;
        }
        if (keyStart + i <= key.length - Long.BYTES && offset + i <= size - Long.BYTES) {
            long difference = bytes.get(U64, offset + i) ^ (long) WORDS.get(key, keyStart + i);
            return difference << (Long.SIZE - 8 * left) == 0;
        }
        for (; i < count; i++) {
            if (bytes.get(U8, offset + i) != key[keyStart + i]) {
                return false;
            }
        }
        return true;
    }

    DatasetException.Corrupt corrupt(long offset, Reason reason, String what) {
        return new DatasetException.Corrupt(location, offset, reason, what);
    }

    /// Reads something and throws what [#explained] says when that fails.
    <T> T read(Supplier<T> reading) {
        try {
            T result = reading.get();
            Faults.settle();
            return result;
        } catch (RuntimeException | InternalError e) {
            throw explained(e);
        }
    }

    /// What to throw for something that was thrown while the file was read.
    ///
    /// What looks like damage may be the garbage that a shortened file gives, so the fault has the first word.
    RuntimeException explained(Throwable thrown) {
        if (thrown instanceof InternalError fault) {
            return Faults.translate(fault, location, 0, size);
        }
        try {
            Faults.settle();
        } catch (InternalError fault) {
            return Faults.translate(fault, location, 0, size);
        }
        return switch (thrown) {
            case IndexOutOfBoundsException outside ->
                new DatasetException.Corrupt(
                        location, size, Reason.TRUNCATED, "a node reaches beyond the end of the file", outside);
            case IllegalStateException _ -> new IllegalStateException(location + " is closed");
            case RuntimeException other -> other;
            default -> throw new AssertionError(thrown);
        };
    }
}
