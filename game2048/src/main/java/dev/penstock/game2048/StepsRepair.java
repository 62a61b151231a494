// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.NewFile;
import dev.penstock.groups.GroupDatabase;
import dev.penstock.groups.GroupFormat;
import dev.penstock.groups.GroupReason;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableShard;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Repairs a steps dataset: run ids of rows that the original program appended, which start at 0 again; ranges
/// of runs that do not match the rows; and rows after the last run that belong to no run.
///
/// Rows of a run are consecutive and their step indices count from 0, which shows the start of each run whatever
/// the run ids say. Files without errors are not written.
public final class StepsRepair {
    private final Path folder;
    private final Disk disk;
    private final boolean isWide;
    private final int rowSize;
    private final List<Path> files;
    private final TableReader table;
    /// The first row of each run that has rows, and the run id of that row.
    private final List<long[]> found = new ArrayList<>();

    private StepsRepair(Path folder, Disk disk, TableReader table) {
        this.folder = folder;
        this.disk = disk;
        this.table = table;
        this.isWide = table.rowType().equals(StepsFormat.rowType(true));
        this.rowSize = (int) table.rowSize();
        this.files = table.arrayFiles().stream().map(Location::path).toList();
    }

    /// The result of a repair.
    ///
    /// @param rowCount the number of rows whose run id was changed
    /// @param runCount the number of runs whose range was changed in the database
    public record Result(long rowCount, long runCount) {}

    /// A run of the database.
    private static final class Entry {
        final long id;
        final long recordedCount;
        long first;
        long count;

        Entry(long id, long first, long count) {
            this.id = id;
            this.first = first;
            this.count = count;
            this.recordedCount = count;
        }
    }

    /// Repairs the dataset in a folder.
    ///
    /// @throws DatasetException when rows cannot be assigned to runs
    public static Result repair(Path folder, Disk disk, Progress progress) throws IOException {
        StepsFolder steps = new StepsFolder(disk, folder);
        steps.requireDataset();
        try (NewFile _ = steps.lock();
                GroupDatabase database = GroupDatabase.read(disk, folder);
                TableReader table = TableReader.open(rows(disk, folder), TableReader.Options.DEFAULT.withDisk(disk))) {
            if (!table.rowType().equals(StepsFormat.rowType(false))
                    && !table.rowType().equals(StepsFormat.rowType(true))) {
                throw new DatasetException.WrongFormat(folder, "the rows are not steps: " + table.itemType());
            }
            return new StepsRepair(folder, disk, table).repair(database, progress);
        }
    }

    private static Path rows(Disk disk, Path folder) throws IOException {
        return disk.exists(folder.resolve(StepsFormat.FILE)) && !TableReader.isTable(disk, folder)
                ? folder.resolve(StepsFormat.FILE)
                : folder;
    }

    private Result repair(GroupDatabase database, Progress progress) throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (long[] row :
                database.wholes("SELECT id, first_step_idx, num_steps FROM runs NOT INDEXED ORDER BY id", 3)) {
            entries.add(new Entry(row[0], row[1], row[2]));
        }
        findRuns(progress);
        long changedRuns = assign(entries);
        long changedRows = rewrite(entries);
        if (changedRuns > 0) {
            for (Entry entry : entries) {
                database.update(
                        "UPDATE runs SET first_step_idx = ?, num_steps = ? WHERE id = ?",
                        entry.first,
                        entry.count,
                        entry.id);
            }
            database.publish(disk, folder);
        }
        return new Result(changedRows, changedRuns);
    }

    /// Reads all rows once.
    private void findRuns(Progress progress) throws IOException {
        long[] previous = {-1, 0};
        RowBlocks.forEach(table, 0, table.count(), (first, count, rows) -> {
            for (int i = 0; i < count; i++) {
                long runId = (int) RunBytes.U32.get(rows, i * rowSize + StepsFormat.RUN_ID_OFFSET) & 0xFFFF_FFFFL;
                long step = stepIndex(rows, i);
                // A step index that wraps around continues a long run only if the run id stays the same.
                boolean isNext = previous[0] >= 0
                        && step == (previous[1] + 1 & (isWide ? -1L : 0xFFFF))
                        && (step != 0 || runId == previous[0]);
                if (!isNext) {
                    found.add(new long[] {first + i, runId});
                }
                previous[0] = runId;
                previous[1] = step;
            }
            progress.at(first + count, table.count());
        });
    }

    private long stepIndex(byte[] rows, int row) {
        int at = row * rowSize + StepsFormat.STEP_INDEX_OFFSET;
        return isWide ? (int) RunBytes.U32.get(rows, at) & 0xFFFF_FFFFL : (short) RunBytes.U16.get(rows, at) & 0xFFFF;
    }

    /// Assigns the rows to the runs of the database.
    ///
    /// @return the number of runs whose range has changed
    private long assign(List<Entry> entries) {
        List<Entry> withRows = owners(entries);
        if (withRows == null) {
            throw new DatasetException.Corrupt(
                    folder.resolve(GroupFormat.DATABASE),
                    0,
                    GroupReason.BAD_GROUPS,
                    "the rows hold " + found.size() + " runs, which cannot be matched to the " + entries.size()
                            + " runs of the database; build the dataset again from its runs");
        }
        Map<Long, Integer> places = new LinkedHashMap<>();
        for (int i = 0; i < withRows.size(); i++) {
            places.put(withRows.get(i).id, i);
        }
        long changed = 0;
        long row = 0;
        for (Entry entry : entries) {
            Integer place = places.get(entry.id);
            long first = place == null ? row : found.get(place)[0];
            long limit = place == null ? row : place + 1 < found.size() ? found.get(place + 1)[0] : table.count();
            changed += first != entry.first || limit - first != entry.recordedCount ? 1 : 0;
            entry.first = first;
            entry.count = limit - first;
            row = limit;
        }
        return changed;
    }

    /// The database entry of each run among the rows; null when it cannot be determined.
    private List<Entry> owners(List<Entry> entries) {
        List<Entry> recorded = entries.stream().filter(entry -> entry.count > 0).toList();
        if (recorded.size() == found.size()) {
            return recorded;
        }
        // Run ids start at 0 in each part that was built or appended. The part starts at the row where its first
        // run starts in the database.
        List<Entry> owners = new ArrayList<>();
        long base = 0;
        for (int i = 0; i < found.size(); i++) {
            long row = found.get(i)[0];
            if (i > 0 && found.get(i)[1] <= found.get(i - 1)[1]) {
                long before = owners.getLast().id;
                base = entries.stream()
                        .filter(entry -> entry.id > before && entry.first == row)
                        .mapToLong(entry -> entry.id)
                        .min()
                        .orElse(-1);
            }
            long id = base + found.get(i)[1];
            Entry owner =
                    entries.stream().filter(entry -> entry.id == id).findFirst().orElse(null);
            if (base < 0 || owner == null) {
                return null;
            }
            owners.add(owner);
        }
        return owners;
    }

    /// Rewrites the files whose run ids are wrong.
    private long rewrite(List<Entry> entries) throws IOException {
        List<Entry> withRows = entries.stream().filter(entry -> entry.count > 0).toList();
        long changed = 0;
        long first = 0;
        boolean isSharded = files.size() > 1 || !files.getFirst().endsWith(StepsFormat.FILE);
        List<TableShard> shards = new ArrayList<>();
        StepsManifest before = StepsManifest.read(disk, folder);
        for (Path file : files) {
            long rowCount;
            try (TableReader one = TableReader.open(file, TableReader.Options.DEFAULT.withDisk(disk))) {
                rowCount = one.count();
            }
            long wrong = count(withRows, first, rowCount);
            if (wrong > 0) {
                before = forget(before, file);
            }
            shards.add(wrong == 0 ? known(before, file, rowCount) : write(withRows, first, rowCount, file));
            changed += wrong;
            first += rowCount;
        }
        if (changed > 0 || before == null && isSharded) {
            (before == null ? StepsManifest.empty(isSharded, isWide) : before)
                    .with(shards, table.count(), entries.size(), Map.of("what", "repair", "rows", changed))
                    .publish(disk, folder);
        }
        return changed;
    }

    /// Publishes a manifest without the checksum of a file that is about to be replaced by one of the same size.
    /// Otherwise the old checksum would contradict the new file if the repair is interrupted.
    private StepsManifest forget(StepsManifest before, Path file) throws IOException {
        if (before == null) {
            return null;
        }
        String name = file.getFileName().toString();
        List<TableShard> shards = before.shards().stream()
                .map(shard ->
                        shard.name().equals(name) ? new TableShard(name, shard.rows(), shard.bytes(), null) : shard)
                .toList();
        StepsManifest without = before.with(shards, before.steps(), before.runs(), null);
        without.publish(disk, folder);
        return without;
    }

    private TableShard known(StepsManifest before, Path file, long rowCount) throws IOException {
        String name = file.getFileName().toString();
        if (before != null) {
            for (TableShard shard : before.shards()) {
                if (shard.name().equals(name)) {
                    return shard;
                }
            }
        }
        try (Disk.Readable bytes = disk.open(file)) {
            return new TableShard(name, rowCount, bytes.size(), null);
        }
    }

    private long count(List<Entry> withRows, long first, long rowCount) throws IOException {
        long[] wrong = new long[1];
        RowBlocks.forEach(
                table, first, rowCount, (start, count, rows) -> wrong[0] += mend(withRows, start, count, rows));
        return wrong[0];
    }

    private TableShard write(List<Entry> withRows, long first, long rowCount, Path file) throws IOException {
        try (StepsWriter writer = StepsWriter.ofFile(disk, file, isWide)) {
            RowBlocks.forEach(table, first, rowCount, (start, count, rows) -> {
                mend(withRows, start, count, rows);
                writer.append(MemorySegment.ofArray(rows).asSlice(0, (long) count * rowSize));
            });
            return writer.finish().getFirst();
        }
    }

    /// Sets the run ids of some rows and returns the number of changed rows.
    private long mend(List<Entry> withRows, long first, int count, byte[] rows) {
        int low = 0;
        int high = withRows.size() - 1;
        while (low < high) {
            int middle = low + high + 1 >>> 1;
            if (withRows.get(middle).first <= first) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        int run = low;
        long changed = 0;
        for (int i = 0; i < count; i++) {
            while (first + i >= withRows.get(run).first + withRows.get(run).count) {
                run++;
            }
            int at = i * rowSize + StepsFormat.RUN_ID_OFFSET;
            int id = (int) withRows.get(run).id;
            changed += (int) RunBytes.U32.get(rows, at) == id ? 0 : 1;
            RunBytes.U32.set(rows, at, id);
        }
        return changed;
    }
}
