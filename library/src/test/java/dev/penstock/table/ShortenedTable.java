// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.file.Access;
import dev.penstock.rows.kernel.Vectors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;

/// A program that reads tables until the compiler has optimised the reading, shortens each file, and goes on
/// reading. [TableLiveTruncationTest] runs it in a process of its own, since the wrong way of reading ends the
/// process.
///
/// Arguments: a folder, and for each way of reading, in one argument, the [Way], how often to read before (or
/// [#UNTIL_VECTORS]), and the sizes of the field to read, one after another. It prints each failure and exits with
/// 42 when there was none.
final class ShortenedTable {
    /// Reads until vectors are used and then [#CALLS_WITH_VECTORS] times more.
    static final int UNTIL_VECTORS = -1;

    private static final int CALLS_WITH_VECTORS = 500;

    static final int EXIT_REFUSED = 42;
    static final int EXIT_FAILED = 43;

    private static final int READS_AFTER = 12;
    private static final int PAGE_SIZE = 4096;

    /// A way of reading.
    enum Way {
        /// All rows of the cut part, in random order, by one thread.
        GATHER("[('a', '|V%d'), ('b', '|u1')]", 2048),
        /// The same by two threads.
        GATHER_TWO("[('a', '|V%d'), ('b', '|u1')]", 2048),
        /// Only the last row that is asked for is in the cut part.
        GATHER_LAST("[('a', '|V%d'), ('b', '|u1')]", 2048),
        /// Fewer rows than the fast loops take.
        GATHER_FEW("[('a', '|V%d'), ('b', '|u1')]", 13),
        /// Records inside records are many small copies.
        GATHER_NESTED("[('r', [('a', '|V%d'), ('b', '|u1')], (3,))]", 512),
        /// Rows as they are stored, to memory outside the heap and inside.
        READ("'|V%d'", 2048),
        READ_HEAP("'|V%d'", 2048),
        /// A row that has to be put in order is a copy.
        GET("[('r', [('a', '|V%d'), ('b', '>u2')], (3,))]", 0),
        COLUMN("[('a', '|S%d'), ('b', '<i4')]", 0),
        VERIFY("'|V%d'", 0),
        FINGERPRINT("'|V%d'", 0),
        /// Read by position, not mapped.
        POSITIONAL("[('a', '|V%d'), ('b', '|u1')]", 300),
        /// The planted bug: what the runtime's own code does with mapped memory.
        UNSAFE("'|V%d'", 0);

        private final String descr;
        private final int batchRows;

        Way(String descr, int batchRows) {
            this.descr = descr;
            this.batchRows = batchRows;
        }
    }

    private final TableReader table;
    private final Way way;
    private final Batch batch;
    private final MemorySegment target;
    private final long[] indices;
    private final SplittableRandom random = new SplittableRandom(1);
    private long seen;

    private ShortenedTable(TableReader table, Way way, Batch batch, Arena arena) {
        this.table = table;
        this.way = way;
        this.batch = batch;
        long bytes = way.batchRows * table.rowType().size();
        this.target = way == Way.READ ? arena.allocate(bytes) : MemorySegment.ofArray(new byte[(int) bytes]);
        this.indices = new long[way.batchRows];
    }

    public static void main(String[] arguments) throws IOException {
        int failures = 0;
        for (int i = 1; i < arguments.length; i++) {
            String[] reads = arguments[i].split(" ");
            Way way = Way.valueOf(reads[0]);
            for (int j = 2; j < reads.length; j++) {
                failures += cut(Path.of(arguments[0]), way, Integer.parseInt(reads[1]), Integer.parseInt(reads[j]));
            }
        }
        System.exit(failures == 0 ? EXIT_REFUSED : EXIT_FAILED);
    }

    /// Reads a file with fields of one size and cuts it.
    ///
    /// @return the number of failures
    private static int cut(Path folder, Way way, int warmCalls, int size) throws IOException {
        Path file = folder.resolve("size" + size + ".npy");
        RowType rowType = RowType.of(DType.parse(way.descr.formatted(size)));
        write(file, rowType);
        TableReader.Options options = TableReader.Options.DEFAULT
                .withThreads(way == Way.GATHER_TWO ? 2 : 1)
                .withAccess(way == Way.POSITIONAL ? Access.READ : Access.MMAP);
        String failure;
        try (TableReader table = TableReader.open(file, options);
                Batch batch = Batch.create(table.fields().subList(0, 1));
                Arena arena = Arena.ofConfined()) {
            failure = new ShortenedTable(table, way, batch, arena).run(file, warmCalls);
        }
        System.out.println(way + " " + size + ": " + (failure == null ? "refused" : "FAILED " + failure));
        Files.delete(file);
        return failure == null ? 0 : 1;
    }

    /// Rows enough for many pages and for a batch.
    private static void write(Path file, RowType rowType) throws IOException {
        long rowCount = Math.max(4096, 64L * PAGE_SIZE / rowType.size());
        try (TableWriter writer = TableWriter.create(file, rowType, TableWriter.Options.DEFAULT)) {
            byte[] rows = new byte[(int) (256 * rowType.size())];
            new Random(1).nextBytes(rows);
            for (long row = 0; row < rowCount; row += 256) {
                writer.append(MemorySegment.ofArray(rows));
            }
        }
    }

    /// The first quarter of the rows stays.
    private long firstCutRow() {
        return table.count() / 4 + PAGE_SIZE / table.rowType().size() + 2;
    }

    private String run(Path file, int warmCalls) throws IOException {
        boolean isUntilVectors = warmCalls == UNTIL_VECTORS;
        Vectors vectors = new Vectors();
        while (isUntilVectors && vectors.areAwaited()) {
            read();
            Vectors.pause();
        }
        for (int i = 0; i < (isUntilVectors ? CALLS_WITH_VECTORS : warmCalls); i++) {
            if (!read()) {
                return "before the cut";
            }
        }
        long cutSize = TableHeader.write(table.rowType(), table.count()).length
                + table.count() / 4 * table.rowType().size();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(cutSize);
        }
        for (int i = 0; i < READS_AFTER; i++) {
            String failure = readAfter();
            if (failure != null) {
                return "read " + i + " after the cut: " + failure;
            }
        }
        return null;
    }

    private String readAfter() throws IOException {
        try {
            return read() ? "it returned" : null;
        } catch (DatasetException.Corrupt e) {
            boolean isEmpty = batch.rowCount() == 0;
            return e.reason().equals(Reason.TRUNCATED) && isEmpty
                    ? null
                    : e + ", rows in the batch: " + batch.rowCount();
        } catch (RuntimeException | Error e) {
            e.printStackTrace(System.out);
            return e.toString();
        }
    }

    /// Reads once, of the later rows, so that the cut concerns it.
    ///
    /// @return whether it went well; for those ways that do not throw
    private boolean read() throws IOException {
        long row = random.nextLong(firstCutRow(), table.count());
        for (int i = 0; i < indices.length; i++) {
            boolean isKept = way == Way.GATHER_LAST && i < indices.length - 1;
            indices[i] = isKept ? random.nextLong(table.count() / 4) : random.nextLong(firstCutRow(), table.count());
        }
        switch (way) {
            case READ, READ_HEAP -> table.read(MemorySegment.ofArray(indices), target);
            case GET -> seen += table.get(row).value(0).byteSize();
            case COLUMN -> readColumn(row);
            case FINGERPRINT -> seen += table.fingerprint().length();
            case VERIFY -> {
                return table.verify(Progress.NONE).isOk();
            }
            case UNSAFE -> readUnsafely();
            default -> table.gather(indices, batch);
        }
        return true;
    }

    private void readColumn(long row) throws IOException {
        switch ((int) (seen++ % 4)) {
            case 0 -> seen += 4 * (table.column("b").getLong(row) & 1);
            case 1 -> seen += table.column("b").getDouble(row) > 0 ? 4 : 0;
            case 2 -> seen += 4L * table.column("a").getText(row).length();
            default -> seen += 4 * (table.column("b").getLong(row, 0) & 1);
        }
    }

    private void readUnsafely() throws IOException {
        CRC32C crc = new CRC32C();
        for (long row : LongStream.range(0, table.count()).toArray()) {
            crc.update(table.get(row).value(0).asByteBuffer());
        }
        seen += crc.getValue();
    }
}
