// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.ElementType;
import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.file.Access;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.FaultyDisk.Plan;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.Storage;
import dev.penstock.file.WatchedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Every operation of opening and reading a corpus fails, once and for ever: the caller hears of it, gets no
/// wrong row, a stream goes on with the row that failed, and nothing stays open.
final class ShardReadFaultTest {
    private static final Path FOLDER = Path.of("/memory/corpus");
    private static final long ROW_COUNT = 11;
    private static final long WIDTH = 300;
    private static final int TRIES_MAX = 20;

    /// The sources of the bytes.
    enum Way {
        MAPPED,
        READ,
        STORE;

        ShardReader.Options options(Disk disk) {
            // Two blocks of the read-ahead hold three rows each.
            ShardReader.Options options = ShardReader.Options.DEFAULT.withReadAheadBytes(4 * 3 * WIDTH * 4);
            return switch (this) {
                case MAPPED -> options.withDisk(disk);
                case READ -> options.withDisk(disk).withAccess(Access.READ);
                case STORE -> options.withStorage(Storage.of(disk));
            };
        }
    }

    private final List<String> violations = new ArrayList<>();
    private long failureCount;

    private static MemoryDisk disk() {
        MemoryDisk disk = new MemoryDisk().addFolder(FOLDER);
        long first = 0;
        for (long rowCount : new long[] {4, 0, 5, 2}) {
            disk.put(
                    FOLDER.resolve("s" + first + rowCount + ".shard"), Shards.counting(rowCount, WIDTH, first * WIDTH));
            first += rowCount;
        }
        return disk;
    }

    private long sweep(Way way, UnaryOperator<Disk> bug) throws IOException {
        MemoryDisk disk = disk();
        return FaultyDisk.sweep(plan -> {
            FaultyDisk faulty = new FaultyDisk(disk, plan);
            WatchedDisk watched = new WatchedDisk(bug.apply(faulty));
            try (ShardReader reader = ShardReader.open(FOLDER, way.options(watched))) {
                use(plan, () -> stream(reader, plan));
                use(plan, () -> gather(reader, ElementType.F32));
                use(plan, () -> gather(reader, ElementType.F64));
                use(plan, () -> require(plan, reader.verify(Progress.NONE).isOk(), "verify finds damage"));
                use(plan, () -> require(plan, reader.source().token().endsWith(":0"), "a wrong token"));
                use(
                        plan,
                        () -> require(
                                plan, ShardStats.compute(reader, Progress.NONE).count() == ROW_COUNT, "stats"));
            } catch (IOException | UncheckedIOException e) {
                requireFault(e, plan);
            } catch (RuntimeException | Error e) {
                violations.add(plan + ": " + e);
            }
            requireClosed(watched, plan);
            return faulty;
        });
    }

    /// One way of using a corpus.
    @FunctionalInterface
    private interface Use {
        void run() throws IOException;
    }

    private void use(Plan plan, Use use) {
        try {
            use.run();
        } catch (IOException | UncheckedIOException e) {
            requireFault(e, plan);
        } catch (RuntimeException | Error e) {
            violations.add(plan + ": " + e);
        }
    }

    private void require(Plan plan, boolean isRight, String what) {
        if (!isRight) {
            violations.add(plan + ": " + what);
        }
    }

    private void requireFault(Exception e, Plan plan) {
        failureCount++;
        boolean isTold = e.getMessage().matches("(?s).*(Input/output error|No space left on device).*");
        require(plan, isTold, "the fault is hidden behind " + e);
    }

    /// Requests of the read-ahead may end after the reader was closed.
    private void requireClosed(WatchedDisk disk, Plan plan) {
        for (int i = 0; i < 300_000 && disk.openCount() > 0; i++) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        require(plan, disk.openCount() == 0, disk.openCount() + " files stay open");
    }

    /// Reads all rows in order and calls again where a call fails.
    private void stream(ShardReader reader, Plan plan) throws IOException {
        try (ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            long next = 0;
            for (int tries = 0; next < ROW_COUNT; ) {
                try {
                    require(plan, source.nextRows(2, batch), "the stream ends too early");
                } catch (IOException e) {
                    require(plan, source.position() == next && batch.rowCount() == 0, "the position moved");
                    if (++tries == TRIES_MAX) {
                        throw e;
                    }
                    requireFault(e, plan);
                    continue;
                }
                requireRows(batch, next, plan);
                next += batch.rowCount();
            }
            require(plan, !source.nextRows(2, batch), "the stream does not end");
        }
    }

    private void requireRows(ShardBatch batch, long first, Plan plan) {
        for (int row = 0; row < batch.rowCount(); row++) {
            require(plan, first < 0 || batch.rowId(row) == first + row, "row ids");
            for (long column = 0; column < WIDTH; column++) {
                if (batch.value(row, column) != batch.rowId(row) * WIDTH + column) {
                    violations.add(plan + ": row " + batch.rowId(row) + " is wrong");
                    break;
                }
            }
        }
    }

    private void gather(ShardReader reader, ElementType type) throws IOException {
        try (ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(type)) {
            source.gather(new long[] {10, 0, 5, 5, 4}, batch);
            requireRows(batch, -1, new Plan(0, FaultyDisk.Fault.EIO, false));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFaultWhileReadingIsAnErrorOfTheDiskAndTheStreamGoesOn(Way way) throws IOException {
        long attempts = sweep(way, UnaryOperator.identity());
        assertEquals(List.of(), violations);
        assertTrue(failureCount > (way == Way.MAPPED ? 60 : 150), () -> "only " + failureCount + " failures");
        Figures.print("shards, reads with one operation failing, " + way, attempts);
    }

    /// The planted bug: a read that fails and gives zeros instead.
    @Test
    void aReadThatHidesItsFaultIsCaught() throws IOException {
        sweep(Way.READ, BuggyDisks::withHiddenReadErrors);
        assertFalse(violations.isEmpty());
    }
}
