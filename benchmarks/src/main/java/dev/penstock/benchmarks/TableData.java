// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.file.Disk;
import dev.penstock.file.Layouts;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The data of the table benchmarks: tables of random bytes, made once by our writer and kept.
final class TableData {
    static final int MILLION = 1_000_000;

    /// The number of rows of the sparse table: forty gigabytes.
    static final long SPARSE_ROWS = 1_250_000_000L;

    static final int SHARD_COUNT = 32;

    private static final RowType STEP = RowType.of(List.of(
            Field.fixed("board", ElementType.U64),
            Field.fixed("move", ElementType.U8),
            Field.fixed("ev_legal", ElementType.U8),
            Field.fixed("ev_values", ElementType.F32, 4L),
            Field.fixed("run_id", ElementType.U32),
            Field.fixed("step_index", ElementType.U16)));

    /// Much larger than any CPU cache.
    private static final long PLAIN_BYTES = 512L << 20;

    private static final long CHUNK_BYTES = 4L << 20;
    private static final int HEADER_SIZE = 256;

    private final Path dir;
    private final Report report;

    TableData(Settings settings, Report report) throws IOException {
        this.dir = Files.createDirectories(settings.dir());
        this.report = report;
    }

    /// Rows of 32 bytes with six fields.
    Path steps(int millions) throws IOException {
        Path target = dir.resolve("steps-" + millions + "M.npy");
        return make(target, STEP, (long) millions * MILLION, TableWriter.Options.DEFAULT);
    }

    /// The same ten million rows as a folder of shards.
    Path shards() throws IOException {
        Path target = dir.resolve("steps-shards");
        long shardRows = Math.ceilDiv(10 * MILLION, SHARD_COUNT);
        return make(target, STEP, 10 * MILLION, TableWriter.Options.DEFAULT.withShardRows(shardRows));
    }

    /// Rows of a given size.
    Path plain(long rowSize) throws IOException {
        Path target = dir.resolve("plain-" + rowSize + ".npy");
        RowType rowType = RowType.of(List.of(Field.fixed("bytes", ElementType.U8, rowSize)));
        return make(target, rowType, PLAIN_BYTES / rowSize, TableWriter.Options.DEFAULT);
    }

    private Path make(Path target, RowType rowType, long rowCount, TableWriter.Options options) throws IOException {
        if (isThere(target, rowCount)) {
            return target;
        }
        report.note("making " + target.getFileName());
        long chunkRows = CHUNK_BYTES / rowType.size();
        try (Arena arena = Arena.ofConfined();
                TableWriter writer = TableWriter.create(target, rowType, options)) {
            MemorySegment chunk = arena.allocate(CHUNK_BYTES, Long.BYTES);
            for (long row = 0; row < rowCount; row += chunkRows) {
                for (long at = 0; at < CHUNK_BYTES; at += Long.BYTES) {
                    chunk.set(Layouts.U64, at, Draw.mix(row * CHUNK_BYTES + at));
                }
                writer.append(chunk.asSlice(0, Math.min(chunkRows, rowCount - row) * rowType.size()));
            }
        }
        return target;
    }

    /// An unfinished folder is not a table, or has no rows.
    private static boolean isThere(Path target, long rowCount) throws IOException {
        if (!Files.exists(target) || Files.isDirectory(target) && !TableReader.isTable(Disk.real(), target)) {
            return false;
        }
        try (TableReader reader = TableReader.open(target)) {
            return reader.count() == rowCount;
        }
    }

    /// A table of [#SPARSE_ROWS] rows that needs no disk space: the header of another table with a larger count.
    Path sparse() throws IOException {
        Path target = dir.resolve("steps-sparse.npy");
        byte[] bytes = new byte[HEADER_SIZE];
        try (RandomAccessFile source = new RandomAccessFile(steps(10).toFile(), "r")) {
            source.readFully(bytes);
        }
        String all = new String(bytes, StandardCharsets.ISO_8859_1);
        String header = all.substring(0, all.indexOf('\n') + 1);
        String longer = header.replace("(" + 10 * MILLION + ",)", "(" + SPARSE_ROWS + ",)");
        int excess = longer.length() - header.length();
        longer = longer.replaceFirst(" {" + excess + "}\n", "\n");
        try (RandomAccessFile file = new RandomAccessFile(target.toFile(), "rw")) {
            file.write(longer.getBytes(StandardCharsets.ISO_8859_1));
            file.setLength(longer.length() + SPARSE_ROWS * STEP.size());
        }
        return target;
    }
}
