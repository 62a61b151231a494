// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.Format;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Copies the records of a source into a new dataset of any format that has a [Target].
///
/// Records stream through a few batches, so memory is bounded for any size. The target is written in a
/// [WorkFolder] beside its path. It is published when all its records have been read back and compared with the
/// source. An interrupted conversion leaves the folder. The same conversion, started again, continues after the
/// committed records and compares those with the source as well. Formats that commit only at the end
/// ([Target#isResumable]) start again.
///
/// **Threads.** One thread at a time.
public final class Conversion {
    private final RecordSource source;
    private final Path path;
    private final Target target;
    private final TargetOptions options;
    private final Disk disk;
    private final List<Field> numbers;
    private final Target.Job job;

    private Conversion(RecordSource source, Path path, Target target, TargetOptions options, Disk disk) {
        this.source = source;
        this.path = path;
        this.target = target;
        this.options = options;
        this.disk = disk;
        this.numbers = FieldCast.numbers(source.fields(), options.cast());
        Target.Job wanted = new Target.Job(source, path, numbers, options, disk);
        this.job = wanted.withFields(target.fields(wanted));
    }

    /// The result of a conversion.
    ///
    /// @param format       the format of the target
    /// @param records      the number of records in the target
    /// @param resumedAt    the number of records that an interrupted conversion had committed, or 0
    /// @param fields       the fields of the target
    /// @param bytes        the size of all files of the target
    /// @param fingerprint  the fingerprint of the target
    public record Report(
            String format, long records, long resumedAt, List<Field> fields, long bytes, String fingerprint) {}

    /// Prepares a conversion. Nothing is written yet.
    ///
    /// @param source the source, which the caller closes
    /// @param target the path of the new dataset
    /// @param format the name of its format, or null to use the extension of the path
    /// @throws IllegalArgumentException when the format is not known, or does not support the records
    public static Conversion of(RecordSource source, Path target, String format, TargetOptions options) {
        return of(source, target, format, options, Disk.real());
    }

    static Conversion of(RecordSource source, Path target, String format, TargetOptions options, Disk disk) {
        return new Conversion(source, target, Targets.choose(target, format), options, disk);
    }

    /// The format that the target will have.
    public String format() {
        return target.format();
    }

    /// The fields that the target will have, one for each field of the source and in the same order.
    public List<Field> fields() {
        return job.fields();
    }

    /// Copies all records, compares them, and publishes the target.
    ///
    /// @param copying   receives the progress of the copy
    /// @param verifying receives the progress of the comparison
    /// @throws java.nio.file.FileAlreadyExistsException when the target exists and may not be replaced
    /// @throws IllegalArgumentException when a value is missing and the format does not support that
    /// @throws DatasetException         when the source is damaged, or the target read back differs from it
    public Report run(Progress copying, Progress verifying) throws IOException {
        WorkFolder.requireReplaceable(disk, path, options.isReplacing(), ownNames());
        requireOther();
        try (WorkFolder work = WorkFolder.open(disk, path)) {
            try {
                Map<String, ?> note = note();
                boolean isResumed = work.resume(note, target.isResumable(path));
                RecordDigest expected = new RecordDigest(job.fields());
                long committed = copy(work.data(), expected, copying);
                requireUnchanged(note);
                Report report = verify(work, expected, isResumed ? committed : 0, verifying);
                work.publish();
                return report;
            } catch (IOException | OutOfMemoryError e) {
                // The records are valid, so the committed ones can be used once the disk works again.
                if (!target.isResumable(path)) {
                    work.removeAfter(e);
                }
                throw e;
            } catch (Throwable e) {
                work.removeAfter(e);
                throw e;
            }
        }
    }

    /// The folder that an interrupted conversion left beside a target, if there is one.
    public static Optional<Path> unfinished(Path target) throws IOException {
        Path folder = WorkFolder.folder(Disk.real().target(target));
        return Disk.real().exists(folder) ? Optional.of(folder) : Optional.empty();
    }

    /// The names of files in a folder that may be replaced.
    private List<String> ownNames() throws IOException {
        Catalog.Options reading = Catalog.Options.DEFAULT.withDisk(disk);
        Optional<Format> format = Catalog.format(path, reading);
        if (format.isEmpty() && disk.isDirectory(path)) {
            // Folders of other libraries are sources and not datasets of the catalog.
            boolean isSource = Sources.kind(Location.of(path), reading).isPresent();
            return isSource ? target.folderNames() : List.of();
        }
        return format.flatMap(found -> Targets.named(found.format()))
                .map(Target::folderNames)
                .orElse(List.of());
    }

    /// A folder is replaced in two steps, and a crash between them would leave the source at no path.
    private void requireOther() throws IOException {
        Optional<Dataset> read = source.dataset();
        if (disk.isDirectory(path) && read.isPresent() && isRead(read.get())) {
            throw new IllegalArgumentException(
                    path + " is both read and written; a folder cannot be converted in place: choose another target");
        }
    }

    /// Whether the target is a dataset that is read.
    private boolean isRead(Dataset dataset) throws IOException {
        if (dataset instanceof Concat concat) {
            for (Dataset part : concat.parts()) {
                if (isRead(part)) {
                    return true;
                }
            }
            return false;
        }
        return dataset.location().isLocal()
                && absolute(dataset.location().path()).equals(absolute(path));
    }

    private Path absolute(Path path) throws IOException {
        return disk.target(path.toAbsolutePath().normalize());
    }

    /// Describes the conversion, so that only the same conversion is continued.
    private Map<String, ?> note() throws IOException {
        Map<String, Object> note = new LinkedHashMap<>();
        note.put("source", source.fingerprint());
        note.put("format", target.format());
        note.put("fields", job.fields().toString());
        note.put("options", options.withReplacing(false).toString());
        return note;
    }

    /// A source without records by index may have grown while it was read.
    private void requireUnchanged(Map<String, ?> note) throws IOException {
        if (source.dataset().isEmpty() && !source.fingerprint().equals(note.get("source"))) {
            throw new IOException(
                    source.name() + " has changed while it was converted; convert it again when nothing writes to it");
        }
    }

    /// @return the number of records that were committed before
    private long copy(Path data, RecordDigest expected, Progress progress) throws IOException {
        try (RecordWriter writer = target.open(data, job);
                FieldCast cast = new FieldCast(source.fields(), numbers, job.fields());
                Skipping rest = new Skipping(writer, job.fields(), writer.count())) {
            long committed = writer.count();
            source.forEach(
                    (indices, rows) -> cast.apply(indices, rows, (ids, batch) -> {
                        requireComplete(ids, batch, expected.count());
                        expected.add(batch);
                        rest.append(ids, batch);
                    }),
                    progress);
            if (writer.count() != expected.count()) {
                throw new IllegalStateException("the unfinished conversion in " + data + " has " + writer.count()
                        + " records, but the source has only " + expected.count() + "; remove it and convert again");
            }
            writer.finish();
            return committed;
        }
    }

    private void requireComplete(long[] indices, Batch batch, long before) {
        if (target.hasMissing()) {
            return;
        }
        for (int i = 0; i < batch.columns().size(); i++) {
            Column column = batch.column(i);
            for (int row = 0; column.hasMissing() && row < batch.rowCount(); row++) {
                if (column.isMissing(row)) {
                    String field = source.fields().get(i).name();
                    throw new IllegalArgumentException("record " + (indices == null ? before + row : indices[row])
                            + " of " + source.name() + " has no value of field " + field + ", but a " + target.format()
                            + " does not support missing values; convert to a store, leave the field out,"
                            + " or skip such records with a condition on the field");
                }
            }
        }
    }

    /// Reads the target back and compares it with the copied records.
    private Report verify(WorkFolder work, RecordDigest expected, long resumedAt, Progress progress)
            throws IOException {
        try (RecordSource written = target.read(work.data(), job)) {
            RecordDigest found = new RecordDigest(written.fields());
            written.forEach((indices, batch) -> found.add(batch), progress);
            String difference = written.fields().size() == job.fields().size()
                    ? expected.difference(found)
                    : "it has the fields " + written.fields();
            if (difference != null) {
                throw new DatasetException.Corrupt(
                        path,
                        0,
                        Reason.CHECKSUM,
                        "the target read back differs from the source " + source.name() + ": " + difference
                                + "; it was removed, so convert again, and check the disk");
            }
            Optional<Dataset> dataset = written.dataset();
            return new Report(
                    target.format(),
                    expected.count(),
                    resumedAt,
                    written.fields(),
                    dataset.isPresent() ? dataset.get().bytes() : work.dataBytes(),
                    dataset.isPresent() ? dataset.get().fingerprint() : written.fingerprint());
        }
    }
}
