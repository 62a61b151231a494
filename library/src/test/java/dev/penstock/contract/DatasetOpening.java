// SPDX-License-Identifier: Apache-2.0
package dev.penstock.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// The methods that the test of a format provides for [DatasetContract], and helpers built on them.
///
/// A record is the bytes of its fields, one after another.
public interface DatasetOpening {
    /// Writes a dataset to a path that does not exist.
    void write(Path path, List<byte[]> records) throws IOException;

    /// Opens the dataset.
    Dataset open(Path path) throws IOException;

    /// A random record for this format: of any size unless the test of the format overrides it.
    default byte[] record(Random random) {
        byte[] record = new byte[random.nextInt(400)];
        random.nextBytes(record);
        return record;
    }

    /// A record of the same size with another content.
    default byte[] different(byte[] record) {
        byte[] different = record.length == 0 ? new byte[1] : record.clone();
        different[different.length - 1] ^= 1;
        return different;
    }

    /// Random records.
    default List<byte[]> records(int count) {
        Random random = Seeds.random();
        List<byte[]> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(record(random));
        }
        return records;
    }

    /// Writes a dataset and opens it.
    default Dataset openNew(Path folder, List<byte[]> records) throws IOException {
        Path path = folder.resolve("dataset");
        write(path, records);
        return open(path);
    }

    /// Requires that the record at an index has these bytes.
    default void requireRecord(byte[] expected, Dataset dataset, long index) throws IOException {
        assertArrayEquals(expected, join(dataset.get(index).values()), () -> "record " + index);
    }

    /// Requires that the batch has the records of these indices.
    default void requireRows(List<byte[]> records, long[] indices, Batch batch) {
        assertEquals(indices.length, batch.rowCount());
        for (int row = 0; row < indices.length; row++) {
            List<MemorySegment> values = new ArrayList<>();
            for (Column column : batch.columns()) {
                values.add(column.value(row));
            }
            assertArrayEquals(records.get((int) indices[row]), join(values), "row " + row);
        }
    }

    private static byte[] join(List<MemorySegment> values) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        values.forEach(value -> joined.writeBytes(value.toArray(ValueLayout.JAVA_BYTE)));
        return joined.toByteArray();
    }
}
