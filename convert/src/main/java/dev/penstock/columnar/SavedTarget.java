// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.convert.RecordWriter;
import dev.penstock.convert.Target;
import dev.penstock.convert.TargetOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Writes folders as `save_to_disk` of Hugging Face `datasets` does, for `load_from_disk`: Arrow streams, their
/// names in `state.json`, and the features in `dataset_info.json`.
public final class SavedTarget implements Target {
    private static final long SHARD_BYTES = 1L << 30;

    @Override
    public String format() {
        return "hf";
    }

    @Override
    public List<String> extensions() {
        return List.of();
    }

    @Override
    public List<String> folderNames() {
        return List.of("data-*.arrow", SavedRecordWriter.STATE, SavedRecordWriter.INFO);
    }

    @Override
    public boolean hasMissing() {
        return true;
    }

    @Override
    public boolean isResumable(Path target) {
        return false;
    }

    @Override
    public List<Field> fields(Job job) {
        job.options().requireOnly("a folder of Hugging Face datasets", TargetOptions.Kind.SHARDS);
        ColumnTarget columns = new ColumnTarget.Arrow();
        List<Field> fields = new ArrayList<>();
        for (Field field : job.fields()) {
            Field column = columns.field(field);
            // Their type of bytes has no fixed size.
            boolean isBytes = column.type() == ElementType.BYTES;
            fields.add(isBytes ? Field.variable(column.name(), ElementType.BYTES) : column);
        }
        return fields;
    }

    @Override
    public RecordWriter open(Path path, Job job) throws IOException {
        TargetOptions options = job.options();
        long rows = options.shardRows() == null ? Long.MAX_VALUE : options.shardRows();
        long bytes = options.shardBytes() == null
                ? options.shardRows() == null ? SHARD_BYTES : Long.MAX_VALUE
                : options.shardBytes();
        job.disk().createDirectory(path);
        return new SavedRecordWriter(job.disk(), path, job.fields(), rows, bytes);
    }
}
