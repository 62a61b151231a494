// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.ElementType;
import dev.penstock.Progress;
import dev.penstock.file.Parallel;
import dev.penstock.shards.ShardStats.Position;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Computes [ShardStats] in one parallel pass.
final class ShardMoments {
    private final ShardReader shards;
    private final int width;
    private final AtomicLong doneRows = new AtomicLong();

    ShardMoments(ShardReader shards) {
        this.shards = shards;
        this.width = Math.toIntExact(shards.width());
    }

    /// The sums of some rows.
    private final class Sums {
        final double[] sum = new double[width];
        final double[] squares = new double[width];
        final long[] counts = new long[width];
        final List<Position> positions = new ArrayList<>();
        double norms;
        double squareNorms;
        double min = Double.POSITIVE_INFINITY;
        double max = Double.NEGATIVE_INFINITY;
        long nonFiniteCount;

        void add(ShardBatch batch, double[] row) {
            MemorySegment values = batch.values();
            for (int i = 0; i < batch.rowCount(); i++) {
                MemorySegment.copy(values, ValueLayout.JAVA_DOUBLE, i * (long) width * Double.BYTES, row, 0, width);
                addRow(batch.rowId(i), row);
            }
        }

        private void addRow(long rowId, double[] row) {
            double square = 0;
            for (int column = 0; column < width; column++) {
                double value = row[column];
                if (!Double.isFinite(value)) {
                    nonFinite(rowId, column);
                    continue;
                }
                counts[column]++;
                sum[column] += value;
                squares[column] += value * value;
                square += value * value;
                min = Math.min(min, value);
                max = Math.max(max, value);
            }
            norms += Math.sqrt(square);
            squareNorms += square;
        }

        private void nonFinite(long rowId, int column) {
            nonFiniteCount++;
            if (positions.size() < ShardStats.POSITIONS_MAX) {
                positions.add(new Position(rowId, column));
            }
        }

        void add(Sums other) {
            for (int column = 0; column < width; column++) {
                sum[column] += other.sum[column];
                squares[column] += other.squares[column];
                counts[column] += other.counts[column];
            }
            norms += other.norms;
            squareNorms += other.squareNorms;
            min = Math.min(min, other.min);
            max = Math.max(max, other.max);
            nonFiniteCount += other.nonFiniteCount;
            other.positions.stream()
                    .limit(ShardStats.POSITIONS_MAX - positions.size())
                    .forEach(positions::add);
        }
    }

    ShardStats compute(Progress progress) throws IOException {
        Sums total = new Sums();
        int threads = Parallel.defaultThreads();
        long blockCount = Math.ceilDiv(shards.count(), ShardStats.BLOCK_ROWS);
        // One block for each thread at a time, so that memory stays bounded for any number of rows.
        for (long start = 0; start < blockCount; start += threads) {
            long first = start;
            int count = (int) Math.min(threads, blockCount - start);
            Sums[] parts = new Sums[count];
            Parallel.run(count, threads, part -> parts[(int) part] = block(first + part, progress));
            for (Sums part : parts) {
                total.add(part);
            }
        }
        return stats(total);
    }

    private Sums block(long block, Progress progress) throws IOException {
        Sums sums = new Sums();
        double[] row = new double[width];
        long from = block * ShardStats.BLOCK_ROWS;
        long to = Math.min(shards.count(), from + ShardStats.BLOCK_ROWS);
        ShardCopy.forEach(shards, ElementType.F64, from, to, batch -> sums.add(batch, row));
        progress.at(doneRows.addAndGet(to - from), shards.count());
        return sums;
    }

    private ShardStats stats(Sums total) throws IOException {
        double[] mean = new double[width];
        double[] rms = new double[width];
        for (int column = 0; column < width; column++) {
            long count = Math.max(1, total.counts[column]);
            mean[column] = total.sum[column] / count;
            rms[column] = Math.sqrt(total.squares[column] / count);
        }
        boolean hasValues = total.min <= total.max;
        return new ShardStats(
                shards.fingerprint(),
                shards.count(),
                mean,
                rms,
                hasValues ? total.min : 0,
                hasValues ? total.max : 0,
                total.norms / shards.count(),
                total.squareNorms / shards.count(),
                total.nonFiniteCount,
                List.copyOf(total.positions));
    }
}
