// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.file.Disk;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/// How long does it take to open a tree, small or large? The floor is the goal of 0.3 ms.
final class TreeOpenCases {
    private static final double GOAL_MILLIS = 0.3;
    private static final long SMALL = 10_000_000L;
    private static final long LARGE = 10_000_000_000L;
    private static final int OPENS = 200;

    private TreeOpenCases() {}

    static void run(Settings settings, TreeData data, Report report) throws IOException {
        for (long size : new long[] {SMALL, LARGE}) {
            Path file = data.folder().resolve("open-" + size + ".act");
            writeSparse(file, size);
            double[] millis = new double[settings.roundsOr(15)];
            for (int round = -5; round < millis.length; round++) {
                long start = System.nanoTime();
                for (int i = 0; i < OPENS; i++) {
                    try (TreeReader tree = TreeReader.open(file)) {
                        if (!tree.contains(new byte[] {'a'})) {
                            throw new IllegalStateException("not the tree that was written");
                        }
                    }
                }
                if (round >= 0) {
                    millis[round] = (System.nanoTime() - start) / 1e6 / OPENS;
                }
            }
            double median = Times.median(millis);
            report.add(new Row(
                    TreeBenchmark.NAME,
                    size == SMALL ? "open-10MB" : "open-10GB",
                    median,
                    "ms",
                    "goal",
                    GOAL_MILLIS,
                    GOAL_MILLIS / median,
                    Times.spread(millis)));
            Files.delete(file);
        }
    }

    /// Writes a tree of one key whose root is at the end of a sparse file.
    private static void writeSparse(Path file, long size) throws IOException {
        Files.deleteIfExists(file);
        ByteBuffer header = ByteBuffer.allocate(18).order(ByteOrder.LITTLE_ENDIAN);
        header.put("ACTree03".getBytes()).putLong(size - 20).put((byte) 0x40).put((byte) 1);
        ByteBuffer root = ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN);
        long distance = size - 20 - 16;
        int payload = (Long.SIZE + 7 - Long.numberOfLeadingZeros(distance)) / 8;
        root.put((byte) 1).put((byte) (247 + payload));
        for (int i = 0; i < payload; i++) {
            root.put((byte) (distance >>> 8 * i));
        }
        root.put((byte) 'a');
        try (Disk.Writable out = Disk.real().create(file)) {
            out.write(MemorySegment.ofArray(root.array()), size - 20);
            out.write(MemorySegment.ofArray(header.array()), 0);
        }
    }
}
