// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.ElementType;
import dev.penstock.loader.BlockSampler;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.Ranks;
import dev.penstock.shards.ShardBatch;
import dev.penstock.shards.ShardReader;
import dev.penstock.shards.ShardSource;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/// Streams, seeks in and shuffles a corpus four times as large as the memory of its process, including file pages.
/// The same process without the limit must get the same sums.
final class ShardsLimitedCases {
    static final long LIMIT_BYTES = 256L << 20;
    static final long CORPUS_BYTES = 4 * LIMIT_BYTES;

    private static final int BATCH_SIZE = 1024;
    private static final int SEEKS = 200;

    /// A block of one megabyte, and a window of 64 blocks.
    private static final long BLOCK_SIZE = 128;

    private static final long WINDOW_BLOCKS = 64;
    private static final String[] WAYS = {"stream", "seek", "shuffle"};

    private ShardsLimitedCases() {}

    static void run(Settings settings, Path corpus, Report report) throws Exception {
        try (MemoryGroup group = MemoryGroup.create(LIMIT_BYTES)) {
            for (String way : WAYS) {
                double[] ours = new double[settings.roundsOr(3)];
                double[] free = new double[ours.length];
                for (int round = 0; round < ours.length; round++) {
                    String[] limited = see(group, corpus, way);
                    String[] unlimited = see(null, corpus, way);
                    if (!limited[0].equals(unlimited[0])) {
                        throw new IllegalStateException(way + ": the sums differ: " + limited[0] + ", " + unlimited[0]);
                    }
                    ours[round] = Double.parseDouble(limited[1]);
                    free[round] = Double.parseDouble(unlimited[1]);
                    report.note(String.format(
                            Locale.ROOT,
                            "%s: at most %s MiB resident limited, finally %s MiB not of files; %s MiB without",
                            way,
                            limited[2],
                            limited[3],
                            unlimited[2]));
                }
                report.add(Row.above(ShardsBenchmark.NAME, "limited-" + way, "MB/s", ours, "no limit", free));
            }
        } catch (IOException e) {
            report.note("skipped: a corpus in little memory, because " + e.getMessage());
        }
    }

    private static String[] see(MemoryGroup group, Path corpus, String way) throws Exception {
        Resident.evict(corpus);
        List<String> words = Command.java(ShardsLimitedCases.class, corpus.toString(), way);
        return Command.run(group == null ? words : group.inside(words)).strip().split(" ");
    }

    /// The reading process: a corpus and the method. It prints a sum, megabytes per second, and its largest
    /// memory.
    public static void main(String[] arguments) throws IOException {
        long start = System.nanoTime();
        try (ShardReader reader = ShardReader.open(Path.of(arguments[0]))) {
            long[] sum = new long[1];
            long byteCount = switch (arguments[1]) {
                case "stream" -> stream(reader, sum);
                case "seek" -> seek(reader, sum);
                default -> shuffle(reader, sum);
            };
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    Locale.ROOT,
                    "%016x %.1f %d %d%n",
                    sum[0],
                    byteCount / 1e6 / seconds,
                    status("VmHWM:"),
                    status("RssAnon:"));
        }
    }

    private static long stream(ShardReader reader, long[] sum) throws IOException {
        try (ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F32)) {
            while (source.nextBatch(batch)) {
                sum[0] += sum(batch.values());
            }
        }
        return reader.count() * reader.rowSize();
    }

    private static long seek(ShardReader reader, long[] sum) throws IOException {
        Random random = new Random(3);
        long byteCount = 0;
        try (ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F32)) {
            for (int i = 0; i < SEEKS; i++) {
                source.seek(random.nextLong(reader.count()));
                source.nextBatch(batch);
                sum[0] = sum[0] * 31 + sum(batch.values());
                byteCount += batch.values().byteSize();
            }
        }
        return byteCount;
    }

    private static long shuffle(ShardReader reader, long[] sum) throws IOException {
        BlockSampler sampler = new BlockSampler(reader.count(), BLOCK_SIZE, WINDOW_BLOCKS, 5);
        LoaderOptions options =
                LoaderOptions.of(BATCH_SIZE).withRanks(Ranks.ALONE).withSampler(sampler);
        try (Loader loader = Loader.open(reader, options)) {
            for (LoaderBatch batch : loader) {
                sum[0] = sum[0] * 31 + sum(batch.batch().column(0).values());
            }
        }
        return reader.count() * reader.rowSize();
    }

    /// The sum of the bits, independent of their order in a batch.
    private static long sum(MemorySegment values) {
        long sum = 0;
        for (long at = 0; at < values.byteSize(); at += Long.BYTES) {
            sum += values.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        }
        return sum;
    }

    /// A memory value of this process, in MiB.
    private static long status(String name) throws IOException {
        return ColdCases.number(Path.of("/proc/self/status"), name) >> 10;
    }
}
