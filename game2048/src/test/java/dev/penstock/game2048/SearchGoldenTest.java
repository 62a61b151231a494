// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The search finds what the original's sequential search finds.
final class SearchGoldenTest {
    @Test
    void valuesMovesAndNodesAreThoseOfTheOriginal() {
        int count = 0;
        for (Map<String, Object> vector : Golden.lines("vectors/search.jsonl")) {
            if (vector.get("board").toString().replaceAll("[^f]", "").length() > 1) {
                // The original's search merges two 32768 tiles into something else.
                continue;
            }
            count++;
            long cap = vector.get("cap") == null ? 64 : (long) vector.get("cap");
            Expectimax player = new Expectimax((int) cap);
            player.evaluate(Golden.hex(vector.get("board")));
            int[] stored = new int[Move.COUNT];
            Branches.normalise(player.legalBits(), player.values(), stored, 0);
            List<Object> norm = Golden.list(vector.get("norm"));
            for (Move move : Move.values()) {
                assertEquals(
                        Golden.hex(Golden.list(vector.get("ev_bits")).get(move.code())),
                        Double.doubleToRawLongBits(player.values()[move.code()]),
                        vector + " " + move);
                boolean isLegal = (player.legalBits() & move.bit()) != 0;
                assertEquals(Golden.list(vector.get("legal")).get(move.code()), isLegal);
                if (isLegal) {
                    assertEquals((int) Golden.hex(norm.get(move.code())), stored[move.code()]);
                }
            }
            Move best = player.firstBest();
            assertEquals(vector.get("best"), best == null ? null : (Object) (long) best.code());
            assertEquals(vector.get("nodes_branches"), player.nodeCount(), vector.toString());
        }
        assertTrue(count > 120, "only " + count + " vectors");
    }

    /// The seeded games that were played by the original's sequential search.
    @Test
    void seededGamesAreThoseOfTheOriginal() {
        int count = 0;
        for (String name : List.of(
                "seed001-cap1",
                "seed002-cap1",
                "seed003-cap0",
                "seed004-cap0",
                "seed005-cap1",
                "seed006-cap2",
                "seed007-cap3",
                "seed042-cap1")) {
            Path file = Golden.pack("runs/games/" + name + ".a2run2");
            byte[] expected = Golden.bytes(file);
            Run original = RunDecoder.decode(expected, file);
            RunColumns columns = new RunColumns();
            Expectimax player = new Expectimax(Integer.parseInt(name.substring(11)));
            Game game = new Game(player, Expectimax::firstBest, original.stepCount());
            game.play(new StdRng(Long.parseLong(name.substring(4, 7))), columns);
            columns.end(original.meta(), columns.finalBoard);
            assertArrayEquals(expected, RunDecoder.encode(columns.run(), RunVersion.V2), name);
            assertEquals(original.meta().maxScore(), Board.score(columns.finalBoard), name);
            count++;
        }
        assertEquals(8, count);
    }
}
