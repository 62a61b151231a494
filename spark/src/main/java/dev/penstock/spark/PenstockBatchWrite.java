// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.catalog.DatasetPart;
import dev.penstock.catalog.PartsCommit;
import dev.penstock.file.Disk;
import dev.penstock.file.PublishMode;
import dev.penstock.pack.PackWriter;
import dev.penstock.store.StoreWriter;
import dev.penstock.table.RowType;
import dev.penstock.table.TableCommit;
import dev.penstock.table.TableShard;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/// The write of a query, in the driver: it locks the folder, and at the end publishes what the tasks have written
/// in one step. Until then readers see the dataset as it was.
///
/// Files of tasks that failed, were killed or came second are removed at the end. Those of a driver that was
/// killed are removed by the next write.
final class PenstockBatchWrite implements BatchWrite {
    private final WritePlan plan;
    private final PublishMode mode;
    private TableCommit table;
    private PartsCommit parts;

    PenstockBatchWrite(WritePlan plan, PublishMode mode) {
        this.plan = plan;
        this.mode = mode;
    }

    private Path folder() {
        return Path.of(plan.folder());
    }

    private boolean isTable() {
        return plan.options().kind().equals("table");
    }

    @Override
    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
        try {
            if (plan.options().group() != null) {
                GroupedRows.requireGroups(folder(), plan.options().group(), mode);
            }
            Files.createDirectories(folder().toAbsolutePath().getParent());
            if (isTable()) {
                table = TableCommit.begin(folder(), RowType.of(plan.fields()), plan.job(), mode, Map.of(), Disk.real());
            } else {
                parts = PartsCommit.begin(folder(), plan.options().kind(), plan.job(), mode, Map.of(), Disk.real());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Tasks(plan);
    }

    /// Makes the writers in the executors.
    private record Tasks(WritePlan plan) implements DataWriterFactory {
        @Override
        public DataWriter<InternalRow> createWriter(int task, long attempt) {
            return TaskWriter.of(plan, task, attempt);
        }
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
        List<TaskParts> written = Arrays.stream(messages)
                .map(TaskParts.class::cast)
                .sorted(Comparator.comparingInt(TaskParts::task))
                .toList();
        try {
            if (isTable()) {
                List<TableShard> shards =
                        written.stream().flatMap(task -> task.shards().stream()).toList();
                table.commit(shards);
            } else {
                List<DatasetPart> all = new ArrayList<>(
                        written.stream().flatMap(task -> task.parts().stream()).toList());
                if (all.isEmpty() && mode != PublishMode.APPEND) {
                    all.add(empty());
                }
                parts.commit(all);
            }
            close();
            if (plan.options().group() != null) {
                GroupedRows.group(folder(), plan.options().group());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A dataset without records needs a part that has their fields.
    private DatasetPart empty() throws IOException {
        String kind = plan.options().kind();
        Path path = folder().resolve(PartsCommit.partName(kind, plan.job(), 0, 0, 0));
        switch (kind) {
            case "pack" ->
                PackWriter.create(path, PackTask.options(plan.options().compression()))
                        .close();
            case "store" ->
                StoreWriter.create(path, StoreTask.fields(plan), StoreTask.options())
                        .close();
            default ->
                throw new IllegalArgumentException("there is no row, and shards have at least one; check the query");
        }
        return new DatasetPart(path.getFileName().toString(), 0, 0);
    }

    private void close() throws IOException {
        if (table != null) {
            table.close();
        }
        if (parts != null) {
            parts.close();
        }
    }

    @Override
    public void abort(WriterCommitMessage[] messages) {
        try {
            close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
