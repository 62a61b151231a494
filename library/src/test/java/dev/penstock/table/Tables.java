// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;

/// Tables for tests, on a disk that exists only in memory.
final class Tables {
    static final Path HOME = Path.of("/disk");
    static final Path FILE = HOME.resolve("table.npy");
    static final Path FOLDER = HOME.resolve("table");

    static final RowType PLAIN = RowType.of(DType.parse("<f4"));

    /// Little-endian and big-endian, a gap, a record of an array of records, text and floats.
    static final RowType RECORD = RowType.of(
            DType.parse("[('board', '<u8'), ('move', '>u2'), ('', '|V1'), ('q', [('x', '<i2'), ('y', '|S3')],"
                    + " (2,)), ('ev', '<f4', (2,))]"));

    private Tables() {}

    /// Random rows.
    static byte[] rows(RowType rowType, int count, Random random) {
        byte[] rows = new byte[(int) rowType.size() * count];
        random.nextBytes(rows);
        return rows;
    }

    static MemoryDisk disk() {
        return new MemoryDisk().addFolder(HOME);
    }

    static TableWriter.Options writing(Disk disk) {
        return TableWriter.Options.DEFAULT.withDisk(disk);
    }

    static TableReader.Options reading(Disk disk) {
        return TableReader.Options.DEFAULT.withDisk(disk).withThreads(1);
    }

    static TableReader open(Disk disk, Path path, Access access) throws IOException {
        return TableReader.open(path, reading(disk).withAccess(access));
    }

    /// Writes a table, a row at a time so that shards end where they may. What cannot be finished is given up.
    static void write(Path path, RowType rowType, TableWriter.Options options, byte[] rows) throws IOException {
        finish(TableWriter.create(path, rowType, options), rows);
    }

    /// Adds rows to a table.
    static void extend(Path path, TableWriter.Options options, byte[] rows) throws IOException {
        finish(TableWriter.extend(path, options), rows);
    }

    private static void finish(TableWriter writer, byte[] rows) throws IOException {
        try {
            int rowSize = (int) writer.rowType().size();
            for (int at = 0; at < rows.length; at += rowSize) {
                writer.append(MemorySegment.ofArray(rows).asSlice(at, rowSize));
            }
            writer.close();
        } finally {
            writer.abort();
        }
    }

    /// The bytes of one file of rows.
    static byte[] file(RowType rowType, byte[] rows) throws IOException {
        MemoryDisk disk = disk();
        write(FILE, rowType, writing(disk), rows);
        return disk.bytes(FILE);
    }

    /// A file with any header.
    static byte[] file(int version, String text, byte[] rows) {
        byte[] encoded = text.getBytes(version == 3 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1);
        int lengthSize = version == 1 ? 2 : 4;
        byte[] file = new byte[8 + lengthSize + encoded.length + rows.length];
        System.arraycopy(TableFormat.magic(), 0, file, 0, 6);
        file[6] = (byte) version;
        for (int i = 0; i < lengthSize; i++) {
            file[8 + i] = (byte) (encoded.length >> 8 * i);
        }
        System.arraycopy(encoded, 0, file, 8 + lengthSize, encoded.length);
        System.arraycopy(rows, 0, file, file.length - rows.length, rows.length);
        return file;
    }

    /// The header text for a number of items of a type.
    static String header(String descr, String shape) {
        return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
    }

    /// A folder of shards with a manifest.
    static MemoryDisk folder(RowType rowType, byte[] rows, long shardRows) throws IOException {
        MemoryDisk disk = disk();
        TableWriter.Options options =
                writing(disk).withShardRows(shardRows).withMetadata(Map.of("source", "a test", "größe", "\"2\""));
        write(FOLDER, rowType, options, rows);
        return disk;
    }

    /// All rows as they are stored.
    static byte[] rows(TableReader table) throws IOException {
        byte[] rows = new byte[Math.toIntExact(table.count() * table.rowType().size())];
        long[] all = LongStream.range(0, table.count()).toArray();
        table.read(MemorySegment.ofArray(all), MemorySegment.ofArray(rows));
        return rows;
    }

    /// All rows of the table at a path.
    static byte[] rows(Disk disk, Path path) throws IOException {
        try (TableReader table = open(disk, path, Access.READ)) {
            return rows(table);
        }
    }
}
