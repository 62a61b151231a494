// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Buffer;
import dev.penstock.Field;
import dev.penstock.catalog.DatasetPart;
import dev.penstock.shards.SingleShardWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.apache.spark.sql.catalyst.InternalRow;

/// Writes activation shards from one column of arrays, which all have the same length.
final class ShardsTask extends TaskWriter {
    private final FieldEncoder encoder;
    private final Buffer row = new Buffer();
    /// The number of values of a row, or 0 before the first row.
    private long width;

    private Path path;
    private SingleShardWriter shard;

    ShardsTask(WritePlan plan, int task, long attempt) {
        super(plan, task, attempt);
        this.encoder = plan.encoders().getFirst();
        this.width = encoder.field().isVariable() ? 0 : encoder.field().shape().getFirst();
    }

    @Override
    void append(InternalRow values) throws IOException {
        requirePresent(encoder, values);
        Field field = encoder.field();
        long size;
        if (field.isVariable()) {
            size = encoder.append(values, row, 0);
        } else {
            size = field.itemSize();
            row.reserve(size).asSlice(0, size).fill((byte) 0);
            encoder.put(values, row.reserve(size), 0);
        }
        width = width == 0 ? size / field.elementSize() : width;
        if (size != width * field.elementSize() || size == 0) {
            throw new IllegalArgumentException("an array of column " + field.name() + " has "
                    + size / field.elementSize() + " values and others have " + width
                    + "; the rows of shards have one width of at least 1");
        }
        if (shard == null) {
            path = newPath();
            shard = SingleShardWriter.create(path, width, field.type(), disk());
        }
        MemorySegment bytes = row.reserve(size).asSlice(0, size);
        shard.append(bytes);
        if (shard.size() >= plan().options().shardBytes()) {
            finish();
        }
    }

    @Override
    void finish() throws IOException {
        if (shard != null) {
            shard.finish();
            add(new DatasetPart(path.getFileName().toString(), shard.rowCount(), shard.size()));
            shard.close();
            shard = null;
        }
    }

    @Override
    void discard() throws IOException {
        row.close();
        if (shard != null) {
            shard.close();
            shard = null;
        }
    }
}
