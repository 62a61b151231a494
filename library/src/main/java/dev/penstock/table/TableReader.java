// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Field;
import dev.penstock.Indices;
import dev.penstock.Origin;
import dev.penstock.Progress;
import dev.penstock.RemoteRecords;
import dev.penstock.Row;
import dev.penstock.Shard;
import dev.penstock.StoredRows;
import dev.penstock.Verification;
import dev.penstock.file.DatasetFiles;
import dev.penstock.file.Disk;
import dev.penstock.file.FormatOptions;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.rows.RangeGather;
import dev.penstock.rows.RowField;
import dev.penstock.rows.RowGather;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A reader for tables.
///
/// Its records are the rows. A structured type has a field for each of its members, a plain type has the field
/// `value`. Opening reads only the headers.
///
/// **Ownership.** Owns the mappings. Rows are views into them and are valid until the reader is closed.
///
/// **Threads.** Safe for any number of threads, as for every [Dataset][dev.penstock.Dataset].
public final class TableReader implements StoredRows {
    /// Options for reading a table.
    ///
    /// @param reading       the options that all formats share
    /// @param isLenient     whether to read all shard files of a folder whose manifest is damaged, has a newer
    ///                      version or names missing files, instead of refusing it; [TableReader#remarks] says so
    /// @param hasFirstCheck whether each shard is read whole and compared with its checksum before any call
    ///                      returns its first row; otherwise only [TableReader#verify] compares checksums
    public record Options(ReaderOptions reading, boolean isLenient, boolean hasFirstCheck)
            implements FormatOptions<Options> {
        public static final Options DEFAULT = new Options(ReaderOptions.DEFAULT, false, false);

        @Override
        public Options withReading(ReaderOptions reading) {
            return new Options(reading, isLenient, hasFirstCheck);
        }

        public Options withLenient(boolean isLenient) {
            return new Options(reading, isLenient, hasFirstCheck);
        }

        public Options withFirstCheck(boolean hasFirstCheck) {
            return new Options(reading, isLenient, hasFirstCheck);
        }
    }

    private final Location location;
    private final Options options;
    private final TablePaths files;
    private final TableRows shards;
    private final List<RowField> rowFields;
    private final List<Field> fields;
    private final RowGather gather;
    private final RangeGather runs;
    private final TableFingerprint fingerprints;

    private TableReader(Location location, Options options, TablePaths files, TableRows shards) {
        this.location = location;
        this.options = options;
        this.files = files;
        this.shards = shards;
        this.rowFields = shards.rowType().fields();
        this.fields = rowFields.stream().map(RowField::field).toList();
        this.gather = new RowGather(shards.rows(), rowFields);
        this.runs = new RangeGather(shards.rows(), rowFields);
        this.fingerprints = new TableFingerprint(shards, files.manifest());
    }

    /// Opens a file, a folder of shards, one of several tables in a folder as `FOLDER/NAME`, or an array in an
    /// archive as `FILE.npz/NAME`. An archive with a single array can also be opened by its own name.
    ///
    /// @throws dev.penstock.DatasetException when the path is not a table, or is damaged
    public static TableReader open(Path path) throws IOException {
        return open(path, Options.DEFAULT);
    }

    /// Opens a table with options.
    public static TableReader open(Path path, Options options) throws IOException {
        return open(Location.of(path), options);
    }

    /// Opens a table of the disk or of another storage.
    ///
    /// @throws IllegalArgumentException when there is no storage for the scheme of the location, or a table
    ///                                  without checksums is opened with the first check
    public static TableReader open(Location location, Options options) throws IOException {
        TablePaths files = TablePaths.find(options.reading().storageOf(location), location, options.isLenient());
        TableRows shards = TableRows.open(files, options.reading(), options.hasFirstCheck());
        return new TableReader(location, options, files, shards);
    }

    /// Opens a file of plain rows without a header. The caller gives their type.
    ///
    /// @throws dev.penstock.DatasetException when the file is not a whole number of rows
    /// @throws IllegalArgumentException when rows of this type have no bytes
    public static TableReader openRaw(Path path, RowType rowType, Options options) throws IOException {
        return openRaw(Location.of(path), rowType, options);
    }

    /// Opens a file of plain rows, like [#openRaw(Path, RowType, Options)].
    public static TableReader openRaw(Location location, RowType rowType, Options options) throws IOException {
        if (options.hasFirstCheck()) {
            throw new IllegalArgumentException(location + " has no checksum: it is a file of plain rows");
        }
        if (rowType.size() == 0) {
            throw new IllegalArgumentException("rows of type " + rowType
                    + " have no bytes, so the number of rows in a file without a" + " header is not known");
        }
        TablePaths files = TablePaths.ofFile(location);
        TableRows rows = TableRows.open(files, options.reading(), file -> TableHeader.raw(file, rowType));
        return new TableReader(location, options, files, rows);
    }

    /// The names of the arrays of an `.npz` file, in its order; empty when the location is no zip archive. The
    /// location with a name behind it is a table.
    ///
    /// @throws dev.penstock.DatasetException when the archive is damaged
    public static List<String> arrays(Location file, ReaderOptions options) throws IOException {
        Storage storage = options.storageOf(file);
        return file.equals(TablePaths.archiveOf(storage, file)) ? ZipMembers.names(storage, file) : List.of();
    }

    /// Whether a folder is a table, a path `FOLDER/NAME` is one of several tables in a folder, or a path
    /// `FILE/NAME` leads into a zip archive.
    public static boolean isTable(Disk disk, Path path) throws IOException {
        return isTable(Storage.of(disk), Location.of(path));
    }

    /// The files of the table in a folder, the manifest last. A manifest of another program is left out.
    ///
    /// @throws dev.penstock.DatasetException when the folder is not one table, or is damaged
    public static DatasetFiles files(Storage storage, Location folder) throws IOException {
        TablePaths paths = TablePaths.find(storage, folder, false);
        List<String> names = paths.files().stream()
                .map(file -> DatasetFiles.name(folder, file))
                .toList();
        return paths.manifest() == null
                ? new DatasetFiles(names, false)
                : DatasetFiles.committed(names, TableFormat.MANIFEST);
    }

    /// Whether a location of a storage is a table, like [#isTable(Disk, Path)]. A folder that the storage does not
    /// list is a table if it has a manifest.
    public static boolean isTable(Storage storage, Location location) throws IOException {
        return storage.isFolder(location)
                ? TablePaths.isTable(storage, location)
                : TablePaths.isUnlisted(storage, location)
                        || TablePaths.isNamedTable(storage, location)
                        || TablePaths.archiveOf(storage, location) != null;
    }

    @Override
    public String format() {
        return "table";
    }

    @Override
    public int version() {
        return shards.headers().getFirst().version();
    }

    @Override
    public Location location() {
        return location;
    }

    @Override
    public long count() {
        return shards.count();
    }

    @Override
    public long bytes() {
        return shards.group().bytes();
    }

    @Override
    public List<Field> fields() {
        return fields;
    }

    @Override
    public List<Shard> shards() {
        return files.member() == null
                ? Shard.list(files.files(), shards.rows()::start)
                : List.of(new Shard(location, 0, count()));
    }

    /// Empty with the first check, because a program that maps the files itself would not check them.
    @Override
    public List<Location> arrayFiles() {
        if (options.hasFirstCheck()) {
            return List.of();
        }
        return files.member() == null
                ? files.files()
                : List.of(files.member().part().file());
    }

    @Override
    public long arrayOffset() {
        return files.member() == null ? 0 : files.member().part().offset();
    }

    @Override
    public boolean isRaw() {
        return shards.headers().getFirst().isRaw();
    }

    @Override
    public String itemType() {
        return rowType().item().descr();
    }

    @Override
    public List<Long> rowShape() {
        return rowType().shape();
    }

    @Override
    public long rowSize() {
        return rowType().size();
    }

    /// A folder of scalars is a table with one row for each of them.
    @Override
    public boolean isScalar() {
        return count() == 1 && shards.headers().getFirst().isScalar();
    }

    @Override
    public RemoteRecords remote() {
        return shards.rows().remote();
    }

    /// The type of a row as it is stored.
    public RowType rowType() {
        return shards.rowType();
    }

    @Override
    public Row get(long rowIndex) throws IOException {
        return shards.group().use(() -> {
            Objects.checkIndex(rowIndex, count());
            List<MemorySegment> values = new ArrayList<>(rowFields.size());
            for (RowField field : rowFields) {
                values.add(gather.value(field, rowIndex));
            }
            return new Row(rowIndex, values);
        });
    }

    /// Rows have no names.
    @Override
    public String name(long rowIndex) {
        Objects.checkIndex(rowIndex, count());
        return null;
    }

    /// A zero-copy view of one field of all rows.
    ///
    /// @throws IllegalArgumentException when the field does not exist
    public TableColumn column(String name) {
        for (RowField field : rowFields) {
            if (field.field().name().equals(name)) {
                return new TableColumn(shards, gather, field);
            }
        }
        throw new IllegalArgumentException(location + " has no field " + name + "; its fields are "
                + String.join(", ", fields.stream().map(Field::name).toList()));
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        batch.clear();
        gather.gather(indices, batch);
    }

    /// Copies many rows in their stored form, one after another. Returns their bytes, which belong to the buffer.
    ///
    /// @param indices as for [#gather]
    public MemorySegment read(MemorySegment indices, Buffer target) throws IOException {
        return gather.read(indices, target);
    }

    /// Copies many rows in their stored form, one after another.
    ///
    /// Memory that another thread could free, because it belongs to a shared or automatic arena, is filled through
    /// a small buffer. That is a few per cent slower than [#read(MemorySegment, Buffer)] or memory of a confined
    /// arena.
    ///
    /// @param indices as for [#gather]
    /// @param target  memory for [RowType#size] bytes for each row
    public void read(MemorySegment indices, MemorySegment target) throws IOException {
        gather.read(indices, target);
    }

    @Override
    public void readRanges(MemorySegment firstRows, long length, MemorySegment target) throws IOException {
        runs.read(firstRows, length, target);
    }

    @Override
    public boolean gatherRanges(MemorySegment firstRows, long length, Batch batch) throws IOException {
        return runs.gather(firstRows, length, batch);
    }

    @Override
    public void prepare() {
        shards.group().prepare();
    }

    @Override
    public void prefetch(long firstIndex, long recordCount) {
        Objects.checkFromIndexSize(firstIndex, recordCount, count());
        gather.prefetch(firstIndex, recordCount);
    }

    @Override
    public Verification verify(Progress progress) throws IOException {
        return verify(progress, null);
    }

    /// Verifies a table of one file, which has no manifest of its own, with a checksum that is stored elsewhere.
    ///
    /// @param crc the CRC-32C of the whole file as eight hexadecimal digits, or null when it is not known
    public Verification verify(Progress progress, String crc) throws IOException {
        return shards.group().use(() -> new TableVerifier(files, shards, options.threads(), crc).verify(progress));
    }

    @Override
    public List<Origin> origins(long index) {
        return List.of(shards.rows().origin(this, index));
    }

    /// A fingerprint built from the type, the number of rows, and the checksums in the manifest or samples of the
    /// rows. It does not depend on how the rows are divided into shards.
    @Override
    public String fingerprint() throws IOException {
        return fingerprint(count());
    }

    /// Known for every number of rows, because a table grows by appending.
    @Override
    public String fingerprint(long rowCount) throws IOException {
        return shards.group().use(() -> {
            Indices.requireFirst(this, rowCount);
            return fingerprints.of(rowCount);
        });
    }

    /// Also accepts the fingerprint of samples, which earlier versions used for tables with a manifest, and which
    /// copies without a manifest have.
    @Override
    public boolean hasFingerprint(String noted, long rowCount) throws IOException {
        return noted.equals(fingerprint(rowCount))
                || shards.group().use(() -> noted.equals(fingerprints.ofSamples(rowCount)));
    }

    @Override
    public boolean isFingerprintExact() {
        return fingerprints.isExact();
    }

    /// The metadata in the manifest.
    @Override
    public Map<String, String> metadata() {
        return files.manifest() == null ? Map.of() : files.manifest().metadata();
    }

    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("dtype", rowType().item().descr());
        facts.put("rowShape", Literal.tuple(rowType().shape()));
        facts.put("rowBytes", shards.rows().rowSize());
        facts.put("shards", (long) shards.headers().size());
        facts.put("order", shards.hasColumnOrder() ? "Fortran" : "C");
        facts.put("manifest", files.manifest() != null);
        if (isRaw()) {
            facts.put("raw", true);
        }
        if (files.manifest() != null) {
            facts.put("created", files.manifest().created());
        }
        if (files.member() != null) {
            facts.put("member", files.member().name());
        }
        return facts;
    }

    @Override
    public List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        if (files.remark() != null) {
            remarks.add(files.remark());
        }
        if (shards.hasColumnOrder()) {
            remarks.add("the array is in Fortran order (column by column), so its rows are scattered over the file,"
                    + " which is slow; write the rows to a new table for faster reading");
        }
        return remarks;
    }

    @Override
    public void close() {
        shards.close();
        gather.close();
        runs.close();
    }
}
