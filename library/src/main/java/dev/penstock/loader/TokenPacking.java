// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/// Decides which document of a batch goes to which row, and where in the row.
///
/// **Threads.** One thread.
final class TokenPacking {
    private final int length;
    private final List<Piece> pieces = new ArrayList<>();
    /// The number of tokens in each row.
    private final List<Integer> used = new ArrayList<>();
    /// For each amount of free space the rows that have it, the latest at the end; and which of these lists are
    /// not empty.
    private final List<List<Integer>> rowsByRoom = new ArrayList<>();

    private final BitSet rooms = new BitSet();

    TokenPacking(int length) {
        this.length = length;
    }

    /// A piece of a document and its place.
    ///
    /// @param first  the first token in the document
    /// @param column the first column in the row
    private record Piece(int document, int first, int count, int row, int column) {}

    /// Visits every piece.
    @FunctionalInterface
    interface PieceVisitor {
        void piece(int document, int first, int count, int row, int column);
    }

    /// Places all documents.
    void place(int[] lengths, boolean isBestFit) {
        if (isBestFit) {
            placeBestFit(lengths);
        } else {
            placeInOrder(lengths);
        }
    }

    private void placeInOrder(int[] lengths) {
        for (int document = 0; document < lengths.length; document++) {
            for (int first = 0; first < lengths[document]; first += length) {
                int count = Math.min(length, lengths[document] - first);
                int row = used.size() - 1;
                if (row < 0 || used.get(row) + count > length) {
                    row = newRow();
                }
                put(document, first, count, row);
            }
        }
    }

    private void placeBestFit(int[] lengths) {
        for (int room = 0; room <= length; room++) {
            rowsByRoom.add(null);
        }
        List<int[]> rests = new ArrayList<>();
        for (int document = 0; document < lengths.length; document++) {
            int first = 0;
            for (; lengths[document] - first >= length; first += length) {
                put(document, first, length, newRow());
            }
            if (first < lengths[document]) {
                rests.add(new int[] {document, first, lengths[document] - first});
            }
        }
        // The sort is stable: documents of equal length keep their order.
        rests.sort(Comparator.comparingInt((int[] rest) -> rest[2]).reversed());
        for (int[] rest : rests) {
            int room = rooms.nextSetBit(rest[2]);
            int row = room < 0 ? newRow() : removeLast(room);
            put(rest[0], rest[1], rest[2], row);
            int left = length - used.get(row);
            if (left > 0) {
                add(left, row);
            }
        }
    }

    private int removeLast(int room) {
        List<Integer> rows = rowsByRoom.get(room);
        int row = rows.removeLast();
        if (rows.isEmpty()) {
            rooms.clear(room);
        }
        return row;
    }

    private void add(int room, int row) {
        if (rowsByRoom.get(room) == null) {
            rowsByRoom.set(room, new ArrayList<>());
        }
        rowsByRoom.get(room).add(row);
        rooms.set(room);
    }

    private int newRow() {
        used.add(0);
        return used.size() - 1;
    }

    private void put(int document, int first, int count, int row) {
        pieces.add(new Piece(document, first, count, row, used.get(row)));
        used.set(row, used.get(row) + count);
    }

    int rowCount() {
        return used.size();
    }

    void forEach(PieceVisitor visitor) {
        for (Piece piece : pieces) {
            visitor.piece(piece.document, piece.first, piece.count, piece.row, piece.column);
        }
    }
}
