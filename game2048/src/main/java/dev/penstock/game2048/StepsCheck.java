// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Findings;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import dev.penstock.file.Layouts;
import dev.penstock.groups.GroupReason;
import dev.penstock.groups.GroupedTable;
import dev.penstock.groups.Groups;
import dev.penstock.query.Scan;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/// Checks a steps dataset: the files and the database as `verify` does, then every row. The run id and the step
/// index of a row must match its position, and its values must be valid. With a replay each board must follow
/// from the board and the move before it, as in [Replay].
public final class StepsCheck {
    private static final int BATCH_RUNS = 1 << 14;

    private final GroupedTable table;
    private final boolean isReplaying;
    private final Groups runs;
    private final long stepIndexMask;
    private final Findings findings = new Findings();
    private long run = -1;
    /// The board that the move before left behind, without the spawned tile.
    private long movedBoard;

    /// Whether the move before could be played, so that the next board has to follow from it.
    private boolean hasMoved;

    StepsCheck(GroupedTable table, boolean isReplaying) {
        this.table = table;
        this.isReplaying = isReplaying;
        this.runs = table.groups();
        this.stepIndexMask = StepsDataset.isWide(table) ? 0xFFFF_FFFFL : 0xFFFF;
    }

    /// The result of a check.
    public record Result(long runCount, long stepCount, Verification verification) {
        /// Whether there are no problems except warnings.
        public boolean isOk() {
            return verification.isOk();
        }
    }

    Result run(Progress progress) throws IOException {
        Verification files = table.verify(Progress.NONE);
        findings.addAll(files);
        checkRuns();
        try {
            Scan.of(table).withProgress(progress).forEach(chunk -> {
                Rows rows = new Rows(chunk.batch());
                for (int i = 0; i < chunk.indices().length; i++) {
                    check(chunk.indices()[i], rows, i);
                }
            });
        } catch (DatasetException e) {
            findings.error(e);
        }
        return new Result(runs.count(), table.count(), findings.result(files.checkedBytes()));
    }

    private void checkRuns() {
        long row = 0;
        for (long i = 0; i < runs.count(); i++) {
            if (runs.start(i) > row) {
                findings.warning(
                        runs.location().path(),
                        0,
                        GroupReason.BAD_GROUPS,
                        "the rows " + row + " to " + (runs.start(i) - 1) + " belong to no run");
            }
            row = Math.max(row, runs.limit(i));
        }
    }

    /// The columns of a chunk.
    private record Rows(Column board, Column move, Column legal, Column values, Column runId, Column stepIndex) {
        Rows(Batch batch) {
            this(
                    batch.column("board"),
                    batch.column("move"),
                    batch.column("ev_legal"),
                    batch.column("ev_values"),
                    batch.column("run_id"),
                    batch.column("step_index"));
        }

        long stepIndex(int row) {
            return stepIndex.field().itemSize() == 2
                    ? stepIndex.memory().get(Layouts.U16, row * 2L) & 0xFFFF
                    : stepIndex.memory().get(Layouts.U32, row * 4L) & 0xFFFF_FFFFL;
        }
    }

    private void check(long row, Rows rows, int at) {
        boolean isSameRun = run >= 0 && row < runs.limit(run);
        if (!isSameRun) {
            run = runs.groupOf(row);
        }
        long board = rows.board.memory().get(Layouts.U64, at * 8L);
        int move = rows.move.memory().get(Layouts.U8, at) & 0xFF;
        int legal = rows.legal.memory().get(Layouts.U8, at) & 0xFF;
        if (run >= 0) {
            checkPlace(row, rows.runId.memory().get(Layouts.U32, at * 4L) & 0xFFFF_FFFFL, rows.stepIndex(at));
        }
        if (move >= Move.COUNT || legal > RunColumns.LEGAL) {
            error(row, GameReason.BAD_MOVE, "the move is " + move + " but the legal moves are " + legal);
            hasMoved = false;
            return;
        }
        for (int i = 0; i < Move.COUNT; i++) {
            float value = Float.intBitsToFloat(rows.values.memory().get(Layouts.U32, (at * 4L + i) * Float.BYTES));
            if (!(value >= 0 && value <= 1)) {
                error(row, Reason.OUT_OF_RANGE, "value " + i + " is " + value + ", which is not between 0 and 1");
            }
        }
        if (isReplaying) {
            replay(row, board, Move.of(move), legal, isSameRun);
        }
    }

    private void checkPlace(long row, long runId, long stepIndex) {
        if (runId != runs.whole("id", run)) {
            error(
                    row,
                    GameReason.BAD_RUN_ID,
                    "the run id is " + runId + ", but the row belongs to run " + runs.whole("id", run)
                            + "; repair it with `penstock game2048 steps repair`");
        }
        long expected = row - runs.start(run);
        if (stepIndex != (expected & stepIndexMask)) {
            error(
                    row,
                    GameReason.BAD_RUN_ID,
                    "the step index is " + stepIndex + ", but the row is step " + expected + " of run "
                            + runs.whole("id", run));
        }
    }

    private void replay(long row, long board, Move move, int recordedLegal, boolean isSameRun) {
        if (isSameRun && run >= 0 && hasMoved && !Replay.isSpawned(movedBoard, board)) {
            error(
                    row,
                    GameReason.BAD_TRANSITION,
                    "one spawned tile does not make " + Board.text(movedBoard) + ", which the move before left, "
                            + Board.text(board));
        }
        int legal = Board.legalMoves(board);
        if (legal != recordedLegal) {
            error(
                    row,
                    GameReason.LEGALITY_MISMATCH,
                    "the legal moves are " + recordedLegal + ", and those of " + Board.text(board) + " are " + legal);
        }
        hasMoved = false;
        if ((legal & move.bit()) == 0) {
            error(row, GameReason.ILLEGAL_MOVE, move + " does not change " + Board.text(board));
        } else if (Board.isOverflowing(board, move)) {
            error(row, GameReason.TILE_OVERFLOW, new TileOverflowException(board, move).getMessage());
        } else {
            hasMoved = true;
            movedBoard = Board.slide(board, move.code());
        }
    }

    private void error(long row, Reason reason, String what) {
        findings.error(table.path(), row * table.rowSize(), reason, "row " + row + ": " + what);
    }

    /// The first run whose first row has another run id, or -1.
    static long firstWrongRun(GroupedTable table) throws IOException {
        Groups runs = table.groups();
        Field field = table.fields().stream()
                .filter(one -> one.name().equals("run_id"))
                .findFirst()
                .orElseThrow();
        try (Batch batch = Batch.create(List.of(field))) {
            long[] starts = new long[BATCH_RUNS];
            long[] wanted = new long[BATCH_RUNS];
            int filled = 0;
            for (long i = 0; i < runs.count(); i++) {
                if (runs.rowCount(i) > 0) {
                    starts[filled] = runs.start(i);
                    wanted[filled++] = i;
                }
                if (filled == BATCH_RUNS || i == runs.count() - 1) {
                    table.gather(Arrays.copyOf(starts, filled), batch);
                    for (int row = 0; row < filled; row++) {
                        long runId = batch.column(0).memory().get(Layouts.U32, row * 4L) & 0xFFFF_FFFFL;
                        if (runId != runs.whole("id", wanted[row])) {
                            return wanted[row];
                        }
                    }
                    filled = 0;
                }
            }
        }
        return -1;
    }
}
