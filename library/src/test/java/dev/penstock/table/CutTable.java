// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;

/// A program that gathers from tables while another thread shortens them, again and again, for some seconds.
final class CutTable {
    private static final List<String> TYPES = List.of(
            "[('a', '<u8'), ('b', '<f4'), ('c', '|u1'), ('d', '|V19')]",
            "[('a', '<u8'), ('b', '|V56')]",
            "[('a', '<u8'), ('b', '|V2040')]");
    private static final int ROW_COUNT = 20_000;
    private static final int BATCH_SIZE = 3000;

    private CutTable() {}

    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]).resolve("t.npy");
        long end = System.nanoTime() + Long.parseLong(arguments[1]) * 1_000_000_000L;
        Random random = new Random(Long.parseLong(arguments[2]));
        long[] counts = new long[2];
        for (int round = 0; System.nanoTime() < end; round++) {
            RowType type = RowType.of(DType.parse(TYPES.get(round % TYPES.size())));
            Files.deleteIfExists(file);
            try (TableWriter writer = TableWriter.create(file, type, TableWriter.Options.DEFAULT)) {
                writer.append(MemorySegment.ofArray(new byte[(int) (ROW_COUNT * type.size())]));
            }
            cutWhileReading(file, random, counts);
        }
        System.out.println(counts[0] + " gathers, " + counts[1] + " refused");
    }

    private static void cutWhileReading(Path file, Random random, long[] counts) throws Exception {
        int delay = random.nextInt(6);
        int size = 200 + random.nextInt(100_000);
        try (TableReader table = TableReader.open(file);
                Batch batch = Batch.create(table.fields())) {
            long[] indices = random.longs(BATCH_SIZE, 0, ROW_COUNT).toArray();
            Thread cutter = Thread.ofPlatform().start(() -> cut(file, delay, size));
            for (int i = 0; i < 40; i++) {
                try {
                    table.gather(indices, batch);
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
