// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.concurrent.ThreadLocalRandom;

/// A cache of the child that a byte leads to from a branch, so that a lookup need not decode the branch and step
/// over the siblings again.
///
/// It is a table with a fixed number of slots. An entry is one number: the part of the key that the slot does not
/// determine, and the distance from the branch back to the child. Key and slot determine each other, so an entry
/// is never mistaken for another one. A new entry replaces the old one in its slot.
///
/// **Threads.** Safe for any number of threads without locks, because an entry is read and written as a whole.
///
/// Lookups remember what the format does not store, in tables of fixed size: the child that a byte leads
/// to, every eighth sibling of long runs ([SiblingIndex]), and the node that the first 8 or 16
/// bytes of a key lead to ([PrefixJumps]). Reading a level from the file takes 28 ns, mostly mispredicted
/// branches; a remembered level takes a few. The file format stays as it is.
final class ChildSteps {
    static final long NONE = 0;

    /// The number of bits of a key: the offset of a branch and a byte.
    private static final int QUESTION_BITS = 48;

    private static final int PLACES_BITS_MIN = 8;
    private static final int PLACES_BITS_MAX = 15;

    /// If a slot is taken, one new entry in eight replaces the old one, so that frequent entries stay.
    private static final int ADMISSION_MASK = 7;

    private static final long QUESTION_MASK = (1L << QUESTION_BITS) - 1;

    /// Odd, so that multiplying by it is a one-to-one mapping of the keys.
    private static final long FACTOR = 0x9E37_79B9_7F4BL;

    /// False for larger files, in which offsets would be ambiguous.
    private final boolean isUsable;

    private final int placesBits;
    private final int tagBits;
    private final int stepBits;

    /// Allocated with the first entry, so that opening a tree costs nothing.
    private long[] table;

    /// @param fileSize the size of the tree: a small one has few branches, and for one beyond 1 TiB nothing is
    ///                 cached
    ChildSteps(long fileSize) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(fileSize) - 4;
        this.isUsable = fileSize <= 1L << (QUESTION_BITS - Byte.SIZE);
        this.placesBits = Math.clamp(bits, PLACES_BITS_MIN, PLACES_BITS_MAX);
        this.tagBits = QUESTION_BITS - placesBits;
        this.stepBits = Long.SIZE - tagBits;
    }

    /// The entry of a branch and a byte, or [#NONE]; see [#child] and [#isLine].
    long find(long node, int childByte) {
        long[] entries = table;
        if (entries == null) {
            return NONE;
        }
        long mixed = ((node << 8 | childByte) * FACTOR) & QUESTION_MASK;
        long entry = entries[(int) (mixed >>> tagBits)];
        long step = entry ^ mixed << stepBits;
        return step >>> stepBits == 0 ? step : NONE;
    }

    static long child(long node, long step) {
        return node - (step >>> 1);
    }

    static boolean isLine(long step) {
        return (step & 1) != 0;
    }

    void put(long node, int childByte, long child, boolean isLine) {
        long step = node - child << 1 | (isLine ? 1 : 0);
        if (!isUsable || step >>> stepBits != 0) {
            return;
        }
        long[] entries = table;
        if (entries == null) {
            entries = new long[1 << placesBits];
            table = entries;
        }
        long mixed = ((node << 8 | childByte) * FACTOR) & QUESTION_MASK;
        int place = (int) (mixed >>> tagBits);
        if (entries[place] == 0 || (ThreadLocalRandom.current().nextInt() & ADMISSION_MASK) == 0) {
            entries[place] = mixed << stepBits | step;
        }
    }
}
