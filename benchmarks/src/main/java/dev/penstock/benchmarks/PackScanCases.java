// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.file.Crc32c;
import dev.penstock.pack.PackEntry;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackScan;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// How fast is a whole pack read in order and checked, compared with only reading the file?
final class PackScanCases {
    private static final int PIECE_SIZE = 1 << 20;

    private PackScanCases() {}

    static void run(Settings settings, PackData data, Report report) throws Exception {
        int rounds = settings.roundsOr(9);
        try (PackReader reader = PackReader.open(data.pack());
                MappedFloor mapped = new MappedFloor(reader)) {
            Times scan = new SideBySide(new Scan(reader), mapped).measure(rounds);
            report.add(scan.megabytes(PackBenchmark.NAME, "scan", "memcpy of the file, 1 thread"));
            Times verify = new SideBySide(new Verify(reader), new ReadFloor(data.pack())).measure(rounds);
            report.add(verify.megabytes(PackBenchmark.NAME, "verify", "read() of the file, 1 thread"));
        }
    }

    private record Scan(PackReader reader) implements SideBySide.Side {
        @Override
        public long run() throws IOException {
            long recordCount = 0;
            try (PackScan scan = reader.scan()) {
                while (scan.next()) {
                    recordCount++;
                }
            }
            if (recordCount != reader.count()) {
                throw new IllegalStateException(recordCount + " records instead of " + reader.count());
            }
            return reader.bytes();
        }

        /// The checksum of all records in order.
        @Override
        public long answer() throws IOException {
            Crc32c crc = new Crc32c();
            try (PackScan scan = reader.scan()) {
                while (scan.next()) {
                    crc.update(scan.value());
                }
            }
            return crc.value();
        }
    }

    private record Verify(PackReader reader) implements SideBySide.Side {
        @Override
        public long run() throws IOException {
            return verify();
        }

        @Override
        public long answer() throws IOException {
            return verify();
        }

        private long verify() throws IOException {
            Verification verification = reader.verify(Progress.NONE);
            if (verification.problemCount() > 0) {
                throw new IllegalStateException(verification.problems().toString());
            }
            return verification.checkedBytes();
        }
    }

    /// Copies the mapped file piece by piece.
    private static final class MappedFloor implements SideBySide.Side, AutoCloseable {
        private final PackReader reader;
        private final Arena arena = Arena.ofShared();
        private final MemorySegment file;
        private final MemorySegment piece = arena.allocate(PIECE_SIZE, 64);

        MappedFloor(PackReader reader) throws IOException {
            this.reader = reader;
            try (FileChannel channel = FileChannel.open(reader.location().path(), StandardOpenOption.READ)) {
                file = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            }
        }

        @Override
        public long run() {
            for (long offset = 0; offset < file.byteSize(); offset += PIECE_SIZE) {
                long byteCount = Math.min(PIECE_SIZE, file.byteSize() - offset);
                Memcpy.copy(piece.address(), file.address() + offset, byteCount);
            }
            return file.byteSize();
        }

        @Override
        public long answer() {
            Crc32c crc = new Crc32c();
            for (long i = 0; i < reader.count(); i++) {
                PackEntry entry = reader.entry(i);
                crc.update(file.asSlice(entry.offset(), entry.storedSize()));
            }
            return crc.value();
        }

        @Override
        public void close() {
            arena.close();
        }
    }

    /// Reads the file as `cat` does.
    private static final class ReadFloor implements SideBySide.Side {
        private final Path pack;
        private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_SIZE);

        ReadFloor(Path pack) {
            this.pack = pack;
        }

        @Override
        public long run() throws IOException {
            long bytes = 0;
            try (FileChannel channel = FileChannel.open(pack, StandardOpenOption.READ)) {
                for (int read = 0; read >= 0; read = channel.read(piece.clear())) {
                    bytes += read;
                }
            }
            return bytes;
        }

        @Override
        public long answer() throws IOException {
            return run();
        }
    }
}
