// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import dev.penstock.convert.RecordChoice;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.RecordWriter;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.convert.Target;
import dev.penstock.convert.TargetOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Writes records as samples of a WebDataset: a tar archive, or a folder of them.
///
/// The key of a sample is the field `__key__`, or else the number of the record. Every other field is a file; see
/// [SampleField]. A missing value is a file that is not there.
public final class TarTarget implements Target {
    private static final long SHARD_BYTES = 1L << 30;

    @Override
    public String format() {
        return "tar";
    }

    @Override
    public List<String> extensions() {
        return List.of(".tar");
    }

    @Override
    public List<String> folderNames() {
        return List.of("shard-*.tar");
    }

    @Override
    public boolean hasMissing() {
        return true;
    }

    /// An archive has no place to say how many of its records are complete.
    @Override
    public boolean isResumable(Path target) {
        return false;
    }

    @Override
    public List<Field> fields(Job job) {
        job.options().requireOnly("a tar archive", TargetOptions.Kind.SHARDS);
        List<SampleField> all = SampleField.of(job.fields());
        return all.stream().map(SampleField::field).toList();
    }

    @Override
    public RecordWriter open(Path path, Job job) throws IOException {
        TargetOptions options = job.options();
        boolean isFile = isFile(job);
        if (isFile && (options.shardRows() != null || options.shardBytes() != null)) {
            throw new IllegalArgumentException(
                    job.target() + " is one archive; give a name without .tar to get a folder of shards");
        }
        long rows = options.shardRows() == null ? Long.MAX_VALUE : options.shardRows();
        long bytes = options.shardBytes() == null
                ? options.shardRows() == null ? SHARD_BYTES : Long.MAX_VALUE
                : options.shardBytes();
        return isFile
                ? new TarRecordWriter(
                        job.disk(), shard -> path, SampleField.of(job.fields()), Long.MAX_VALUE, Long.MAX_VALUE)
                : new TarRecordWriter(
                        job.disk(), shard -> shard(job.disk(), path, shard), SampleField.of(job.fields()), rows, bytes);
    }

    private static boolean isFile(Job job) {
        return job.target().toString().endsWith(".tar");
    }

    private static Path shard(Disk disk, Path folder, int shard) throws IOException {
        disk.createDirectory(folder);
        return folder.resolve(String.format("shard-%06d.tar", shard));
    }

    @Override
    public RecordSource read(Path path, Job job) throws IOException {
        ReaderOptions reading = Catalog.Options.DEFAULT.withDisk(job.disk()).reading();
        Map<String, MemberDecoder> decoders = new LinkedHashMap<>();
        for (SampleField field : SampleField.of(job.fields())) {
            if (!field.isKey()) {
                decoders.put(field.extension(), field.decoder());
            }
        }
        List<Location> files = ShardFolder.files(Location.of(path), reading, List.of(".tar"));
        RecordSource written = new SampleRecords(
                "tar",
                SourceFile.of(files, reading),
                file -> new TarMembers(file.open()),
                new SampleShape(decoders),
                SourceOptions.DEFAULT);
        return Sources.chosen(
                written,
                RecordChoice.ALL.withFields(
                        job.fields().stream().map(Field::name).toList()));
    }
}
