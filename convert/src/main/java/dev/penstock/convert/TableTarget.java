// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.file.Disk;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Writes tables: one NumPy file, or a folder of shards if the name does not end in `.npy`.
///
/// A folder is committed after each shard, so an interrupted conversion continues with the next one.
final class TableTarget implements Target {
    private static final String FILE_EXTENSION = ".npy";
    private static final long SHARD_BYTES = 1L << 30;

    @Override
    public String format() {
        return "table";
    }

    @Override
    public List<String> extensions() {
        return List.of(FILE_EXTENSION);
    }

    @Override
    public List<String> folderNames() {
        return List.of("*.npy", "manifest.json");
    }

    @Override
    public boolean isTextFixed() {
        return true;
    }

    @Override
    public boolean isResumable(Path target) {
        return !isFile(target);
    }

    private static boolean isFile(Path target) {
        return target.toString().endsWith(FILE_EXTENSION);
    }

    @Override
    public List<Field> fields(Job job) {
        if (isFile(job.target())) {
            job.options().requireOnly("a single .npy file");
        } else {
            job.options().requireOnly("a table", TargetOptions.Kind.SHARDS);
        }
        List<Field> variable = job.fields().stream().filter(Field::isVariable).toList();
        if (!variable.isEmpty()) {
            throw new IllegalArgumentException("values of a table have a fixed size, but in "
                    + job.source().name()
                    + " the size varies: " + RecordChoice.names(variable) + "; choose other fields, read"
                    + " values of one size as numbers, or convert to a store");
        }
        if (job.options().isPlain() && job.fields().size() == 1) {
            Field only = job.fields().getFirst();
            return List.of(new Field(RowType.VALUE, only.type(), only.elementSize(), only.shape(), false));
        }
        return job.fields();
    }

    @Override
    public RecordWriter open(Path path, Job job) throws IOException {
        TableWriter.Options writing = TableWriter.Options.DEFAULT.withDisk(job.disk());
        if (isFile(job.target())) {
            return new ShardingWriter(
                    path, writing, TableWriter.create(path, rowType(job), writing), Long.MAX_VALUE, 0);
        }
        Map<String, String> metadata =
                job.source().dataset().map(Dataset::metadata).orElse(Map.of());
        RowType rowType = rowType(job);
        long committed = committed(job.disk(), path, rowType);
        TableWriter.Options folder = writing.withMetadata(metadata);
        TableWriter writer =
                committed > 0 ? TableWriter.extend(path, folder) : TableWriter.create(path, rowType, folder);
        return new ShardingWriter(path, folder, writer, shardRows(job.options(), rowType.size()), committed);
    }

    private static long shardRows(TargetOptions options, long rowSize) {
        long rows = options.shardRows() == null ? Long.MAX_VALUE : options.shardRows();
        boolean isByBytes = options.shardBytes() != null || options.shardRows() == null;
        long bytes = options.shardBytes() == null ? SHARD_BYTES : options.shardBytes();
        return isByBytes ? Math.min(rows, Math.max(1, bytes / Math.max(1, rowSize))) : rows;
    }

    /// The number of rows that an interrupted conversion has committed; 0 if there are none or they have another
    /// type.
    private static long committed(Disk disk, Path path, RowType rowType) throws IOException {
        if (!disk.isDirectory(path) || !TableReader.isTable(disk, path)) {
            return 0;
        }
        TableReader.Options reading = TableReader.Options.DEFAULT.withDisk(disk);
        try (TableReader table = TableReader.open(path, reading)) {
            return table.rowType().equals(rowType) ? table.count() : 0;
        }
    }

    /// The row type of the source if the fields are unchanged, so that byte orders and dates are kept.
    private static RowType rowType(Job job) {
        return job.fields().equals(job.source().fields())
                ? TableInput.rowType(job.source(), job.fields())
                : RowType.of(job.fields());
    }

    private static final class ShardingWriter implements RecordWriter {
        private final Path path;
        private final TableWriter.Options options;
        private final long shardRows;
        private final Batch part;
        private TableWriter writer;
        private long shardCount;
        private long count;
        private boolean isFinished;

        /// @param shardRows the number of rows of a shard; the table is committed when one is full
        ShardingWriter(Path path, TableWriter.Options options, TableWriter writer, long shardRows, long committed) {
            this.path = path;
            this.options = options;
            this.writer = writer;
            this.shardRows = shardRows;
            this.count = committed;
            this.part = Batch.create(writer.rowType().recordFields());
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public void append(long[] indices, Batch batch) throws IOException {
            long done = 0;
            while (done < batch.rowCount()) {
                long limit = Math.min(batch.rowCount(), done + shardRows - shardCount);
                writer.append(BatchRows.range(batch, done, limit, part));
                shardCount += limit - done;
                count += limit - done;
                done = limit;
                commitIfFull();
            }
        }

        private void commitIfFull() throws IOException {
            if (shardCount == shardRows) {
                writer.close();
                writer = TableWriter.extend(path, options);
                shardCount = 0;
            }
        }

        @Override
        public void finish() throws IOException {
            isFinished = true;
            part.close();
            writer.close();
        }

        @Override
        public void close() throws IOException {
            if (!isFinished) {
                part.close();
                writer.abort();
            }
        }
    }
}
