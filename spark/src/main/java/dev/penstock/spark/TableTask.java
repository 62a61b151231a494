// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Buffer;
import dev.penstock.table.RowType;
import dev.penstock.table.TableShardWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.apache.spark.sql.catalyst.InternalRow;

/// Writes shards of a table. Rows are put together in their stored form.
final class TableTask extends TaskWriter {
    private static final long BUFFER_BYTES = 1 << 18;

    private final RowType rowType;
    private final FieldEncoder[] encoders;
    private final long[] offsets;
    private final Buffer buffer = new Buffer();
    private final MemorySegment rows;
    private final long rowSize;
    private final long capacity;
    private long pending;
    private TableShardWriter shard;

    TableTask(WritePlan plan, int task, long attempt) {
        super(plan, task, attempt);
        this.rowType = RowType.of(plan.fields());
        this.encoders = plan.encoders().toArray(FieldEncoder[]::new);
        this.offsets = new long[encoders.length];
        for (int i = 1; i < encoders.length; i++) {
            offsets[i] = offsets[i - 1] + encoders[i - 1].field().itemSize();
        }
        this.rowSize = rowType.size();
        this.capacity = Math.max(1, BUFFER_BYTES / Math.max(1, rowSize));
        this.rows = buffer.reserve(capacity * rowSize).asSlice(0, capacity * rowSize);
        rows.fill((byte) 0);
    }

    @Override
    void append(InternalRow row) throws IOException {
        long start = pending * rowSize;
        for (int i = 0; i < encoders.length; i++) {
            requirePresent(encoders[i], row);
            encoders[i].put(row, rows, start + offsets[i]);
        }
        if (++pending == capacity) {
            flush();
        }
    }

    private void flush() throws IOException {
        if (pending == 0) {
            return;
        }
        if (shard == null) {
            shard = TableShardWriter.create(newPath(), rowType, disk());
        }
        shard.append(rows.asSlice(0, pending * rowSize));
        rows.asSlice(0, pending * rowSize).fill((byte) 0);
        pending = 0;
        if (shard.size() >= plan().options().shardBytes()) {
            finishShard();
        }
    }

    private void finishShard() throws IOException {
        add(shard.finish());
        shard.close();
        shard = null;
    }

    @Override
    void finish() throws IOException {
        flush();
        if (shard != null) {
            finishShard();
        }
    }

    @Override
    void discard() throws IOException {
        buffer.close();
        if (shard != null) {
            shard.close();
            shard = null;
        }
    }
}
