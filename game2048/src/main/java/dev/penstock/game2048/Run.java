// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.util.AbstractList;
import java.util.List;

/// A run of the game: its metadata, its steps and the board it ended with.
///
/// It is a view of [RunColumns]; no object is stored for a step.
public final class Run {
    private final RunColumns columns;

    Run(RunColumns columns) {
        this.columns = columns;
    }

    /// Creates a run from steps.
    public static Run of(RunMeta meta, List<Step> steps, long finalBoard) {
        RunColumns columns = new RunColumns();
        for (Step step : steps) {
            Branches branches = step.branches();
            int flags = branches == null ? 0 : RunColumns.HAS_BRANCHES | branches.legalBits();
            int index = columns.add(step.preBoard(), step.chosen().code(), flags);
            if (branches != null) {
                System.arraycopy(branches.valueBits(), 0, columns.branchBits, index * Move.COUNT, Move.COUNT);
            }
        }
        columns.end(meta, finalBoard);
        return columns.run();
    }

    /// Returns the version that the run was stored as.
    public RunVersion version() {
        return columns.version;
    }

    /// Returns the metadata of the recorder.
    public RunMeta meta() {
        return columns.meta;
    }

    /// Returns the actual number of steps; [RunMeta#steps] is the number in the metadata.
    public int stepCount() {
        return columns.stepCount;
    }

    /// Returns one step.
    ///
    /// @throws IndexOutOfBoundsException when the index is out of range
    public Step step(int stepIndex) {
        return columns.step(stepIndex);
    }

    /// Returns all steps as a list of views.
    public List<Step> steps() {
        return new AbstractList<>() {
            @Override
            public Step get(int index) {
                return step(index);
            }

            @Override
            public int size() {
                return stepCount();
            }
        };
    }

    /// Returns the board before a step, or the final board for the index after the last step.
    public long board(int stateIndex) {
        return stateIndex == columns.stepCount
                ? columns.finalBoard
                : columns.step(stateIndex).preBoard();
    }

    /// Returns the board after the last step.
    public long finalBoard() {
        return columns.finalBoard;
    }

    /// Returns the arrays behind the view.
    public RunColumns columns() {
        return columns;
    }
}
