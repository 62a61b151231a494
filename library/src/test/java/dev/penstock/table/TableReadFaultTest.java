// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.file.Access;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.FaultyDisk.Plan;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.WatchedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Every operation of opening and reading a table fails, once and for ever: the caller hears of it, gets nothing
/// that is wrong, and nothing stays open.
class TableReadFaultTest {
    private static final int ROW_COUNT = 9;

    private final byte[] rows = Tables.rows(Tables.RECORD, ROW_COUNT, new Random(1));
    private final List<String> violations = new ArrayList<>();
    private long failureCount;
    private byte[] columns;

    /// One way of using a table; it returns whether what came is right.
    @FunctionalInterface
    private interface Use {
        boolean of(TableReader table, Batch batch) throws IOException;
    }

    private final List<Use> uses = List.of(
            (table, batch) -> Arrays.equals(rows, Tables.rows(table)),
            this::gathersAll,
            (table, batch) -> table.get(8).value(0).byteSize() == 8,
            (table, batch) -> table.column("move").getLong(3) >= 0,
            (table, batch) -> table.verify(Progress.NONE).isOk(),
            (table, batch) -> table.fingerprint().length() == 32);

    private boolean gathersAll(TableReader table, Batch batch) throws IOException {
        try {
            table.gather(LongStream.range(0, ROW_COUNT).toArray(), batch);
        } catch (IOException e) {
            assertEquals(0, batch.rowCount(), "a batch that failed is empty");
            throw e;
        }
        byte[] values = batch.column("board").values().toArray(ValueLayout.JAVA_BYTE);
        columns = columns == null ? values : columns;
        return batch.rowCount() == ROW_COUNT && Arrays.equals(columns, values);
    }

    private long sweep(MemoryDisk disk, Path path, Access access, UnaryOperator<Disk> bug) throws IOException {
        return FaultyDisk.sweep(plan -> {
            FaultyDisk faulty = new FaultyDisk(disk, plan);
            WatchedDisk counting = new WatchedDisk(bug.apply(faulty));
            try (TableReader table = Tables.open(counting, path, access);
                    Batch batch = Batch.create(table.fields())) {
                for (int i = 0; i < uses.size(); i++) {
                    use(table, batch, i, plan);
                }
            } catch (IOException | UncheckedIOException e) {
                // A dataset is closed without checked exceptions.
                requireFault(e, plan);
            } catch (RuntimeException | Error e) {
                violations.add(plan + ": " + e);
            }
            if (counting.openCount() > 0) {
                violations.add(plan + ": " + counting.openCount() + " files stay open");
            }
            return faulty;
        });
    }

    private void use(TableReader table, Batch batch, int useIndex, Plan plan) {
        try {
            if (!uses.get(useIndex).of(table, batch)) {
                violations.add(plan + ": use " + useIndex + " gave something wrong");
            }
        } catch (IOException e) {
            requireFault(e, plan);
        } catch (RuntimeException | Error e) {
            violations.add(plan + ": use " + useIndex + ": " + e);
        }
    }

    private void requireFault(Exception e, Plan plan) {
        failureCount++;
        if (!FaultyDisk.isTold(e)) {
            violations.add(plan + ": the fault is hidden behind " + e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFaultWhileReadingIsAnErrorOfTheDisk(Access access) throws IOException {
        MemoryDisk file = Tables.disk().put(Tables.FILE, Tables.file(Tables.RECORD, rows));
        MemoryDisk folder = Tables.folder(Tables.RECORD, rows, 4);
        long attempts = sweep(file, Tables.FILE, access, UnaryOperator.identity());
        attempts += sweep(folder, Tables.FOLDER, access, UnaryOperator.identity());
        assertEquals(List.of(), violations);
        assertTrue(failureCount > (access == Access.READ ? 200 : 10), () -> "only " + failureCount + " failures");
        Figures.print("table, reads with one operation failing", attempts);
    }

    /// The planted bug: a read that fails and gives zeros instead.
    @Test
    void aReadThatHidesItsFaultIsCaught() throws IOException {
        MemoryDisk folder = Tables.folder(Tables.RECORD, rows, 4);
        sweep(folder, Tables.FOLDER, Access.READ, BuggyDisks::withHiddenReadErrors);
        assertFalse(violations.isEmpty());
    }
}
