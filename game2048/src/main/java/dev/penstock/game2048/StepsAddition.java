// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.groups.GroupDatabase;
import dev.penstock.pack.PackIntake;
import dev.penstock.table.TableShard;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Runs that are being added to a dataset. It assigns ids and rows, and counts them.
///
/// **Threads.** One thread at a time.
final class StepsAddition {
    /// The number of runs that are inserted together.
    private static final int INSERT_COUNT = 1000;

    private final StepsOptions options;
    private final List<PackIntake.Finding> skipped = new ArrayList<>();
    private final List<PackIntake.Finding> deviating = new ArrayList<>();
    private long nextId;
    private long rowCount;
    private long newRuns;
    private long newSteps;

    /// @param nextId   the id of the first new run
    /// @param rowCount the number of rows before the new ones
    StepsAddition(StepsOptions options, long nextId, long rowCount) {
        this.options = options;
        this.nextId = nextId;
        this.rowCount = rowCount;
    }

    /// Writes all runs: their rows to files, their metadata to a database.
    ///
    /// @throws DatasetException when no run can be used
    void add(StepsInput runs, StepsWriter writer, GroupDatabase database) throws IOException {
        int rowSize = StepsFormat.rowSize(options.isWide());
        deviating.addAll(runs.leftOut());
        List<Object[]> entries = new ArrayList<>();
        runs.forEach(chunk -> {
            int row = 0;
            for (StepsInput.Run run : chunk.runs()) {
                if (nextId >= StepsFormat.RUN_ID_LIMIT) {
                    throw new IllegalArgumentException("all 32-bit run ids are in use");
                }
                for (int limit = row + run.stepCount(); row < limit; row++) {
                    RunBytes.U32.set(chunk.rows(), row * rowSize + StepsFormat.RUN_ID_OFFSET, (int) nextId);
                }
                entries.add(entry(nextId++, rowCount, run));
                rowCount += run.stepCount();
                newSteps += run.stepCount();
                newRuns++;
            }
            writer.append(MemorySegment.ofArray(chunk.rows()).asSlice(0, chunk.size()));
            if (entries.size() >= INSERT_COUNT) {
                database.insert(StepsFormat.INSERT, entries);
                entries.clear();
            }
            skipped.addAll(chunk.skipped());
            deviating.addAll(chunk.deviating());
        });
        database.insert(StepsFormat.INSERT, entries);
        if (newRuns == 0) {
            throw noRun(runs.runCount());
        }
    }

    /// The skipped runs as one exception, which says why no run can be used. Nothing is written then.
    private RuntimeException noRun(int runCount) {
        if (skipped.isEmpty()) {
            return new IllegalArgumentException("there is no run to use; nothing was written");
        }
        PackIntake.Finding first = skipped.getFirst();
        return new DatasetException.Corrupt(
                first.file(),
                0,
                new Reason(first.reason()),
                first.what() + "; none of the " + runCount + " runs can be used, so nothing was written");
    }

    private static Object[] entry(long id, long firstRow, StepsInput.Run run) {
        RunMeta meta = run.meta();
        float elapsed = meta.elapsedS();
        return new Object[] {
            id,
            firstRow,
            (long) run.stepCount(),
            meta.maxScore(),
            meta.highestTile(),
            meta.engine() == null ? "" : meta.engine(),
            meta.startUnixS(),
            Float.isNaN(elapsed) ? null : (double) elapsed
        };
    }

    long newSteps() {
        return newSteps;
    }

    /// Returns the manifest after this addition.
    StepsManifest manifest(StepsManifest before, List<TableShard> shards, String what, Path input) {
        Map<String, Object> source = new LinkedHashMap<>();
        source.put("what", what);
        source.put(
                "input",
                input.getFileName() == null
                        ? input.toString()
                        : input.getFileName().toString());
        source.put("runs", newRuns);
        source.put("steps", newSteps);
        source.put("skipped", (long) skipped.size());
        source.put("missing_branches", options.isSynthesizing() ? "legal moves of the board" : "refused");
        return before.with(shards, rowCount, before.runs() + newRuns, source);
    }

    StepsDataset.Result result() {
        return new StepsDataset.Result(newRuns, newSteps, List.copyOf(skipped), List.copyOf(deviating));
    }
}
