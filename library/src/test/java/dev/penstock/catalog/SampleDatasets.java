// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackWriter;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/// Makes datasets with random records.
public final class SampleDatasets {
    private SampleDatasets() {}

    /// A table with rows of any bytes.
    public static Path table(Path path, RowType rowType, long rowCount, Random random) throws IOException {
        try (TableWriter writer = TableWriter.create(path, rowType, TableWriter.Options.DEFAULT);
                Arena arena = Arena.ofConfined()) {
            byte[] rows = new byte[Math.toIntExact(rowCount * rowType.size())];
            random.nextBytes(rows);
            MemorySegment memory = arena.allocate(Math.max(1, rows.length)).asSlice(0, rows.length);
            writer.append(memory.copyFrom(MemorySegment.ofArray(rows)));
        }
        return path;
    }

    /// A plain array of `f4` numbers. Any bytes are one, although not every copy of a NaN keeps its bits.
    public static Path floats(Path path, long rowCount, long width, Random random) throws IOException {
        return table(path, new RowType(DType.parse("<f4"), List.of(width)), rowCount, random);
    }

    /// A pack of records of 0 to `sizeLimit` bytes.
    public static Path pack(Path path, int recordCount, int sizeLimit, boolean isNamed, Random random)
            throws IOException {
        try (PackWriter writer = PackWriter.create(path, PackWriter.Options.DEFAULT)) {
            for (int i = 0; i < recordCount; i++) {
                byte[] record = new byte[random.nextInt(sizeLimit)];
                random.nextBytes(record);
                writer.append(isNamed ? "record-" + i : null, PackKind.OPAQUE, MemorySegment.ofArray(record));
            }
        }
        return path;
    }

    /// A store of a fixed field `x` and a variable field `y`, where some values of `y` are missing.
    public static Path store(Path path, int recordCount, Random random) throws IOException {
        List<StoreField> fields = List.of(
                new StoreField("x", "u16", List.of(3L), StoreCompression.RAW),
                new StoreField("y", "f64", null, StoreCompression.ZSTD));
        try (StoreWriter writer = StoreWriter.create(path, fields, StoreOptions.DEFAULT)) {
            for (int i = 0; i < recordCount; i++) {
                byte[] x = new byte[6];
                byte[] y = new byte[Double.BYTES * random.nextInt(5)];
                random.nextBytes(x);
                random.nextBytes(y);
                writer.append(Arrays.asList(x, i % 7 == 3 ? null : y));
            }
        }
        return path;
    }
}
