// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.Buffer;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Findings;
import dev.penstock.Indices;
import dev.penstock.Io;
import dev.penstock.Pool;
import dev.penstock.Reason;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Json;
import dev.penstock.file.JsonObject;
import dev.penstock.file.Location;
import dev.penstock.file.NewFile;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.table.TableFormat;
import dev.penstock.table.TableReader;
import dev.penstock.view.Selection;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/// The open files of a grouped table, which all its views share.
final class GroupedSource implements AutoCloseable {
    private final Location folder;
    private final ReaderOptions reading;
    private final TableReader rows;
    private final Groups groups;
    private final long rowCount;
    private final List<String> remarks;
    private final List<Field> conditionFields;
    /// Scratch memory for the indices of views.
    private final Pool<Buffer> scratch = new Pool<>(Buffer::new, Buffer::close);

    /// What a message about wrong ranges of groups advises.
    static final String HOW_TO_REPAIR = "group the table again, or repair the dataset with the program that made it";

    private GroupedSource(
            Location folder, ReaderOptions reading, TableReader rows, Groups groups, List<String> remarks) {
        this.folder = folder;
        this.reading = reading;
        this.rows = rows;
        this.groups = groups;
        this.rowCount = groups.rowLimit();
        this.remarks = remarks;
        List<Field> all = new ArrayList<>(rows.fields());
        groups.fields().forEach(attribute -> all.add(GroupAttributes.named(attribute, rows.fields())));
        this.conditionFields = List.copyOf(all);
    }

    /// Reads the database before it opens the rows. Rows are published before the database that refers to them, so
    /// the opened rows include all rows that the database knows.
    static GroupedSource open(Location folder, TableReader.Options options) throws IOException {
        Storage storage = options.reading().storageOf(folder);
        if (!storage.isFolder(folder)) {
            if (storage.exists(folder)) {
                throw new DatasetException.WrongFormat(folder, "a grouped table must be a folder, but this is a file");
            }
            throw new NoSuchFileException(folder.toString());
        }
        if (!storage.exists(folder.resolve(GroupFormat.DATABASE))) {
            throw new DatasetException.WrongFormat(
                    folder,
                    "this is not a grouped table, because " + GroupFormat.DATABASE
                            + " is missing; `penstock table group` groups a table by a column");
        }
        Groups groups;
        try (GroupDatabase database = GroupDatabase.read(options.reading(), folder)) {
            groups = database.groups();
        }
        List<String> remarks = new ArrayList<>();
        TableReader rows = TableReader.open(rowsPath(storage, folder, remarks), options);
        try {
            requireInside(folder, groups, rows.count());
            // A manifest that does not belong to the table belongs to the grouped table.
            rows.remarks().stream()
                    .filter(remark -> !remark.startsWith(TableFormat.MANIFEST))
                    .forEach(remarks::add);
            return new GroupedSource(folder, options.reading(), rows, groups, List.copyOf(remarks));
        } catch (Throwable e) {
            rows.close();
            throw e;
        }
    }

    private static void requireInside(Location folder, Groups groups, long rowCount) {
        if (groups.rowLimit() > rowCount) {
            throw new DatasetException.Corrupt(
                    folder.resolve(GroupFormat.DATABASE),
                    0,
                    GroupReason.BAD_GROUPS,
                    "the groups end at row " + groups.rowLimit() + ", but the table has only " + rowCount + " rows; "
                            + HOW_TO_REPAIR);
        }
    }

    static boolean isGrouped(Storage storage, Location folder) throws IOException {
        return storage.isFolder(folder)
                && storage.exists(folder.resolve(GroupFormat.DATABASE))
                && (TableReader.isTable(storage, folder)
                        || !files(storage, folder).isEmpty());
    }

    /// The `.npy` files of a folder, without temporary ones.
    private static List<Location> files(Storage storage, Location folder) throws IOException {
        return storage.list(folder).stream()
                .filter(file -> file.name().endsWith(".npy") && !NewFile.isTemporary(Path.of(file.name())))
                .sorted(Comparator.comparing(Location::name))
                .toList();
    }

    /// The table in a folder: the folder itself when it has shards, otherwise its only `.npy` file.
    static Location rowsPath(Storage storage, Location folder, List<String> remarks) throws IOException {
        List<Location> files = files(storage, folder);
        if (TableReader.isTable(storage, folder)) {
            List<String> others = files.stream()
                    .map(Location::name)
                    .filter(name -> !name.matches(".+[-_]\\d{5,6}\\.npy"))
                    .toList();
            if (!others.isEmpty()) {
                remarks.add("The folder holds shards, so " + String.join(", ", others) + " is not read.");
            }
            return folder;
        }
        if (files.size() != 1) {
            throw new DatasetException.WrongFormat(
                    folder,
                    files.isEmpty()
                            ? "the folder has a " + GroupFormat.DATABASE + " but no .npy file with the rows"
                            : "the folder has several .npy files, but only one can be the rows; remove the others");
        }
        return files.getFirst();
    }

    Location folder() {
        return folder;
    }

    ReaderOptions reading() {
        return reading;
    }

    TableReader rows() {
        return rows;
    }

    Groups groups() {
        return groups;
    }

    /// The checksum that the manifest lists for a single file of rows, or null when it lists none. A table of
    /// several files compares its shards with its manifest itself.
    ///
    /// An append publishes the rows before the manifest. So a manifest that lists another number of rows is
    /// older than the rows, and its checksum says nothing about them.
    String listedCrc(Findings findings) throws IOException {
        Location file = rows.location();
        Location manifest = folder.resolve(TableFormat.MANIFEST);
        byte[] bytes = file.equals(folder) ? null : ChecksummedJson.read(reading.storageOf(manifest), manifest);
        if (bytes == null) {
            return null;
        }
        try {
            JsonObject values = new JsonObject((Map<?, ?>) Json.parse(bytes));
            if (!values.values().containsKey("shards")) {
                // The original program lists no files.
                return null;
            }
            for (JsonObject listed : values.objects("shards")) {
                boolean isOfRows = listed.text("file").equals(file.name()) && listed.whole("rows") == rows.count();
                if (isOfRows && listed.values().get("crc32c") != null) {
                    return listed.text("crc32c");
                }
            }
            return null;
        } catch (IllegalArgumentException | ClassCastException e) {
            findings.warning(
                    manifest,
                    0,
                    Reason.BAD_MANIFEST,
                    "the manifest is damaged, so the rows cannot be compared with its checksum");
            return null;
        }
    }

    /// The database as it was when the table was opened. Appends add runs with higher ids in place.
    byte[] database() throws IOException {
        try (GroupDatabase database = GroupDatabase.read(reading, folder)) {
            if (groups.layout().equals(GroupFormat.RUNS)) {
                long last = -1;
                for (long i = 0; i < groups.count(); i++) {
                    last = Math.max(last, groups.whole("id", i));
                }
                database.update("DELETE FROM runs WHERE id > ?", last);
            }
            return database.bytes();
        }
    }

    /// The number of rows up to the end of the last group.
    long rowCount() {
        return rowCount;
    }

    List<String> remarks() {
        return remarks;
    }

    List<Field> conditionFields() {
        return conditionFields;
    }

    /// Checks indices of a view and passes on the corresponding indices of the table.
    void use(MemorySegment indices, long count, Selection selection, Io.Consumer<MemorySegment> use)
            throws IOException {
        if (selection == null) {
            if (rows.count() != rowCount) {
                Indices.requireAll(indices, count);
            }
            use.accept(indices);
            return;
        }
        Indices.count(indices);
        Buffer buffer = scratch.borrow();
        try {
            MemorySegment translated = buffer.reserve(indices.byteSize());
            selection.translate(indices, translated);
            use.accept(translated.asSlice(0, indices.byteSize()));
        } finally {
            scratch.giveBack(buffer);
        }
    }

    @Override
    public void close() {
        rows.close();
        scratch.close();
    }
}
