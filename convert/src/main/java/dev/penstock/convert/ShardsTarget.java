// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.shards.ShardWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Writes activation shards: each record is a row of the numbers of one field.
///
/// Each shard is published when it is full, so an interrupted conversion continues with the next one.
final class ShardsTarget implements Target {
    @Override
    public String format() {
        return "shards";
    }

    @Override
    public List<String> extensions() {
        return List.of(".shards");
    }

    @Override
    public List<String> folderNames() {
        return List.of("*.shard", "corpus.json", "stats.json");
    }

    @Override
    public boolean isResumable(Path target) {
        return true;
    }

    @Override
    public List<Field> fields(Job job) {
        job.options().requireOnly("a folder of shards", TargetOptions.Kind.SHARDS);
        Field field = job.fields().getFirst();
        if (job.fields().size() != 1) {
            throw new IllegalArgumentException(
                    "a row of shards has a single field, but " + job.source().name()
                            + " has the fields " + RecordChoice.names(job.fields()) + "; choose one, such as "
                            + field.name());
        }
        if (field.isVariable() || field.itemSize() == 0) {
            throw new IllegalArgumentException("rows of shards have a fixed number of values, but in "
                    + job.source().name() + " the size of " + field.name() + " varies; read"
                    + " values of one size as numbers, or convert to a store or a pack");
        }
        if (!field.type().isFloat()) {
            throw new IllegalArgumentException("shards have floating-point numbers, but field " + field.name()
                    + " has type " + field.type()
                    + (field.type().isText() ? "" : "; convert it to f32 or f64"));
        }
        long width = field.itemSize() / field.elementSize();
        return List.of(new Field("value", field.type(), field.elementSize(), List.of(width), false));
    }

    @Override
    public RecordWriter open(Path path, Job job) throws IOException {
        Field field = job.fields().getFirst();
        Map<String, String> metadata =
                job.source().dataset().map(Dataset::metadata).orElse(Map.of());
        ShardWriter.Options writing = ShardWriter.Options.DEFAULT
                .withDisk(job.disk())
                .withType(field.type())
                .withMetadata(metadata);
        TargetOptions options = job.options();
        writing = options.shardRows() == null ? writing : writing.withShardRows(options.shardRows());
        writing = options.shardBytes() == null ? writing : writing.withShardBytes(options.shardBytes());
        return new FilledWriter(
                RecordWriter.of(ShardWriter.resume(path, field.shape().getFirst(), writing)));
    }

    /// Refuses to complete shards without rows.
    private record FilledWriter(RecordWriter writer) implements RecordWriter {
        @Override
        public long count() {
            return writer.count();
        }

        @Override
        public void append(long[] indices, Batch batch) throws IOException {
            writer.append(indices, batch);
        }

        @Override
        public void finish() throws IOException {
            if (count() == 0) {
                throw new IllegalArgumentException("there are no records to convert, but shards without rows cannot be"
                        + " read; convert to another format");
            }
            writer.finish();
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }
}
