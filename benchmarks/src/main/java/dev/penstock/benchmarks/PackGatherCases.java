// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.file.Access;
import dev.penstock.file.Codec;
import dev.penstock.file.Crc32c;
import dev.penstock.pack.PackEntry;
import dev.penstock.pack.PackReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.SplittableRandom;

/// How fast are batches of random records gathered, beside a `memcpy` of each record by one thread?
///
/// Both sides of a round gather the same records into reused memory. The baseline always reads an uncompressed
/// mapped pack, and knows the position of each record in advance.
final class PackGatherCases {
    private static final String FLOOR = "memcpy per record, 1 thread";
    private static final int BATCH_SIZE = 256;

    /// Enough that nothing one side has read is in the CPU cache when the other side reads it.
    private static final int BATCHES_PER_ROUND = 64;

    private static final int WARM_UPS = 10;

    private final Settings settings;
    private final Report report;

    private PackGatherCases(Settings settings, Report report) {
        this.settings = settings;
        this.report = report;
    }

    static void run(Settings settings, PackData data, Report report) throws Exception {
        PackGatherCases cases = new PackGatherCases(settings, report);
        PackReader.Options checking = PackReader.Options.DEFAULT;
        PackReader.Options plain = checking.withCheckingEntries(false);
        PackReader.Options reading = checking.withAccess(Access.READ);
        Path raw = data.pack();
        cases.raw("gather-crc", raw, checking);
        cases.raw("gather-crc-1-thread", raw, checking.withThreads(1));
        cases.raw("gather-nocrc", raw, plain);
        cases.raw("gather-nocrc-1-thread", raw, plain.withThreads(1));
        cases.other("gather-read", raw, reading, raw);
        cases.other("gather-zstd", data.compressedPack(Codec.ZSTD), checking, raw);
        cases.other("gather-lz4", data.compressedPack(Codec.LZ4), checking, raw);
    }

    /// Both sides read the same mapping.
    private void raw(String caseName, Path pack, PackReader.Options options) throws Exception {
        try (PackReader reader = PackReader.open(pack, options)) {
            measure(caseName, reader, reader);
        }
    }

    private void other(String caseName, Path pack, PackReader.Options options, Path floorPack) throws Exception {
        try (PackReader reader = PackReader.open(pack, options);
                PackReader floorReader = PackReader.open(floorPack);
                Batch batch = Batch.create(floorReader.fields())) {
            // The first gather loads the mapping into memory.
            floorReader.gather(new long[] {0}, batch);
            measure(caseName, reader, floorReader);
        }
    }

    private void measure(String caseName, PackReader reader, PackReader floorReader) throws Exception {
        long[][] batches = new long[BATCHES_PER_ROUND][BATCH_SIZE];
        SplittableRandom random = new SplittableRandom(caseName.hashCode());
        try (Ours ours = new Ours(reader, batches);
                Floor floor = new Floor(floorReader, batches)) {
            Times times = new SideBySide(ours, floor)
                    .beforeRound(() -> Draw.fill(batches, random, reader.count()))
                    .warmUps(WARM_UPS)
                    .measure(settings.roundsOr(15));
            report.add(times.megabytes(PackBenchmark.NAME, caseName, FLOOR));
            long perRound = (long) BATCH_SIZE * BATCHES_PER_ROUND;
            report.add(times.things(PackBenchmark.NAME, caseName, "records/s", perRound, FLOOR));
        }
    }

    private static final class Ours implements SideBySide.Side, AutoCloseable {
        private final PackReader reader;
        private final long[][] batches;
        private final Batch batch;

        Ours(PackReader reader, long[][] batches) {
            this.reader = reader;
            this.batches = batches;
            this.batch = Batch.create(reader.fields());
        }

        @Override
        public long run() throws IOException {
            long bytes = 0;
            for (long[] indices : batches) {
                reader.gather(indices, batch);
                bytes += batch.column(0).values().byteSize();
            }
            return bytes;
        }

        @Override
        public long answer() throws IOException {
            Crc32c crc = new Crc32c();
            for (long[] indices : batches) {
                reader.gather(indices, batch);
                crc.update(batch.column(0).values());
            }
            return crc.value();
        }

        @Override
        public void close() {
            batch.close();
        }
    }

    private static final class Floor implements SideBySide.Side, AutoCloseable {
        private final long[][] batches;
        private final Arena arena = Arena.ofShared();
        private final MemorySegment target;
        private final long[] addresses;
        private final int[] sizes;

        Floor(PackReader reader, long[][] batches) throws IOException {
            this.batches = batches;
            this.addresses = new long[(int) reader.count()];
            this.sizes = new int[addresses.length];
            int sizeMax = 0;
            long base = reader.get(0).value(0).address() - reader.entry(0).offset();
            for (int i = 0; i < sizes.length; i++) {
                PackEntry entry = reader.entry(i);
                addresses[i] = base + entry.offset();
                sizes[i] = (int) entry.storedSize();
                sizeMax = Math.max(sizeMax, sizes[i]);
            }
            this.target = arena.allocate((long) sizeMax * BATCH_SIZE, 64);
        }

        @Override
        public long run() {
            long bytes = 0;
            for (long[] indices : batches) {
                bytes += copy(indices);
            }
            return bytes;
        }

        private long copy(long[] indices) {
            long end = target.address();
            for (long index : indices) {
                int size = sizes[(int) index];
                Memcpy.copy(end, addresses[(int) index], size);
                end += size;
            }
            return end - target.address();
        }

        @Override
        public long answer() {
            Crc32c crc = new Crc32c();
            for (long[] indices : batches) {
                crc.update(target.asSlice(0, copy(indices)));
            }
            return crc.value();
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}
