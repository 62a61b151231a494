// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Reason;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Replaying notices every way in which a run can break the rules.
final class ReplayTest {
    private static final RunMeta META = RunMeta.of(1, 0, 0, 0, 0, null);

    private static List<Reason> reasons(Step step, long finalBoard) {
        return Replay.check(Run.of(META, List.of(step), finalBoard)).stream()
                .map(Replay.Problem::reason)
                .toList();
    }

    private static Step step(long board, Move move, int legal) {
        return new Step(board, move, new Branches(legal, new int[Move.COUNT]));
    }

    @Test
    void everyBrokenRuleIsNoticed() {
        long board = 0x0000_0000_0000_0011L;
        assertEquals(List.of(), reasons(step(board, Move.LEFT, 0b1101), 0x0000_0000_0010_2000L));
        assertEquals(List.of(), reasons(new Step(board, Move.LEFT, null), 0x2000_0000_0000_2000L));
        assertEquals(
                List.of(GameReason.LEGALITY_MISMATCH), reasons(step(board, Move.LEFT, 0b1111), 0x0000_0000_0010_2000L));
        assertEquals(List.of(GameReason.ILLEGAL_MOVE), reasons(step(board, Move.DOWN, 0b1101), board));
        for (long wrong : new long[] {
            0x0000_0000_0000_2000L, 0x0000_0000_0030_2000L, 0x0000_0000_0110_2000L, 0x0000_0000_0000_3000L, 0
        }) {
            assertEquals(List.of(GameReason.BAD_TRANSITION), reasons(step(board, Move.LEFT, 0b1101), wrong));
        }
        assertEquals(List.of(GameReason.TILE_OVERFLOW), reasons(step(0xFF, Move.LEFT, 0b1101), 1));
    }

    @Test
    void aHopelessRunHasALimitedNumberOfProblems() {
        Step step = step(0, Move.UP, 15);
        Run run = Run.of(META, java.util.Collections.nCopies(5000, step), 0);
        List<Replay.Problem> problems = Replay.check(run);
        assertTrue(problems.size() >= 100 && problems.size() <= 101, problems.size() + " problems");
    }
}
