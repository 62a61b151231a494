// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Disk;
import dev.penstock.groups.GroupFormat;
import dev.penstock.groups.GroupedTable;
import dev.penstock.groups.Groups;
import dev.penstock.pack.PackIntake;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The steps of many recorded games as rows, grouped by run. [StepsFormat] describes the files.
///
/// [#table] is the dataset for loaders, conditions and statistics.
///
/// **Ownership.** Owns the table. A filtered dataset is a view; closing it leaves the opened dataset open.
///
/// **Threads.** Safe for any number of threads.
public final class StepsDataset implements AutoCloseable {
    private final GroupedTable table;

    private StepsDataset(GroupedTable table) {
        this.table = table;
    }

    /// The result of a build or append.
    ///
    /// @param skipped  runs that were skipped, with the reason
    /// @param warnings problems that a strict reader of runs would reject
    public record Result(
            long runCount, long stepCount, List<PackIntake.Finding> skipped, List<PackIntake.Finding> warnings) {}

    /// Builds a dataset from a folder of runs or a pack of runs.
    ///
    /// @param output the folder to create, which must have no other content
    /// @throws DatasetException when a run is invalid and invalid runs are not skipped; the message names it
    public static Result build(Path input, Path output, StepsOptions options) throws IOException {
        return new StepsBuilder(output, options).run(input);
    }

    /// [#build(Path, Path, StepsOptions)] with default options.
    public static Result build(Path input, Path output) throws IOException {
        return build(input, output, StepsOptions.DEFAULT);
    }

    /// Appends the runs of a folder or a pack. Run ids continue. A dataset of shards gets new shards; a single
    /// file is written again.
    public static Result append(Path dataset, Path input, StepsOptions options) throws IOException {
        return new StepsAppend(dataset, options).run(input);
    }

    /// Opens a dataset of ours or of the original program.
    ///
    /// @throws DatasetException when the folder is not a steps dataset, or is damaged
    public static StepsDataset open(Path folder) throws IOException {
        return open(folder, Catalog.Options.DEFAULT);
    }

    /// Opens a dataset with options.
    public static StepsDataset open(Path folder, Catalog.Options options) throws IOException {
        Disk disk = options.disk();
        if (disk.isDirectory(folder) && !disk.exists(folder.resolve(GroupFormat.DATABASE))) {
            throw new DatasetException.WrongFormat(
                    folder, "this is not a steps dataset: " + GroupFormat.DATABASE + " is missing");
        }
        GroupedTable table = GroupedTable.open(folder, options.table());
        try {
            isWide(table);
            return new StepsDataset(table);
        } catch (Throwable e) {
            table.close();
            throw e;
        }
    }

    /// Creates a view of an open grouped table as steps. Closing it closes the table.
    ///
    /// @throws DatasetException when the rows are not steps
    public static StepsDataset of(GroupedTable table) {
        isWide(table);
        return new StepsDataset(table);
    }

    /// Whether the step index has 32 bits.
    ///
    /// @throws DatasetException when the rows are not steps
    static boolean isWide(GroupedTable table) {
        RowType found = new RowType(DType.parse(table.itemType()), table.rowShape());
        for (boolean isWide : new boolean[] {false, true}) {
            if (found.equals(StepsFormat.rowType(isWide))
                    && table.groups().layout().equals(GroupFormat.RUNS)) {
                return isWide;
            }
        }
        throw new DatasetException.WrongFormat(
                table.path(),
                "this is a grouped table but not a steps dataset: its rows are " + table.itemType() + ", grouped by the"
                        + " table " + table.groups().layout().table());
    }

    /// The rows, with the runs as groups.
    public GroupedTable table() {
        return table;
    }

    /// The number of steps.
    public long count() {
        return table.count();
    }

    /// The runs, in the order of their rows.
    public Groups runs() {
        return table.groups();
    }

    /// A zero-copy view of the steps of the runs whose highest score is at least `min`.
    public StepsDataset filterByScore(long min) throws IOException {
        return new StepsDataset(table.where("max_score >= " + min));
    }

    /// Checks files, run ids, step indices and values; see [StepsCheck].
    ///
    /// @param isReplaying whether every move is replayed as well
    public StepsCheck.Result check(boolean isReplaying, Progress progress) throws IOException {
        return new StepsCheck(table, isReplaying).run(progress);
    }

    @Override
    public void close() {
        table.close();
    }
}
