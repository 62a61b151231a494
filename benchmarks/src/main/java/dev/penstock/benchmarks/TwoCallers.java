// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.file.Parallel;
import dev.penstock.table.TableReader;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;

/// Two threads that gather from one reader, each its own batches.
final class TwoCallers implements Contender, AutoCloseable {
    private final TableGatherer first;
    private final TableGatherer second;

    TwoCallers(TableReader reader) {
        this.first = TableGatherer.rows(reader);
        this.second = TableGatherer.rows(reader);
    }

    private record Span(long start, long end) {}

    @Override
    public int callers() {
        return 2;
    }

    /// The time from the start of the first until both are done.
    @Override
    public long[] run(Draw draw) throws Exception {
        Draw other = new Draw(draw.batchCount(), draw.batchSize(), draw.seed() + 1);
        CyclicBarrier barrier = new CyclicBarrier(2);
        Future<Span> future = Parallel.start(() -> span(second, other, barrier));
        Span mine = span(first, draw, barrier);
        Span others = Parallel.await(future);
        return new long[] {Math.max(mine.end, others.end) - Math.min(mine.start, others.start)};
    }

    private static Span span(TableGatherer gatherer, Draw draw, CyclicBarrier barrier) throws Exception {
        gatherer.prepare(draw);
        barrier.await();
        long start = System.nanoTime();
        gatherer.gather(draw);
        return new Span(start, System.nanoTime());
    }

    @Override
    public long checksum(Draw draw) throws Exception {
        return first.checksum(draw);
    }

    @Override
    public void close() {
        first.close();
        second.close();
    }
}
