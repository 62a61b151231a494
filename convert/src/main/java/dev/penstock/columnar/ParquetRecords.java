// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.convert.BadRecords;
import dev.penstock.convert.ClassNames;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.query.Where;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.parquet.format.ColumnMetaData;

/// The rows of Parquet files with the same columns, one file after another.
///
/// Row groups are read by several threads and passed on in order ([ParquetThreads]). Columns that nothing needs
/// are not read, and neither are row groups in which no row can match the condition.
///
/// A file is opened when its first row group is read, and its footer is read again then, so that memory does not
/// grow with the number of files. A file that has changed since is an error.
public final class ParquetRecords implements RecordSource, ClassNames {
    private final Location location;
    private final ReaderOptions options;
    private final List<ParquetFile> files;
    private final List<Field> fields;
    private final Map<String, List<String>> classes;
    private final Where where;
    private final boolean hasMissing;
    private final ColumnNotes known;
    private final BadRecords bad;

    /// What is known about a file.
    ///
    /// @param rows the number of rows of each row group
    record ParquetFile(Location location, long size, long[] rows) {}

    private ParquetRecords(
            Location location,
            ReaderOptions options,
            List<ParquetFile> files,
            List<Field> fields,
            Map<String, List<String>> classes,
            Where where,
            boolean hasMissing,
            ColumnNotes known,
            BadRecords bad) {
        this.location = location;
        this.options = options;
        this.files = files;
        this.fields = fields;
        this.classes = classes;
        this.where = where;
        this.hasMissing = hasMissing;
        this.known = known;
        this.bad = bad;
    }

    /// Opens a file, a folder, or a split of a folder.
    ///
    /// @throws DatasetException         when a file is damaged, or has other columns than the first
    /// @throws IllegalArgumentException when a folder has several splits, or the condition is invalid
    static ParquetRecords open(Location location, SourceOptions options) throws IOException {
        return open(location, options, ColumnNotes.NONE);
    }

    /// Opens a file on a disk.
    ///
    /// @param notes what is known about its columns
    static ParquetRecords open(Path path, Disk disk, ColumnNotes notes) throws IOException {
        SourceOptions options = SourceOptions.DEFAULT.withCatalog(Catalog.Options.DEFAULT.withDisk(disk));
        return open(Location.of(path), options, notes);
    }

    private static ParquetRecords open(Location location, SourceOptions options, ColumnNotes known) throws IOException {
        ReaderOptions reading = options.catalog().reading();
        List<Location> found = ParquetFiles.at(Candidate.at(location, reading));
        List<ParquetFile> files = new ArrayList<>();
        List<ColumnField> first = null;
        Map<String, List<String>> classes = Map.of();
        Set<String> withMissing = new HashSet<>();
        for (Location file : found) {
            ParquetFooter footer = footer(file, reading);
            List<ColumnField> columns = fields(footer, known);
            if (first == null) {
                first = columns;
                classes = ColumnField.classes(columns, notes(footer));
            } else {
                requireSame(found.getFirst(), first, file, columns);
            }
            files.add(new ParquetFile(file, footer.size(), rows(footer)));
            addMissing(footer, columns, withMissing);
        }
        List<Field> all = first.stream().map(ColumnField::field).toList();
        String condition = options.choice().condition();
        Where where = condition == null ? null : Where.parse(condition, all);
        Set<String> wanted = wanted(options, where);
        List<Field> chosen = all.stream()
                .filter(field -> wanted == null || wanted.contains(field.name()))
                .toList();
        boolean isByIndex =
                options.choice().sample() != null || options.choice().without() != null;
        List<Field> read = chosen.isEmpty() ? all : chosen;
        boolean hasMissing = read.stream().anyMatch(field -> withMissing.contains(field.name()));
        return new ParquetRecords(
                location, reading, files, read, classes, isByIndex ? null : where, hasMissing, known, options.bad());
    }

    /// Adds the fields of which the statistics of a file say that values are missing.
    private static void addMissing(ParquetFooter footer, List<ColumnField> columns, Set<String> withMissing) {
        for (ColumnField column : columns) {
            List<Integer> path = column.path();
            ParquetNode node = footer.columns().get(path.getFirst()).at(path.subList(1, path.size()));
            for (int i = 0; i < footer.groupCount() && node.leaf() != null; i++) {
                ColumnMetaData meta =
                        footer.group(i).getColumns().get(node.leaf().index()).getMeta_data();
                if (meta.isSetStatistics() && meta.getStatistics().getNull_count() > 0) {
                    withMissing.add(column.field().name());
                }
            }
        }
    }

    /// The names of the fields that a choice needs, or null for all.
    private static Set<String> wanted(SourceOptions options, Where where) {
        if (options.choice().fields().isEmpty()) {
            return null;
        }
        Set<String> wanted = new LinkedHashSet<>(options.choice().fields());
        if (where != null) {
            where.fields().forEach(field -> wanted.add(field.name()));
        }
        return wanted;
    }

    private static long[] rows(ParquetFooter footer) {
        long[] rows = new long[footer.groupCount()];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = footer.group(i).getNum_rows();
        }
        return rows;
    }

    private static ParquetFooter footer(Location file, ReaderOptions options) throws IOException {
        try (Disk.Readable open = options.storageOf(file).open(file)) {
            return ParquetFooter.read(file, open);
        }
    }

    static List<ColumnField> fields(ParquetFooter footer, ColumnNotes known) {
        return ColumnField.of(footer.location().toString(), footer.types(), known.or(notes(footer)));
    }

    private static ColumnNotes notes(ParquetFooter footer) {
        ColumnNotes shapes = ArrowSchema.ofParquet(footer.metadata("ARROW:schema"));
        return ColumnNotes.ofHuggingFace(footer.metadata("huggingface")).or(shapes);
    }

    private static void requireSame(
            Location firstFile, List<ColumnField> first, Location file, List<ColumnField> columns) {
        for (ColumnField column : first) {
            Field found = columns.stream()
                    .map(ColumnField::field)
                    .filter(field -> field.name().equals(column.field().name()))
                    .findFirst()
                    .orElse(null);
            if (!column.field().equals(found)) {
                throw new DatasetException.Corrupt(
                        file,
                        0,
                        Reason.KIND_MISMATCH,
                        "the column " + column.field().name() + " is "
                                + (found == null ? "not there" : described(found)) + ", but " + firstFile
                                + " has it as " + described(column.field())
                                + "; convert the files separately, or write them with one schema");
            }
        }
        if (columns.size() > first.size()) {
            List<String> known =
                    first.stream().map(column -> column.field().name()).toList();
            String other = columns.stream()
                    .map(column -> column.field().name())
                    .filter(name -> !known.contains(name))
                    .findFirst()
                    .orElseThrow();
            throw new DatasetException.Corrupt(
                    file,
                    0,
                    Reason.KIND_MISMATCH,
                    "it has the column " + other + ", which " + firstFile
                            + " does not have; convert the files separately, or write them with one schema");
        }
    }

    private static String described(Field field) {
        return field.type()
                + (field.isVariable() ? " of variable size" : field.shape().isEmpty() ? "" : " " + field.shape());
    }

    @Override
    public String name() {
        return location.toString();
    }

    @Override
    public List<Field> fields() {
        return fields;
    }

    @Override
    public boolean hasMissing() {
        return hasMissing;
    }

    @Override
    public Map<String, List<String>> classNames() {
        return classes;
    }

    /// The number of rows of all files.
    long recordCount() {
        long count = 0;
        for (ParquetFile file : files) {
            for (long rows : file.rows()) {
                count += rows;
            }
        }
        return count;
    }

    @Override
    public String fingerprint() throws IOException {
        Fingerprint fingerprint = new Fingerprint("parquet 1");
        for (ParquetFile file : files) {
            try (Disk.Readable open = options.storageOf(file.location()).open(file.location())) {
                fingerprint.add(file.location().name()).add(open.size()).addSample(open.size(), open::read);
            }
        }
        return fingerprint.add(fields.toString()).text();
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        try (ParquetThreads threads = new ParquetThreads(files, fields, known, where, options, bad)) {
            threads.forEach(receiver, progress, recordCount());
        }
    }

    /// Reads all columns of an open file.
    static void read(Location file, Disk.Readable open, BatchReceiver receiver) throws IOException {
        ParquetFooter footer = ParquetFooter.read(file, open);
        List<ColumnField> all = fields(footer, ColumnNotes.NONE);
        List<Field> fields = all.stream().map(ColumnField::field).toList();
        try (Batch batch = Batch.create(fields)) {
            for (int i = 0; i < footer.groupCount(); i++) {
                GroupReader group = new GroupReader(footer, i, all, fields, open, new Pages());
                while (group.left() > 0) {
                    group.read(batch);
                    receiver.accept(null, batch);
                }
            }
        }
    }

    @Override
    public void close() {
        // Files are open while they are read.
    }
}
