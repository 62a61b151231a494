// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;

/// A program that gathers from tables while another thread shortens them, again and again.
///
/// Arguments: a folder, the number of tables, and a seed.
final class CutTable {
    private static final List<String> TYPES = List.of(
            "[('a', '<u8'), ('b', '<f4'), ('c', '|u1'), ('d', '|V19')]",
            "[('a', '<u8'), ('b', '|V56')]",
            "[('a', '>u4'), ('r', [('x', '<i2'), ('y', '>f8')], (3,))]");
    private static final int ROW_COUNT = 60_000;
    /// A large one takes so long that the cut falls into it.
    private static final int[] BATCH_SIZES = {3000, 40_000};

    private CutTable() {}

    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]).resolve("t.npy");
        int rounds = Integer.parseInt(arguments[1]);
        Random random = new Random(Long.parseLong(arguments[2]));
        long[] counts = new long[2];
        // On a busy machine the cut may come after the last read, so there are more rounds until one was refused.
        for (int round = 0; round < rounds || counts[1] == 0; round++) {
            RowType type = RowType.of(DType.parse(TYPES.get(round % TYPES.size())));
            Files.deleteIfExists(file);
            try (TableWriter writer = TableWriter.create(file, type, TableWriter.Options.DEFAULT)) {
                writer.append(MemorySegment.ofArray(new byte[(int) (ROW_COUNT * type.size())]));
            }
            cutWhileReading(file, BATCH_SIZES[round % 2], random, counts);
        }
        System.out.println(counts[0] + " gathers, " + counts[1] + " refused");
    }

    private static void cutWhileReading(Path file, int batchSize, Random random, long[] counts) throws Exception {
        int delay = random.nextInt(8);
        int size = random.nextInt(200_000);
        try (TableReader table = TableReader.open(file);
                Batch batch = Batch.create(table.fields());
                Arena arena = Arena.ofConfined()) {
            MemorySegment rows = arena.allocate(batchSize * table.rowType().size());
            long[] indices = random.longs(batchSize, 0, ROW_COUNT).toArray();
            Thread cutter = Thread.ofPlatform().start(() -> cut(file, delay, size));
            for (int i = 0; i < 60; i++) {
                try {
                    if (i % 2 == 0) {
                        table.gather(indices, batch);
                    } else {
                        table.read(MemorySegment.ofArray(indices), rows);
                    }
                    counts[0]++;
                } catch (DatasetException e) {
                    counts[1]++;
                }
            }
            cutter.join();
        }
    }

    private static void cut(Path file, int delayMillis, int size) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            Thread.sleep(delayMillis);
            channel.truncate(size);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
