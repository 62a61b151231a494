// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

/// A set of offsets of one file: one bit for each byte, allocated in pieces as needed. It takes at most an eighth
/// of the size of the file.
final class OffsetSet {
    private static final int PIECE_BITS = 19;

    private final long[][] pieces;

    OffsetSet(long fileSize) {
        this.pieces = new long[Math.toIntExact((fileSize >>> PIECE_BITS) + 1)][];
    }

    boolean contains(long offset) {
        long[] piece = pieces[(int) (offset >>> PIECE_BITS)];
        return piece != null && (piece[(int) (offset & ((1 << PIECE_BITS) - 1)) >>> 6] & (1L << offset)) != 0;
    }

    /// Adds an offset.
    ///
    /// @return false when the offset was already in the set
    boolean add(long offset) {
        int pieceIndex = (int) (offset >>> PIECE_BITS);
        long[] piece = pieces[pieceIndex];
        if (piece == null) {
            piece = new long[1 << (PIECE_BITS - 6)];
            pieces[pieceIndex] = piece;
        }
        int wordIndex = (int) (offset & ((1 << PIECE_BITS) - 1)) >>> 6;
        long bit = 1L << offset;
        boolean isNew = (piece[wordIndex] & bit) == 0;
        piece[wordIndex] |= bit;
        return isNew;
    }
}
