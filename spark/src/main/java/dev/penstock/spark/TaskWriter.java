// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.catalog.DatasetPart;
import dev.penstock.catalog.PartsCommit;
import dev.penstock.file.Disk;
import dev.penstock.table.TableCommit;
import dev.penstock.table.TableShard;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/// Writes the rows of a task to files of its own, which are whole and on disk when the task commits. Nobody reads
/// them before the driver has listed them.
///
/// **Lifecycle.** After [#abort] none of its files is left.
///
/// **Threads.** One thread at a time.
abstract class TaskWriter implements DataWriter<InternalRow> {
    private final WritePlan plan;
    private final int task;
    private final long attempt;
    private final Path folder;
    private final List<TableShard> shards = new ArrayList<>();
    private final List<DatasetPart> parts = new ArrayList<>();
    private int number;
    private long rowCount;

    TaskWriter(WritePlan plan, int task, long attempt) {
        this.plan = plan;
        this.task = task;
        this.attempt = attempt;
        this.folder = Path.of(plan.folder());
    }

    static TaskWriter of(WritePlan plan, int task, long attempt) {
        return switch (plan.options().kind()) {
            case "table" -> new TableTask(plan, task, attempt);
            case "pack" -> new PackTask(plan, task, attempt);
            case "shards" -> new ShardsTask(plan, task, attempt);
            default -> new StoreTask(plan, task, attempt);
        };
    }

    WritePlan plan() {
        return plan;
    }

    static Disk disk() {
        return Disk.real();
    }

    /// A new path for a file of this task.
    Path newPath() {
        String kind = plan.options().kind();
        String name = kind.equals("table")
                ? TableCommit.shardName(plan.job(), task, attempt, number)
                : PartsCommit.partName(kind, plan.job(), task, attempt, number);
        number++;
        return folder.resolve(name);
    }

    void add(TableShard shard) {
        shards.add(shard);
    }

    void add(DatasetPart part) {
        parts.add(part);
    }

    @Override
    public final void write(InternalRow row) throws IOException {
        try {
            append(row);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + " (row " + rowCount + " of partition " + task + ")", e);
        }
        rowCount++;
    }

    /// Takes a row, which is valid during the call.
    abstract void append(InternalRow row) throws IOException;

    /// Completes the file that is being written, if there is one.
    abstract void finish() throws IOException;

    /// Discards the file that is being written, if there is one.
    abstract void discard() throws IOException;

    /// A column of a table, a pack or shards has a value in each row.
    final void requirePresent(FieldEncoder encoder, InternalRow row) {
        if (encoder.isMissing(row)) {
            throw new IllegalArgumentException("column " + encoder.field().name()
                    + " has a null, which only a store can hold: fill it, drop the row, or write kind store");
        }
    }

    @Override
    public final WriterCommitMessage commit() throws IOException {
        finish();
        return new TaskParts(task, List.copyOf(shards), List.copyOf(parts));
    }

    @Override
    public final void abort() throws IOException {
        try {
            discard();
        } finally {
            for (TableShard shard : shards) {
                disk().deleteAll(folder.resolve(shard.name()));
            }
            for (DatasetPart part : parts) {
                disk().deleteAll(folder.resolve(part.name()));
            }
        }
    }

    /// Spark calls it after a commit or an abort.
    @Override
    public final void close() throws IOException {
        discard();
    }
}
