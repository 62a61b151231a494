// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Boards, random numbers and branch values are those of the original.
final class BoardGoldenTest {
    @Test
    void shiftsScoresAndHeuristicsAreThoseOfTheOriginal() {
        int overflowCount = 0;
        for (Map<String, Object> vector : Golden.lines("vectors/engine.jsonl")) {
            long board = Golden.hex(vector.get("board"));
            List<Object> exponents = Golden.list(vector.get("exps"));
            for (int cell = 0; cell < Board.CELLS; cell++) {
                assertEquals(exponents.get(cell), (long) Board.exponent(board, cell));
            }
            for (Move move : Move.values()) {
                long moved = Golden.hex(Golden.list(vector.get("shift")).get(move.code()));
                assertEquals(moved != board, (Board.legalMoves(board) & move.bit()) != 0);
                if (Board.isOverflowing(board, move)) {
                    overflowCount++;
                    assertThrows(TileOverflowException.class, () -> Board.shift(board, move));
                } else {
                    assertEquals(moved, Board.shift(board, move));
                }
            }
            assertEquals(vector.get("empty"), (long) Board.emptyCount(board));
            assertEquals(vector.get("highest"), (long) Board.highestTile(board));
            assertEquals(vector.get("over"), Board.isOver(board));
            assertEquals(vector.get("score"), Board.score(board));
            assertEquals(
                    Golden.hex(vector.get("heur_bits")),
                    Double.doubleToRawLongBits(Heuristic.of(board)),
                    Board.text(board));
        }
        assertTrue(overflowCount > 20, "only " + overflowCount + " overflows");
    }

    @Test
    void anOverflowIsOneOfTwo32768Tiles() {
        for (int line = 0; line < Lines.COUNT; line++) {
            long board = (long) line << 32;
            boolean hasTwo = Integer.toHexString(line | 1 << 16)
                    .substring(1)
                    .replace("0", "")
                    .contains("ff");
            assertEquals(hasTwo, Board.isOverflowing(board, Move.LEFT), Board.text(board));
            assertEquals(hasTwo, Board.isOverflowing(board, Move.RIGHT), Board.text(board));
            assertEquals(hasTwo, Board.isOverflowing(Board.transpose(board), Move.UP), Board.text(board));
            assertEquals(hasTwo, Board.isOverflowing(Board.transpose(board), Move.DOWN), Board.text(board));
        }
        TileOverflowException refusal =
                assertThrows(TileOverflowException.class, () -> Board.shift(0xFF00_0000_0000_0000L, Move.LEFT));
        assertEquals(
                "moving LEFT on 0xff00000000000000 merges two 32768 tiles into 65536, which a board cannot represent;"
                        + " the run ends before this move",
                refusal.getMessage());
    }

    @Test
    void theBoardsOfTheSpecificationMove() {
        assertEquals(0x1234142030001200L, Board.shift(0x1234133220021002L, Move.LEFT));
        assertEquals(0x1234014200030012L, Board.shift(0x1234133220021002L, Move.RIGHT));
        assertEquals(0x1131240232004000L, Board.shift(0x1121230033004222L, Move.UP));
        assertEquals(0x1000210034014232L, Board.shift(0x1121230033004222L, Move.DOWN));
        assertEquals(8, Board.emptyCount(0x1111000011110000L));
        assertEquals(8, Board.tile(0x0123456789abcdefL, 3));
        assertEquals(32768, Board.tile(0x0123456789abcdefL, 15));
        assertEquals("0x0000000000000001", Board.text(1));
        assertEquals("0x123456789abcdef1", Board.text(0x123456789abcdef1L));
        assertEquals(0x0000100000000100L, Board.start(new StdRng(1)));
        assertEquals(0x0100000100000000L, Board.start(new StdRng(42)));
        assertEquals(0x0000001000000100L, Board.start(new StdRng(123)));
        long board = 0;
        StdRng random = new StdRng(9);
        for (int i = 0; i < Board.CELLS; i++) {
            board = Board.spawn(board, random);
        }
        long full = board;
        assertEquals(0, Board.emptyCount(full));
        assertThrows(IllegalStateException.class, () -> Board.spawn(full, random));
    }

    @Test
    void branchValuesAreNormalisedAsTheOriginalDoes() {
        for (Map<String, Object> vector : Golden.lines("vectors/normalise.jsonl")) {
            int legal = 0;
            double[] values = new double[Move.COUNT];
            int[] expected = new int[Move.COUNT];
            for (int move = 0; move < Move.COUNT; move++) {
                Object value = Golden.list(vector.get("in")).get(move);
                if (value != null) {
                    legal |= 1 << move;
                    values[move] = Double.longBitsToDouble(Golden.hex(value));
                    expected[move] =
                            (int) Golden.hex(Golden.list(vector.get("out")).get(move));
                }
            }
            int[] stored = new int[Move.COUNT + 1];
            Branches.normalise(legal, values, stored, 1);
            for (int move = 0; move < Move.COUNT; move++) {
                boolean isNaN = Float.isNaN(Float.intBitsToFloat(expected[move]));
                assertEquals(isNaN, Float.isNaN(Float.intBitsToFloat(stored[move + 1])), vector.toString());
                assertTrue(isNaN || expected[move] == stored[move + 1], vector.toString());
            }
        }
    }

    @Test
    void ordersAreThoseOfTheOriginalsGenerator() {
        assertArrayEquals(new int[] {5, 2, 9, 1, 6, 3, 4, 0, 7, 8}, new StdRng(0).shuffled(10));
        assertArrayEquals(new int[] {7, 3, 9, 5, 0, 8, 6, 4, 2, 1}, new StdRng(42).shuffled(10));
        assertArrayEquals(new int[] {5, 9, 4, 0, 2, 3, 6, 8, 1, 7}, new StdRng(123).shuffled(10));
        assertThrows(IllegalArgumentException.class, () -> new StdRng(0).below32(0));
    }
}
