// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.file.Crc32c;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackWriter;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;

/// Real files for the loader to read.
final class RealData {
    static final List<Field> FIELDS = List.of(
            Field.fixed("id", ElementType.I64),
            Field.fixed("x", ElementType.F32, 5L),
            Field.fixed("tag", ElementType.U8, 3L));

    private static final int ROW_SIZE = 31;

    private RealData() {}

    /// A table whose rows hold their own index and bytes that follow from it.
    static Path table(Path path, long from, long count) throws IOException {
        TableWriter writer = TableWriter.create(path, RowType.of(FIELDS), TableWriter.Options.DEFAULT);
        append(writer, from, count);
        return path;
    }

    /// Adds rows behind those there are.
    static void extend(Path path, long from, long count) throws IOException {
        append(TableWriter.extend(path, TableWriter.Options.DEFAULT), from, count);
    }

    private static void append(TableWriter writer, long from, long count) throws IOException {
        try {
            ByteBuffer rows = ByteBuffer.allocate(ROW_SIZE * 1024).order(ByteOrder.LITTLE_ENDIAN);
            for (long i = 0; i < count; i++) {
                rows.putLong(from + i);
                for (int j = 0; j < 5; j++) {
                    rows.putFloat((from + i) * 0.5f + j);
                }
                rows.put((byte) i).put((byte) (i >> 8)).put((byte) (i >> 16));
                if (!rows.hasRemaining() || i + 1 == count) {
                    writer.append(MemorySegment.ofArray(rows.array()).asSlice(0, rows.position()));
                    rows.clear();
                }
            }
            writer.close();
        } finally {
            writer.abort();
        }
    }

    /// A pack of random records of given sizes.
    static Path pack(Path path, int count, IntUnaryOperator size) throws IOException {
        Random random = new Random(count);
        PackWriter writer = PackWriter.create(path, PackWriter.Options.DEFAULT);
        try {
            for (int i = 0; i < count; i++) {
                byte[] record = new byte[size.applyAsInt(i)];
                random.nextBytes(record);
                writer.append("record " + i, PackKind.OPAQUE, MemorySegment.ofArray(record));
            }
            writer.close();
        } finally {
            writer.abort();
        }
        return path;
    }

    /// A checksum of everything a batch holds.
    static long digest(LoaderBatch batch) {
        long digest = batch.rowCount();
        for (int i = 0; i < batch.columns().size(); i++) {
            digest = digest * 31 + Crc32c.of(batch.columns().get(i).values());
            if (batch.columns().get(i).field().isVariable()) {
                digest = digest * 31 + Crc32c.of(batch.columns().get(i).offsets());
            }
        }
        return digest * 31 + Crc32c.of(batch.indices());
    }
}
