// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

/// A run of version 1 in its stored form.
///
/// @param states the board at the start and after each move
/// @param moves  the stored number of each move, which may be above 3 in files of other programs
public record RunV1(RunMeta meta, long[] states, byte[] moves) {
    public RunV1 {
        if (states.length != moves.length + 1) {
            throw new IllegalArgumentException(
                    states.length + " boards do not match " + moves.length + " moves: there must be one more board");
        }
    }

    /// Converts the run to version 2, without branch values. A move above 3 becomes up, as in the original
    /// program.
    public Run upgrade() {
        RunColumns columns = new RunColumns();
        columns.reserve(moves.length);
        for (int i = 0; i < moves.length; i++) {
            columns.add(states[i], moves[i] < 0 || moves[i] >= Move.COUNT ? 0 : moves[i], 0);
        }
        columns.version = RunVersion.V1;
        columns.end(meta, states[moves.length]);
        return columns.run();
    }
}
