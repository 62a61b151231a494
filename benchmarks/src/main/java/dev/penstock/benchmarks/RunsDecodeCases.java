// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.game2048.RunColumns;
import dev.penstock.game2048.RunDecoder;
import dev.penstock.game2048.RunPack;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/// How fast are runs decoded into columns on one core, beside memcpy of the same bytes?
final class RunsDecodeCases {
    /// The speed of the original program on one core, for runs of 48 KB.
    private static final double ORIGINAL_RUNS_PER_SECOND = 12_100;

    private static final double GOAL = 0.05;

    /// The largest size of the runs, which have to fit in the heap of the benchmarks.
    private static final long BYTES_MAX = 16L << 20;

    private RunsDecodeCases() {}

    static void run(Settings settings, RunsBenchmark.Data data, Report report) throws Exception {
        byte[][] runs = read(data.pack());
        try (Arena arena = Arena.ofConfined()) {
            Times times = new SideBySide(new Ours(runs), new Floor(runs, arena))
                    .warmUps(20)
                    .measure(settings.roundsOr(15));
            report.add(times.megabytes(RunsBenchmark.NAME, "decode", "memcpy").withGoal(GOAL));
            Row rate = times.things(RunsBenchmark.NAME, "decode", "runs/s", runs.length, "memcpy");
            report.add(rate.withRemark("the original decodes " + Row.number(ORIGINAL_RUNS_PER_SECOND)
                    + " runs/s of 48 KB on one core of another machine"));
        }
    }

    private static byte[][] read(Path path) throws IOException {
        try (RunPack pack = RunPack.open(path)) {
            long byteCount = 0;
            int count = 0;
            while (count < pack.count() && byteCount < BYTES_MAX) {
                byteCount += pack.pack().size(count++);
            }
            byte[][] runs = new byte[count][];
            for (int i = 0; i < count; i++) {
                runs[i] = pack.bytes(i);
            }
            return runs;
        }
    }

    private static final class Ours implements SideBySide.Side {
        private final byte[][] runs;
        private final RunColumns columns = new RunColumns();
        private long byteCount;

        Ours(byte[][] runs) {
            this.runs = runs;
        }

        @Override
        public long run() {
            byteCount = 0;
            for (byte[] run : runs) {
                RunDecoder.decode(run, Path.of("run"), columns);
                byteCount += run.length;
            }
            return byteCount;
        }

        @Override
        public long answer() {
            return byteCount;
        }
    }

    private static final class Floor implements SideBySide.Side {
        private final MemorySegment[] runs;
        private final MemorySegment target;
        private long byteCount;

        Floor(byte[][] runs, Arena arena) {
            this.runs = new MemorySegment[runs.length];
            long largest = 0;
            for (int i = 0; i < runs.length; i++) {
                this.runs[i] = arena.allocateFrom(ValueLayout.JAVA_BYTE, runs[i]);
                largest = Math.max(largest, runs[i].length);
            }
            target = arena.allocate(largest);
        }

        @Override
        public long run() {
            byteCount = 0;
            for (MemorySegment run : runs) {
                Memcpy.copy(target.address(), run.address(), run.byteSize());
                byteCount += run.byteSize();
            }
            return byteCount;
        }

        @Override
        public long answer() {
            return byteCount;
        }
    }
}
