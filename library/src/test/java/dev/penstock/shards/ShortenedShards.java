// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.rows.kernel.Vectors;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;

/// A program that reads shards until the compiler has optimised the reading, shortens them, and goes on reading.
/// [ShardLiveTruncationTest] runs it in a process of its own, since the wrong way of reading ends the process.
final class ShortenedShards {
    static final int EXIT_REFUSED = 42;
    private static final int ROW_COUNT = 4096;
    private static final int WIDTH = 64;
    private static final int READS_AFTER = 5;

    /// The ways of reading the rows of the cut part.
    enum Way {
        DOUBLES,
        FLOATS,
        BRAIN_FLOATS,
        BRAIN_DOUBLES,
        GATHER_DOUBLES,
        GATHER_FLOATS,
        COLUMNS,
        VERIFY
    }

    private final ShardReader reader;
    private final ShardSource source;
    private final Batch columns;
    private final ShardBatch doubles = ShardBatch.create(ElementType.F64);
    private final ShardBatch floats = ShardBatch.create(ElementType.F32);
    private final long[] ids =
            LongStream.range(0, 512).map(i -> ROW_COUNT - 1 - i * 3).toArray();

    private ShortenedShards(ShardReader reader) {
        this.reader = reader;
        this.source = reader.source();
        this.columns = Batch.create(reader.fields());
    }

    public static void main(String[] arguments) throws IOException {
        int warmCalls = Integer.parseInt(arguments[1]);
        boolean isRefused = true;
        List<Way> ways = new ArrayList<>(List.of(Way.values()));
        // Only the first way has vectors: none are used after a fault.
        Collections.rotate(ways, -Way.valueOf(arguments[2]).ordinal());
        for (Way way : ways) {
            Path file = Path.of(arguments[0]).resolve(way + ".shard");
            Shards.write(file, way.name().startsWith("BRAIN") ? brains() : Shards.counting(ROW_COUNT, WIDTH, 0));
            try (ShardReader reader = ShardReader.open(file)) {
                String failure = new ShortenedShards(reader).run(way, file, way == Way.VERIFY ? 5 : warmCalls);
                isRefused &= failure == null;
                System.out.println(way + ": " + (failure == null ? "refused" : "FAILED " + failure));
            }
        }
        System.exit(isRefused ? EXIT_REFUSED : 1);
    }

    private static byte[] brains() {
        return ShardWriter.encode(new double[ROW_COUNT][WIDTH], WIDTH, ElementType.BF16);
    }

    private String run(Way way, Path file, int warmCalls) throws IOException {
        Vectors vectors = new Vectors();
        for (int i = 0; i < warmCalls || vectors.areAwaitedForNumbers(); i++) {
            if (!read(way)) {
                return "before the cut";
            }
            if (i >= warmCalls) {
                Vectors.pause();
            }
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(32 + 100L * reader.rowSize());
        }
        for (int i = 0; i < READS_AFTER; i++) {
            try {
                if (read(way)) {
                    return "read " + i + " returned";
                }
            } catch (DatasetException e) {
                if (!e.reason().equals(Reason.TRUNCATED)) {
                    return e.toString();
                }
            }
        }
        return null;
    }

    /// Whether everything was read.
    private boolean read(Way way) throws IOException {
        switch (way) {
            case DOUBLES, BRAIN_DOUBLES -> source.read(1000, ROW_COUNT, doubles);
            case FLOATS, BRAIN_FLOATS -> source.read(1000, ROW_COUNT, floats);
            case GATHER_DOUBLES -> source.gather(ids, doubles);
            case GATHER_FLOATS -> source.gather(ids, floats);
            case COLUMNS -> reader.gather(ids, columns);
            case VERIFY -> {
                return reader.verify(Progress.NONE).isOk();
            }
            default -> throw new AssertionError(way);
        }
        return true;
    }
}
