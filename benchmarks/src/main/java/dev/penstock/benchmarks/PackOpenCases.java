// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.pack.PackReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/// How long does it take to open a pack of 100,000 records, beside reading its index and computing the checksum?
final class PackOpenCases {
    private static final String FLOOR = "pread + CRC-32C of the index";
    private static final String OURS_WORD = "ours";
    private static final int OPENS_PER_ROUND = 20;
    private static final int WARM_UPS = 20;
    private static final int HEADER_SIZE = 28;
    private static final int ENTRY_SIZE = 32;
    private static final int INDEX_SIZE = PackData.ENTRY_COUNT * ENTRY_SIZE;
    private static final int FOOTER_SIZE = 32;
    private static final int FOOTER_CRC_OFFSET = 8;

    private PackOpenCases() {}

    static void run(Settings settings, PackData data, Report report) throws Exception {
        Path pack = data.entriesPack();
        Times cold = cold(pack, settings.roundsOr(5));
        report.add(cold.millis(PackBenchmark.NAME, "open-first", 1, FLOOR + ", in a fresh JVM as well"));
        Times warm = new SideBySide(new Ours(pack), new Floor(pack))
                .warmUps(WARM_UPS)
                .measure(settings.roundsOr(15));
        report.add(warm.millis(PackBenchmark.NAME, "open", OPENS_PER_ROUND, FLOOR));
    }

    private static final class Ours implements SideBySide.Side {
        private final Path pack;

        Ours(Path pack) {
            this.pack = pack;
        }

        @Override
        public long run() throws IOException {
            for (int i = 0; i < OPENS_PER_ROUND; i++) {
                open(pack);
            }
            return (long) INDEX_SIZE * OPENS_PER_ROUND;
        }

        /// A pack opens only if the checksum of its index matches the footer.
        @Override
        public long answer() throws IOException {
            open(pack);
            ByteBuffer footer = ByteBuffer.allocate(FOOTER_SIZE).order(ByteOrder.LITTLE_ENDIAN);
            try (FileChannel channel = FileChannel.open(pack, StandardOpenOption.READ)) {
                channel.read(footer, channel.size() - FOOTER_SIZE);
            }
            return Integer.toUnsignedLong(footer.getInt(FOOTER_CRC_OFFSET));
        }
    }

    private static final class Floor implements SideBySide.Side {
        private final Path pack;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(INDEX_SIZE);
        private long crc;

        Floor(Path pack) {
            this.pack = pack;
        }

        @Override
        public long run() throws IOException {
            for (int i = 0; i < OPENS_PER_ROUND; i++) {
                crc = readIndex(pack, buffer);
            }
            return (long) INDEX_SIZE * OPENS_PER_ROUND;
        }

        @Override
        public long answer() {
            return crc;
        }
    }

    private static void open(Path pack) throws IOException {
        try (PackReader reader = PackReader.open(pack)) {
            if (reader.count() != PackData.ENTRY_COUNT) {
                throw new IllegalStateException(reader.count() + " records");
            }
        }
    }

    private static long readIndex(Path pack, ByteBuffer buffer) throws IOException {
        buffer.clear();
        try (FileChannel channel = FileChannel.open(pack, StandardOpenOption.READ)) {
            while (buffer.hasRemaining()) {
                channel.read(buffer, HEADER_SIZE + buffer.position());
            }
        }
        CRC32C crc = new CRC32C();
        crc.update(buffer.flip());
        return crc.getValue();
    }

    /// Opens the pack once in each of several new processes, which measure the time themselves.
    private static Times cold(Path pack, int rounds) throws Exception {
        Times times = new Times(rounds);
        for (int round = 0; round < rounds; round++) {
            times.set(round, inFreshProcess(OURS_WORD, pack), inFreshProcess("floor", pack), INDEX_SIZE);
        }
        return times;
    }

    private static long inFreshProcess(String side, Path pack) throws Exception {
        List<String> words = new ArrayList<>();
        words.add(ProcessHandle.current().info().command().orElse("java"));
        words.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), PackOpenCases.class.getName()));
        words.addAll(List.of(side, pack.toString()));
        return Long.parseLong(Command.run(words).strip());
    }

    /// The new process: `ours` or `floor`, and the pack.
    public static void main(String[] arguments) throws IOException {
        Path pack = Path.of(arguments[1]);
        long start = System.nanoTime();
        if (arguments[0].equals(OURS_WORD)) {
            open(pack);
        } else {
            readIndex(pack, ByteBuffer.allocateDirect(INDEX_SIZE));
        }
        System.out.println(System.nanoTime() - start);
    }
}
