// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.game2048.Board;
import dev.penstock.game2048.Branches;
import dev.penstock.game2048.Move;
import dev.penstock.game2048.Step;
import dev.penstock.plugin.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Formats boards and branch values for a terminal.
///
/// @param isColoured whether tiles are coloured
record BoardText(boolean isColoured) {
    private static final int SIDE = 4;

    /// Colours of the 256-colour palette by exponent, from light to dark.
    private static final int[] BACKGROUNDS = {237, 230, 229, 222, 215, 208, 202, 228, 227, 226, 220, 214, 46, 40, 34, 28
    };

    private static final int DARK = 16;
    private static final int GREY = 242;

    List<String> board(long board) {
        List<String> lines = new ArrayList<>();
        for (int row = 0; row < SIDE; row++) {
            StringBuilder line = new StringBuilder("  ");
            for (int column = 0; column < SIDE; column++) {
                line.append(cell(board, row * SIDE + column));
            }
            lines.add(line.toString());
        }
        return lines;
    }

    private String cell(long board, int cell) {
        int tile = Board.tile(board, cell);
        String text = String.format(Locale.ROOT, "%6s ", tile == 0 ? "." : Integer.toString(tile));
        if (!isColoured) {
            return text;
        }
        int exponent = Board.exponent(board, cell);
        return "\u001b[48;5;" + BACKGROUNDS[exponent] + ";38;5;" + (exponent == 0 ? GREY : DARK) + "m" + text
                + "\u001b[0m";
    }

    List<String> step(int index, Step step) {
        List<String> lines = new ArrayList<>();
        lines.add("step " + index + "  " + Board.text(step.preBoard()) + "  score "
                + Text.number(Board.score(step.preBoard())));
        lines.addAll(board(step.preBoard()));
        for (Move move : Move.values()) {
            lines.add(branch(step, move));
        }
        return lines;
    }

    private String branch(Step step, Move move) {
        boolean isChosen = step.chosen() == move;
        Branches branches = step.branches();
        String value = branches == null
                ? (isChosen ? "" : "not recorded")
                : branches.isLegal(move) ? String.format(Locale.ROOT, "%.6f", branches.value(move)) : "illegal";
        String line = String.format(Locale.ROOT, "  %-6s %s%s", move, value, isChosen ? "  <- chosen" : "");
        return isColoured && isChosen ? "\u001b[1m" + line + "\u001b[0m" : line.stripTrailing();
    }
}
