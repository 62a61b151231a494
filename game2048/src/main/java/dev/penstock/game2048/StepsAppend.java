// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.file.NewFile;
import dev.penstock.groups.GroupChange;
import dev.penstock.groups.GroupDatabase;
import dev.penstock.groups.GroupedTable;
import dev.penstock.table.TableShard;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Appends runs to a steps dataset.
///
/// The order of publication: the rows, then the manifest, and last the runs in the database, in one transaction,
/// which is the commit. Until then readers see the rows that the database knows and ignore the new rows after
/// them. The time for appending to shards depends on the number of new rows only.
final class StepsAppend {
    private final StepsFolder folder;
    private final StepsOptions options;

    StepsAppend(Path folder, StepsOptions options) {
        this.folder = new StepsFolder(options.disk(), folder);
        this.options = options;
    }

    StepsDataset.Result run(Path input) throws IOException {
        folder.requireDataset();
        try (NewFile _ = folder.lock()) {
            StepsEnd end = StepsEnd.quick(folder);
            if (end != null) {
                return append(input, end, null);
            }
            try (GroupedTable table = GroupedTable.open(folder.path(), folder.readOptions())) {
                return append(input, StepsEnd.of(folder, table), table);
            }
        }
    }

    /// @param table the existing rows; needed for a single file only
    private StepsDataset.Result append(Path input, StepsEnd end, GroupedTable table) throws IOException {
        StepsManifest before = end.manifest();
        StepsOptions own = options.withWide(before.isWide()).withShardRows(shardRows(before));
        StepsAddition addition = new StepsAddition(own, end.nextId(), end.rowCount());
        if (before.isSharded()) {
            removeUncommitted(end);
        }
        try (StepsInput source = StepsInput.open(input, own);
                GroupDatabase added = GroupDatabase.create(folder.database(), StepsFormat.SCHEMA);
                StepsWriter writer =
                        new StepsWriter(folder.disk(), folder.path(), own.isWide(), own.shardRows(), end.nextShard())) {
            if (!before.isSharded()) {
                copy(table, writer);
            }
            addition.add(source, writer, added);
            List<TableShard> shards = new ArrayList<>(end.kept());
            if (addition.newSteps() > 0 || !before.isSharded()) {
                shards.addAll(writer.finish());
            }
            addition.manifest(before, shards, "append", input).publish(folder.disk(), folder.path());
            commit(added, end.nextId());
        }
        return addition.result();
    }

    /// Removes the shards of an append that was not committed. They are removed from the manifest first, because
    /// every shard that it lists must exist.
    private void removeUncommitted(StepsEnd end) throws IOException {
        StepsManifest before = end.manifest();
        if (end.kept().size() < before.shards().size()) {
            before.with(end.kept(), before.steps(), before.runs(), null).publish(folder.disk(), folder.path());
        }
        folder.deleteShards(end.nextShard().number());
    }

    /// A dataset of one file stays one file. A dataset of shards gets shards of any number of rows unless a
    /// limit is given.
    private long shardRows(StepsManifest before) {
        if (!before.isSharded()) {
            return 0;
        }
        return options.shardRows() == 0 ? Long.MAX_VALUE / StepsFormat.rowSize(true) : options.shardRows();
    }

    private void commit(GroupDatabase added, long nextId) throws IOException {
        try (GroupChange change = GroupChange.begin(folder.disk(), folder.path())) {
            if (change.wholes("SELECT coalesce(max(id), -1) FROM runs NOT INDEXED", 1)
                            .getFirst()[0]
                    != nextId - 1) {
                throw new IOException("another program has added runs to " + folder.database()
                        + " during the append; nothing was appended. Check the dataset and append again");
            }
            change.insert(added, "SELECT * FROM runs ORDER BY id", StepsFormat.INSERT);
            change.commit();
        }
    }

    private static void copy(GroupedTable table, StepsWriter writer) throws IOException {
        RowBlocks.forEach(
                table,
                0,
                table.count(),
                (first, count, rows) ->
                        writer.append(MemorySegment.ofArray(rows).asSlice(0, count * table.rowSize())));
    }
}
