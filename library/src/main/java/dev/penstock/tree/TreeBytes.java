// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;
import static dev.penstock.file.Layouts.WORDS;

import dev.penstock.ClosedException;
import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Faults;
import dev.penstock.file.Location;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Reads the numbers and nodes of one tree file in place.
///
/// The layout of nodes is decoded only here. A node is given by its offset and its first eight bytes, its *word*;
/// a part of it by the number of bytes before it. [TreeNode] decodes whole nodes with these methods, [TreeLookup]
/// only the parts that a key needs.
///
/// The memory segment checks that every access is inside the file. An access outside throws an
/// [IndexOutOfBoundsException], which [#explained] turns into an error that names the file. So each caller reads
/// inside [#read], or inside a `try` that ends with [Faults#settle] and throws the result of `explained`.
///
/// **Threads.** Immutable, so safe for any number of threads.
///
/// The layout of tree nodes is decoded in one class: [TreeNode] decodes a whole node with it and
/// is the stack of scans, counting and `verify`; [TreeLookup] decodes only the parts that a key needs.
/// A rule of the format is enforced in one place, which also tells a strict reader and `verify` about
/// deviations. A lookup reads one list of children and steps over other nodes, so it does not decode them
/// whole.
final class TreeBytes {
    /// Alternating bytes of the shortest leaf: a head with the value bit, and a value of one byte.
    private static final long LEAF_HEADS_MASK = 0x00FF_00FF_00FF_00FFL;

    private static final long LEAF_HEADS = 0x0001_0001_0001_0001L * TreeFormat.VALUE;

    /// The difference between the largest one-byte number and the largest byte.
    private static final long LEAF_VALUES_ROOM = 0x0001_0001_0001_0001L * (0xFF - Varint.SINGLE_MAX);

    private final Location location;
    private final MemorySegment bytes;
    private final long size;
    /// Receives readable deviations that no known writer produces, and may reject them. A lenient reader has none.
    private final Consumer<DatasetException> deviations;

    TreeBytes(Location location, MemorySegment bytes, Consumer<DatasetException> deviations) {
        this.location = location;
        this.bytes = bytes;
        this.size = bytes.byteSize();
        this.deviations = deviations;
    }

    TreeBytes(Location location, MemorySegment bytes, boolean isStrict) {
        this(location, bytes, isStrict ? TreeBytes::refuse : null);
    }

    private static void refuse(DatasetException deviation) {
        throw deviation;
    }

    /// The same bytes with another receiver of deviations.
    TreeBytes withDeviations(Consumer<DatasetException> deviations) {
        return new TreeBytes(location, bytes, deviations);
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

    /// @throws IllegalStateException when the memory is closed
    void requireOpen() {
        if (!bytes.scope().isAlive()) {
            throw new ClosedException(location + " is closed");
        }
    }

    int u8(long offset) {
        return bytes.get(U8, offset) & 0xFF;
    }

    long u64(long offset) {
        return bytes.get(U64, offset);
    }

    /// Reads eight bytes; those beyond the end of the file are zero.
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

    /// One byte of a word.
    static int byteOf(long word, int index) {
        return (int) (word >>> (8 * index)) & 0xFF;
    }

    /// The size of the varint at an offset.
    int varintSize(long offset) {
        return Varint.sizeFrom(u8(offset));
    }

    /// Reads the varint at an offset.
    long varint(long offset) {
        return varint(offset, u8(offset));
    }

    /// Reads the varint at an offset, whose first byte is known.
    long varint(long offset, int first) {
        return first <= Varint.SINGLE_MAX ? first : longVarint(offset, first - Varint.SINGLE_MAX);
    }

    private long longVarint(long offset, int payload) {
        if (offset + payload >= size) {
            throw corrupt(offset, Reason.TRUNCATED, "the file ends inside a number");
        }
        long value = word(offset + 1) & (-1L >>> (Long.SIZE - 8 * payload));
        if (!Varint.isMinimal(payload, value)) {
            deviate(offset, Reason.NOT_CANONICAL, "a number has more bytes than it needs");
        }
        return value;
    }

    /// The part of a node after its value.
    static int afterValue(long word) {
        return (word & TreeFormat.VALUE) == 0 ? 1 : 1 + Varint.sizeFrom(byteOf(word, 1));
    }

    /// The byte at a part of a node.
    int byteAt(long node, long word, int part) {
        return part < Long.BYTES ? byteOf(word, part) : u8(node + part);
    }

    /// The offset that the distance at a part of a node leads to.
    long reference(long node, long word, int part) {
        long distance = varint(node + part, byteAt(node, word, part));
        if (Long.compareUnsigned(distance - 1, node - TreeFormat.HEADER_SIZE) >= 0) {
            throw corrupt(
                    node + part,
                    Reason.OUT_OF_RANGE,
                    "a distance of " + Long.toUnsignedString(distance) + " leads out of the arena");
        }
        return node - distance;
    }

    /// The part of a node after the distance at a part.
    int afterDistance(long node, long word, int part) {
        return part + Varint.sizeFrom(byteAt(node, word, part));
    }

    /// The part of a line with the reference to its line data.
    int lineDataPart(long node, long word) {
        int part = afterValue(word);
        return (word & TreeFormat.LINE_CHILD) == 0 ? part : afterDistance(node, word, part);
    }

    /// The end offset of a node.
    long nodeEnd(long node) {
        long word = word(node);
        if ((word & TreeFormat.LINE) != 0) {
            return node + afterDistance(node, word, lineDataPart(node, word));
        }
        int part = afterValue(word);
        int count = (int) word & TreeFormat.COUNT;
        if (count == 0) {
            return node + part;
        }
        requireCount(node, count);
        // A mask has as many bytes as the smallest number of children that needs one.
        return node + afterDistance(node, word, part) + count;
    }

    void requireCount(long node, int count) {
        if (count > TreeFormat.MASK_COUNT) {
            throw corrupt(node, Reason.UNKNOWN_KIND, "a node has the invalid count of children " + count);
        }
    }

    void requirePlainLine(long node, int head) {
        if ((head & TreeFormat.LINE_UNUSED) != 0) {
            deviate(node, Reason.UNKNOWN_FLAGS, "a line has unknown bits set");
        }
        if ((head & TreeFormat.VALUE) != 0 && (head & TreeFormat.LINE_CHILD) != 0) {
            deviate(node, Reason.NOT_CANONICAL, "a line has both a value and a child");
        }
    }

    /// The length at the start of line data, checked against the node after it.
    int segmentSize(long node, long data) {
        long length = varint(data);
        long room = node - data - varintSize(data);
        if (length < 1 || length > room) {
            throw corrupt(
                    data,
                    Reason.OUT_OF_RANGE,
                    "line data has " + Long.toUnsignedString(length) + " bytes, but must have 1 to " + room);
        }
        if (length > TreeFormat.KEY_SIZE_MAX) {
            throw corrupt(data, Reason.SIZE_OVERFLOW, "a line is longer than the longest allowed path");
        }
        return (int) length;
    }

    /// The number of bytes of a line if a key continues with all of them, else 0.
    int matchLine(long node, long word, byte[] key, int position) {
        requirePlainLine(node, (int) word & 0xFF);
        long data = reference(node, word, lineDataPart(node, word));
        long start = word(data);
        int count = (int) start & 0xFF;
        if (count < Long.BYTES && count > 0 && count < node - data && position <= key.length - Long.BYTES) {
            // Most lines are short: the length and all bytes were loaded together.
            long difference = start >>> 8 ^ (long) WORDS.get(key, position);
            return difference << (Long.SIZE - 8 * count) == 0 ? count : 0;
        }
        count = segmentSize(node, data);
        boolean isMatching = count <= key.length - position && matches(data + varintSize(data), key, position, count);
        return isMatching ? count : 0;
    }

    /// The offset of the node with `count` nodes before it in a run.
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
        // Adding the difference to a byte above the largest one-byte number causes a carry.
        long values = (word >>> 8) & LEAF_HEADS_MASK;
        return (word & LEAF_HEADS_MASK) == LEAF_HEADS && ((values + LEAF_VALUES_ROOM) & ~LEAF_HEADS_MASK) == 0;
    }

    /// Whether bytes of the file equal those of a key.
    boolean matches(long offset, byte[] key, int keyStart, int count) {
        int last = count - Long.BYTES;
        for (int i = 0; i < last; i += Long.BYTES) {
            if (u64(offset + i) != (long) WORDS.get(key, keyStart + i)) {
                return false;
            }
        }
        if (last >= 0) {
            // The last eight bytes may overlap those before.
            return u64(offset + last) == (long) WORDS.get(key, keyStart + last);
        }
        for (int i = 0; i < count; i++) {
            if (bytes.get(U8, offset + i) != key[keyStart + i]) {
                return false;
            }
        }
        return true;
    }

    /// Reports a deviation that can be read although no known writer produces it.
    void deviate(long offset, Reason reason, String what) {
        if (deviations != null) {
            deviations.accept(corrupt(offset, reason, what));
        }
    }

    DatasetException.Corrupt corrupt(long offset, Reason reason, String what) {
        return new DatasetException.Corrupt(location, offset, reason, what);
    }

    /// Reads something, and throws the result of [#explained] if that fails.
    <T> T read(Supplier<T> reading) {
        try {
            T result = reading.get();
            Faults.settle();
            return result;
        } catch (RuntimeException | InternalError e) {
            throw explained(e);
        }
    }

    /// The exception to throw for something that was thrown while the file was read.
    ///
    /// Apparent damage may be garbage of a shortened file, so a fault takes precedence.
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
            case IllegalStateException _ -> new ClosedException(location + " is closed");
            case RuntimeException other -> other;
            default -> throw new AssertionError(thrown);
        };
    }
}
