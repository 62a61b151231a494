// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.DatasetException;
import dev.penstock.Project;
import dev.penstock.convert.BadInput;
import dev.penstock.convert.RecordSource.BatchReceiver;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The bytes of columnar files, read in memory.
final class ColumnarBytes {
    private ColumnarBytes() {}

    static byte[] golden(String name) {
        try {
            return Files.readAllBytes(
                    Project.root().resolve("testdata/columnar").resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A file in memory.
    static Disk.Readable file(byte[] bytes) {
        return new Disk.Readable() {
            @Override
            public long size() {
                return bytes.length;
            }

            @Override
            public long read(long offset, MemorySegment target) {
                long count = Math.clamp(bytes.length - offset, 0, target.byteSize());
                if (count > 0) {
                    MemorySegment.copy(MemorySegment.ofArray(bytes), offset, target, 0, count);
                }
                return count;
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
    }

    /// Reads all records of a file whose name ends in `.parquet`, or of an Arrow file.
    static void read(String name, byte[] bytes, BatchReceiver receiver) throws IOException {
        Location location = Location.parse("/" + name);
        if (name.endsWith(".parquet")) {
            ParquetRecords.read(location, file(bytes), receiver);
        } else {
            ArrowRecords.read(location, file(bytes), receiver);
        }
    }

    /// The records of a file, each as texts of its fields.
    static List<List<String>> records(String name, byte[] bytes) throws IOException {
        List<List<String>> records = new ArrayList<>();
        read(name, bytes, (indices, batch) -> {
            for (long row = 0; row < batch.rowCount(); row++) {
                records.add(record(batch, row));
            }
        });
        return records;
    }

    private static List<String> record(Batch batch, long row) {
        List<String> values = new ArrayList<>();
        for (Column column : batch.columns()) {
            byte[] value = column.value(row).toArray(ValueLayout.JAVA_BYTE);
            values.add(column.field() + "=" + (column.isMissing(row) ? "missing" : Arrays.toString(value)));
        }
        return values;
    }

    /// Reads bytes that may be damaged: they are read, or refused by an error that says so.
    static void readOrRefuse(String name, byte[] bytes) throws IOException {
        try {
            read(name, bytes, (indices, batch) -> {
                for (Column column : batch.columns()) {
                    column.values().byteSize();
                }
            });
        } catch (DatasetException | BadInput | IllegalArgumentException e) {
            if (String.valueOf(e.getMessage()).isBlank()) {
                throw new AssertionError("an error without a message", e);
            }
        }
    }
}
