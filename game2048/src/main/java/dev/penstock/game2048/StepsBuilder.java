// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Location;
import dev.penstock.Reason;
import dev.penstock.groups.GroupDatabase;
import dev.penstock.groups.GroupFormat;
import dev.penstock.groups.GroupedTable;
import dev.penstock.groups.Groups;
import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFile;
import dev.penstock.table.TableFormat;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// Builds a steps dataset, or appends runs to one.
///
/// The order of publication: the rows, then the manifest, and last the database, which is the commit. Until then a
/// reader finds the rows that the old database knows, and new rows behind them do not count.
final class StepsBuilder {
    /// The name of a file that is never published: its temporary file is the lock of the folder.
    private static final String LOCK = "lock";

    private static final Pattern SHARD = Pattern.compile("steps-(\\d{5,6})\\.npy");
    private static final int COPY_ROWS = 1 << 16;

    private final Path folder;
    private final StepsOptions options;
    private final Disk disk;
    private final List<RunIntake.Finding> skipped = new ArrayList<>();
    private final List<RunIntake.Finding> deviating = new ArrayList<>();
    /// Whether this writer has had the folder to itself; otherwise the files in it are those of another.
    private boolean hasLocked;

    private long nextId;
    private long rowCount;
    private long newRuns;
    private long newSteps;

    StepsBuilder(Path folder, StepsOptions options) {
        this.folder = folder;
        this.options = options;
        this.disk = options.disk();
    }

    /// Makes a dataset that must not exist.
    StepsDataset.Result build(Path input) throws IOException {
        requireNoDataset();
        boolean isNewFolder = !disk.exists(folder);
        try {
            return buildNew(input);
        } catch (Throwable e) {
            try {
                cleanUp(isNewFolder);
            } catch (IOException other) {
                e.addSuppressed(other);
            }
            throw e;
        }
    }

    /// Removes what a failed build has written, unless it got as far as the database.
    private void cleanUp(boolean isNewFolder) throws IOException {
        if (!hasLocked || disk.exists(folder.resolve(GroupFormat.DATABASE))) {
            return;
        }
        if (StepsManifest.read(disk, folder) != null) {
            deleteShards(0);
            disk.delete(folder.resolve(StepsFormat.FILE));
            disk.delete(folder.resolve(TableFormat.MANIFEST));
        }
        if (isNewFolder && disk.list(folder).isEmpty()) {
            disk.delete(folder);
        }
    }

    private StepsDataset.Result buildNew(Path input) throws IOException {
        try (StepsInput runs = StepsInput.open(input, options)) {
            disk.createDirectory(folder);
            Path parent = folder.toAbsolutePath().getParent();
            disk.forceDirectory(parent == null ? folder : parent);
            try (NewFile _ = NewFile.createAlone(disk, folder.resolve(LOCK), folder)) {
                requireNoDataset();
                hasLocked = true;
                // What an unfinished build left is recognised by its manifest, so the manifest comes first.
                StepsManifest begun = StepsManifest.empty(options.shardRows() > 0, options.isWide());
                begun.publish(disk, folder);
                deleteShards(0);
                Path file = folder.resolve(GroupFormat.DATABASE);
                try (GroupDatabase database = GroupDatabase.create(file, StepsFormat.SCHEMA);
                        StepsWriter writer = new StepsWriter(disk, folder, options.isWide(), options.shardRows(), 0)) {
                    add(runs, writer, database);
                    publish(begun, writer.finish(), database, source("build", input));
                }
            }
        }
        return result();
    }

    /// Adds runs to a dataset.
    StepsDataset.Result append(Path input) throws IOException {
        requireDataset();
        try (NewFile _ = NewFile.createAlone(disk, folder.resolve(LOCK), folder);
                GroupDatabase database = GroupDatabase.read(disk, folder);
                GroupedTable table = GroupedTable.open(folder, readOptions())) {
            boolean isWide = StepsDataset.isWide(table);
            StepsManifest before = manifest(table, isWide);
            StepsBuilder own = new StepsBuilder(folder, options.withWide(isWide).withShardRows(shardRows(before)));
            return own.append(input, before, table, database);
        }
    }

    private StepsDataset.Result append(Path input, StepsManifest before, GroupedTable table, GroupDatabase database)
            throws IOException {
        Groups runs = table.groups();
        requireOwnIds(table);
        for (long i = 0; i < runs.count(); i++) {
            nextId = Math.max(nextId, runs.whole("id", i) + 1);
        }
        rowCount = table.count();
        List<StepsWriter.Part> kept = kept(before, rowCount);
        long nextShard =
                before.isSharded() && !kept.isEmpty() ? number(kept.getLast().file()) + 1 : 0;
        if (before.isSharded()) {
            deleteShards(nextShard);
        }
        try (StepsInput source = StepsInput.open(input, options);
                StepsWriter writer = new StepsWriter(disk, folder, options.isWide(), options.shardRows(), nextShard)) {
            if (!before.isSharded()) {
                copy(table, writer);
            }
            add(source, writer, database);
            List<StepsWriter.Part> parts = new ArrayList<>(before.isSharded() ? kept : List.of());
            if (newSteps > 0 || !before.isSharded()) {
                parts.addAll(writer.finish());
            }
            publish(before, parts, database, source("append", input));
        }
        return result();
    }

    /// A dataset that is not divided stays so; one of shards gets shards of any number of rows unless told
    /// otherwise.
    private long shardRows(StepsManifest before) {
        if (!before.isSharded()) {
            return 0;
        }
        return options.shardRows() == 0 ? Long.MAX_VALUE / StepsFormat.rowSize(true) : options.shardRows();
    }

    private void add(StepsInput runs, StepsWriter writer, GroupDatabase database) throws IOException {
        int rowSize = StepsFormat.rowSize(options.isWide());
        runs.forEach(chunk -> {
            List<Object[]> entries = new ArrayList<>();
            int row = 0;
            for (StepsInput.Run run : chunk.runs()) {
                if (nextId >= StepsFormat.RUN_ID_LIMIT) {
                    throw new IllegalArgumentException("run ids have 32 bits, and all are taken");
                }
                for (int limit = row + run.stepCount(); row < limit; row++) {
                    RunBytes.U32.set(chunk.rows(), row * rowSize + StepsFormat.RUN_ID_OFFSET, (int) nextId);
                }
                entries.add(entry(nextId++, rowCount, run));
                rowCount += run.stepCount();
                newSteps += run.stepCount();
                newRuns++;
            }
            writer.append(MemorySegment.ofArray(chunk.rows()));
            database.insert(StepsFormat.INSERT, entries);
            skipped.addAll(chunk.skipped());
            deviating.addAll(chunk.deviating());
        });
        if (newRuns == 0) {
            throw new IllegalArgumentException(
                    "none of the " + runs.runCount() + " runs can be used; nothing was written");
        }
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

    private void publish(
            StepsManifest before, List<StepsWriter.Part> parts, GroupDatabase database, Map<String, Object> source)
            throws IOException {
        before.with(parts, rowCount, before.runs() + newRuns, source).publish(disk, folder);
        database.publish(disk, folder);
    }

    private Map<String, Object> source(String what, Path input) {
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
        return source;
    }

    private StepsDataset.Result result() {
        return new StepsDataset.Result(newRuns, newSteps, List.copyOf(skipped), List.copyOf(deviating));
    }

    private TableReader.Options readOptions() {
        return TableReader.Options.DEFAULT.withDisk(disk);
    }

    private void requireDataset() throws IOException {
        if (!GroupedTable.isGrouped(disk, folder)) {
            throw new DatasetException.WrongFormat(
                    folder,
                    disk.isDirectory(folder)
                            ? "this is no steps dataset: " + missing() + " is missing"
                            : "a steps dataset is a folder; `penstock steps build` makes one");
        }
    }

    private String missing() throws IOException {
        return disk.exists(folder.resolve(GroupFormat.DATABASE)) ? StepsFormat.FILE : GroupFormat.DATABASE;
    }

    /// A folder that is empty, or that an interrupted build has left, may be built into.
    private void requireNoDataset() throws IOException {
        if (!disk.exists(folder)) {
            return;
        }
        if (!disk.isDirectory(folder)) {
            throw new FileAlreadyExistsException(folder.toString(), null, "a dataset is a folder: name another");
        }
        boolean isEmpty = disk.list(folder).stream().allMatch(NewFile::isTemporary);
        boolean isUnfinished =
                !disk.exists(folder.resolve(GroupFormat.DATABASE)) && StepsManifest.read(disk, folder) != null;
        if (!isEmpty && !isUnfinished) {
            throw new FileAlreadyExistsException(
                    folder.toString(), null, "a folder is not replaced: remove it, name another, or use steps append");
        }
    }

    /// Removes shards that no commit has made part of the dataset.
    private void deleteShards(long firstNumber) throws IOException {
        for (Path file : disk.list(folder)) {
            String name = file.getFileName().toString();
            if (SHARD.matcher(name).matches() && number(name) >= firstNumber) {
                disk.delete(file);
            }
        }
    }

    private static long number(String shard) {
        return Long.parseLong(SHARD.matcher(shard).replaceAll("$1"));
    }

    /// The shards with the rows that the database knows.
    ///
    /// @throws DatasetException when it knows a part of a shard only
    private List<StepsWriter.Part> kept(StepsManifest before, long limit) {
        List<StepsWriter.Part> kept = new ArrayList<>();
        long rows = 0;
        for (StepsWriter.Part part : before.parts()) {
            if (rows < limit) {
                kept.add(part);
                rows += part.rows();
            }
        }
        if (before.isSharded() && rows != limit) {
            throw new DatasetException.Corrupt(
                    folder,
                    0,
                    Reason.UNCOMMITTED,
                    "the last shard has " + (rows - limit) + " rows that belong to no run; `penstock steps repair`"
                            + " mends this");
        }
        return kept;
    }

    /// What the manifest says, or would say if there were one.
    private StepsManifest manifest(GroupedTable table, boolean isWide) throws IOException {
        List<Path> files = table.arrayFiles().stream().map(Location::path).toList();
        boolean isSharded = files.size() > 1
                || SHARD.matcher(files.getFirst().getFileName().toString()).matches();
        StepsManifest found = StepsManifest.read(disk, folder);
        StepsManifest start = found == null ? StepsManifest.empty(isSharded, isWide) : found;
        List<StepsWriter.Part> parts = new ArrayList<>();
        for (Path file : files) {
            String name = file.getFileName().toString();
            StepsWriter.Part known = start.parts().stream()
                    .filter(part -> part.file().equals(name))
                    .findFirst()
                    .orElse(null);
            parts.add(known == null ? part(file) : known);
        }
        return new StepsManifest(
                isSharded, isWide, table.count(), table.groups().count(), start.created(), parts, start.sources());
    }

    private StepsWriter.Part part(Path file) throws IOException {
        try (TableReader one = TableReader.open(file, readOptions());
                Disk.Readable bytes = disk.open(file)) {
            return new StepsWriter.Part(file.getFileName().toString(), one.count(), bytes.size(), null);
        }
    }

    /// Rows of an append of the original count their runs from 0 again. More rows behind them would make it worse.
    private void requireOwnIds(GroupedTable table) throws IOException {
        if (StepsCheck.firstWrongRun(table) >= 0) {
            throw new DatasetException.Corrupt(
                    folder,
                    0,
                    Reason.BAD_RUN_ID,
                    "the run ids of the rows are not those of the database, as after an append of the original"
                            + " program; mend them first: penstock steps repair " + folder);
        }
    }

    private void copy(GroupedTable table, StepsWriter writer) throws IOException {
        long rowSize = table.rowSize();
        byte[] rows = new byte[Math.toIntExact(COPY_ROWS * rowSize)];
        long[] indices = new long[COPY_ROWS];
        for (long first = 0; first < table.count(); first += COPY_ROWS) {
            int count = (int) Math.min(COPY_ROWS, table.count() - first);
            for (int i = 0; i < count; i++) {
                indices[i] = first + i;
            }
            MemorySegment part = MemorySegment.ofArray(rows).asSlice(0, count * rowSize);
            table.read(MemorySegment.ofArray(indices).asSlice(0, (long) count * Long.BYTES), part);
            writer.append(part);
        }
    }
}
