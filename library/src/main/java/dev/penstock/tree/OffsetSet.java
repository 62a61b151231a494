// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.BitSet;

/// A set of offsets of one file: one bit for each byte, allocated in pieces as needed. It takes at most an eighth
/// of the size of the file.
final class OffsetSet {
    private static final int PIECE_BITS = 19;
    private static final int PIECE_MASK = (1 << PIECE_BITS) - 1;

    private final BitSet[] pieces;

    OffsetSet(long fileSize) {
        this.pieces = new BitSet[Math.toIntExact((fileSize >>> PIECE_BITS) + 1)];
    }

    boolean contains(long offset) {
        BitSet piece = pieces[(int) (offset >>> PIECE_BITS)];
        return piece != null && piece.get((int) offset & PIECE_MASK);
    }

    /// Adds an offset.
    ///
    /// @return false when the offset was already in the set
    boolean add(long offset) {
        int pieceIndex = (int) (offset >>> PIECE_BITS);
        if (pieces[pieceIndex] == null) {
            pieces[pieceIndex] = new BitSet(1 << PIECE_BITS);
        }
        boolean isNew = !contains(offset);
        pieces[pieceIndex].set((int) offset & PIECE_MASK);
        return isNew;
    }
}
