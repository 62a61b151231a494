// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.convert.RecordWriter;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// Writes samples to tar archives, one after another.
///
/// **Ownership.** Owns the open archive. **Threads.** One thread at a time.
final class TarRecordWriter implements RecordWriter {
    /// The name of the archive with a number.
    @FunctionalInterface
    interface Names {
        Path of(int shard) throws IOException;
    }

    private final Disk disk;
    private final Names names;
    private final List<SampleField> fields;
    private final long rowsMax;
    private final long bytesMax;
    private TarOutput output;
    private int shardCount;
    private long shardRows;
    private long count;
    private String before;

    TarRecordWriter(Disk disk, Names names, List<SampleField> fields, long rowsMax, long bytesMax) throws IOException {
        this.disk = disk;
        this.names = names;
        this.fields = fields;
        this.rowsMax = rowsMax;
        this.bytesMax = bytesMax;
        begin();
    }

    private void begin() throws IOException {
        output = TarOutput.create(disk, names.of(shardCount++));
        shardRows = 0;
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public void append(long[] indices, Batch batch) throws IOException {
        for (int row = 0; row < batch.rowCount(); row++) {
            if (shardRows == rowsMax || shardRows > 0 && output.size() >= bytesMax) {
                output.finish();
                begin();
            }
            append(batch, row);
            shardRows++;
            count++;
        }
    }

    private void append(Batch batch, int row) throws IOException {
        String key = key(batch, row);
        boolean hasFile = false;
        for (int i = 0; i < fields.size(); i++) {
            Column column = batch.column(i);
            if (!fields.get(i).isKey() && !column.isMissing(row)) {
                byte[] value = column.value(row).toArray(ValueLayout.JAVA_BYTE);
                output.add(key + "." + fields.get(i).extension(), fields.get(i).content(value));
                hasFile = true;
            }
        }
        if (!hasFile) {
            throw new IllegalArgumentException("record " + count + " has no values, so that there would be no file"
                    + " for it in the archive; leave it out with a condition");
        }
    }

    private String key(Batch batch, int row) {
        String key = String.format("%09d", count);
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).isKey()) {
                key = new String(batch.column(i).value(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
            }
        }
        SampleName name = SampleName.of(key + ".x");
        if (key.equals(before) || name == null || !name.key().equals(key)) {
            throw new IllegalArgumentException(
                    "record " + count + ": '" + key + "' cannot be the key of a sample: it is"
                            + " empty or that of the record before, or has a dot in its last name; leave out the"
                            + " field __key__");
        }
        before = key;
        return key;
    }

    @Override
    public void finish() throws IOException {
        output.finish();
    }

    @Override
    public void close() throws IOException {
        output.close();
    }
}
