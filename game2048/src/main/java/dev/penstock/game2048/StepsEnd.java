// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.file.Disk;
import dev.penstock.groups.GroupDatabase;
import dev.penstock.groups.GroupFormat;
import dev.penstock.groups.GroupReason;
import dev.penstock.groups.GroupedTable;
import dev.penstock.groups.Groups;
import dev.penstock.table.ShardName;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableShard;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// The end of a dataset: the information that an append needs.
///
/// @param manifest the manifest, or one created from the files if there is none
/// @param nextId   the id of the next run
/// @param kept     the shards that are part of the dataset; a single file is in the manifest only
record StepsEnd(StepsManifest manifest, long nextId, List<TableShard> kept) {

    /// The number of rows of the dataset.
    long rowCount() {
        return manifest.steps();
    }

    /// The next shard.
    ShardName nextShard() {
        return kept.isEmpty()
                ? ShardName.first(StepsFormat.SERIES)
                : ShardName.parse(kept.getLast().name()).orElseThrow().next();
    }

    /// Finds the end of a dataset of shards from its manifest, its last run and its last row, without reading
    /// the rows.
    ///
    /// @return null when these do not match, as after a crash or in datasets of other programs; then use [#of]
    static StepsEnd quick(StepsFolder folder) throws IOException {
        StepsManifest manifest = StepsManifest.read(folder.disk(), folder.path());
        if (manifest == null || !manifest.isSharded() || manifest.shards().isEmpty()) {
            return null;
        }
        Set<String> names = folder.disk().list(folder.path()).stream()
                .map(file -> file.getFileName().toString())
                .collect(Collectors.toSet());
        List<TableShard> shards = manifest.shards();
        long rowCount = shards.stream().mapToLong(TableShard::rows).sum();
        if (rowCount != manifest.steps() || !shards.stream().allMatch(shard -> names.contains(shard.name()))) {
            return null;
        }
        long[] last = last(folder);
        boolean isRight = last != null
                && last[1] == manifest.runs() - 1
                && last[2] + last[3] == rowCount
                && runId(folder, manifest) == last[0];
        return isRight ? new StepsEnd(manifest, manifest.runs(), shards) : null;
    }

    /// The id of the last run with rows, the highest id, and the range of the last run with rows; null when
    /// there is none.
    private static long[] last(StepsFolder folder) throws IOException {
        try (GroupDatabase database = GroupDatabase.read(folder.disk(), folder.path())) {
            if (!database.layout().equals(GroupFormat.RUNS)) {
                return null;
            }
            List<long[]> found = database.wholes(
                    "SELECT id, (SELECT max(id) FROM runs NOT INDEXED), first_step_idx, num_steps FROM runs"
                            + " NOT INDEXED WHERE num_steps > 0 ORDER BY id DESC LIMIT 1",
                    4);
            return found.isEmpty() ? null : found.getFirst();
        }
    }

    /// The run id of the last row; -1 when the last shard does not match the manifest.
    private static long runId(StepsFolder folder, StepsManifest manifest) throws IOException {
        TableShard last = manifest.shards().getLast();
        Path file = folder.path().resolve(last.name());
        try (TableReader shard = TableReader.open(file, folder.readOptions());
                Disk.Readable bytes = folder.disk().open(file)) {
            if (shard.count() != last.rows()
                    || last.rows() == 0
                    || !shard.rowType().equals(StepsFormat.rowType(manifest.isWide()))) {
                return -1;
            }
            byte[] row = new byte[StepsFormat.rowSize(manifest.isWide())];
            bytes.read(bytes.size() - row.length, MemorySegment.ofArray(row));
            return (int) RunBytes.U32.get(row, StepsFormat.RUN_ID_OFFSET) & 0xFFFF_FFFFL;
        }
    }

    /// Finds the end of any dataset.
    ///
    /// @throws DatasetException when there are rows that the original program appended, or only a part of a
    ///                          shard belongs to the dataset
    static StepsEnd of(StepsFolder folder, GroupedTable table) throws IOException {
        if (StepsCheck.firstWrongRun(table) >= 0) {
            throw new DatasetException.Corrupt(
                    folder.path(),
                    0,
                    GameReason.BAD_RUN_ID,
                    "the run ids of the rows do not match the database, as after an append by the original"
                            + " program; repair the dataset first: penstock game2048 steps repair " + folder.path());
        }
        Groups runs = table.groups();
        long nextId = 0;
        for (long i = 0; i < runs.count(); i++) {
            nextId = Math.max(nextId, runs.whole("id", i) + 1);
        }
        StepsManifest manifest = folder.manifest(table, StepsDataset.isWide(table));
        return new StepsEnd(manifest, nextId, kept(folder, manifest));
    }

    /// The shards with the rows that the database knows.
    private static List<TableShard> kept(StepsFolder folder, StepsManifest manifest) {
        List<TableShard> kept = new ArrayList<>();
        if (!manifest.isSharded()) {
            return kept;
        }
        long rows = 0;
        for (TableShard shard : manifest.shards()) {
            if (rows < manifest.steps()) {
                kept.add(shard);
                rows += shard.rows();
            }
        }
        if (rows != manifest.steps()) {
            throw new DatasetException.Corrupt(
                    folder.path(),
                    0,
                    GroupReason.UNCOMMITTED,
                    "the last shard has " + (rows - manifest.steps()) + " rows that belong to no run; repair the"
                            + " dataset first: penstock game2048 steps repair " + folder.path());
        }
        return kept;
    }
}
