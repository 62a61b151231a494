// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Seeds;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The memory that rows are copied to cannot be freed under the copy.
@ExtendWith(Seeds.class)
@SuppressWarnings("try")
class TableTargetTest {
    private static final int ROW_COUNT = 3000;
    private static final int ROUND_COUNT = 200;
    private static final long[] ALL = LongStream.range(0, ROW_COUNT).toArray();

    private final Random random = Seeds.random();
    private final byte[] rows = Tables.rows(Tables.RECORD, ROW_COUNT, random);

    /// Does something, once, in another thread and in the middle of a gather: when rows are read.
    private static final class InterruptingDisk extends ForwardingDisk {
        private Runnable interruption;

        InterruptingDisk(Disk disk) {
            super(disk);
        }

        @Override
        public Readable open(Path file) throws IOException {
            return new ForwardingReader(super.open(file)) {
                @Override
                public long read(long offset, MemorySegment target) throws IOException {
                    interrupt();
                    return super.read(offset, target);
                }
            };
        }

        private void interrupt() {
            Runnable now = interruption;
            interruption = null;
            if (now != null) {
                join(Thread.ofPlatform().start(now));
            }
        }
    }

    /// Waits although this thread may still be interrupted from a test before.
    private static void join(Thread thread) {
        boolean isJoined = false;
        while (!isJoined) {
            try {
                thread.join();
                isJoined = true;
            } catch (InterruptedException e) {
                isJoined = false;
            }
        }
    }

    private MemoryDisk file() throws IOException {
        MemoryDisk disk = Tables.disk();
        disk.put(Tables.FILE, Tables.file(Tables.RECORD, rows));
        return disk;
    }

    @Test
    void aBatchThatIsClosedMeanwhileKeepsItsMemoryUntilTheGatherEnds() throws IOException {
        InterruptingDisk disk = new InterruptingDisk(file());
        try (TableReader table = Tables.open(disk, Tables.FILE, Access.READ);
                Batch batch = Batch.create(table.fields())) {
            table.gather(ALL, batch);
            MemorySegment memory = batch.column(0).memory();
            boolean[] wasAlive = new boolean[1];
            disk.interruption = () -> {
                batch.close();
                wasAlive[0] = memory.scope().isAlive();
            };
            assertThrows(IllegalStateException.class, () -> table.gather(ALL, batch));
            assertTrue(wasAlive[0], "the memory was freed while rows were written to it");
            assertFalse(memory.scope().isAlive());
            assertEquals(0, batch.rowCount());
        }
    }

    @Test
    void aBufferThatIsClosedMeanwhileKeepsItsMemoryUntilTheRowsAreRead() throws IOException {
        InterruptingDisk disk = new InterruptingDisk(file());
        try (TableReader table = Tables.open(disk, Tables.FILE, Access.READ);
                Buffer buffer = new Buffer()) {
            MemorySegment memory = table.read(MemorySegment.ofArray(ALL), buffer);
            assertArrayEquals(rows, memory.toArray(ValueLayout.JAVA_BYTE));
            boolean[] wasAlive = new boolean[1];
            disk.interruption = () -> {
                buffer.close();
                wasAlive[0] = memory.scope().isAlive();
            };
            assertThrows(IllegalStateException.class, () -> table.read(MemorySegment.ofArray(ALL), buffer));
            assertTrue(wasAlive[0], "the memory was freed while rows were written to it");
            assertFalse(memory.scope().isAlive());
        }
    }

    @Test
    void nothingIsWrittenToAnArenaThatIsClosedMeanwhile() throws IOException {
        InterruptingDisk disk = new InterruptingDisk(file());
        try (TableReader table = Tables.open(disk, Tables.FILE, Access.READ)) {
            Arena arena = Arena.ofShared();
            MemorySegment target = arena.allocate(rows.length);
            disk.interruption = arena::close;
            assertThrows(IllegalStateException.class, () -> table.read(MemorySegment.ofArray(ALL), target));
        }
    }

    @Test
    void anArenaMayBeClosedAtAnyMomentOfAReadOfMappedRows() throws IOException {
        try (TableReader table = Tables.open(file(), Tables.FILE, Access.MMAP)) {
            for (int round = 0; round < ROUND_COUNT; round++) {
                Arena arena = Arena.ofShared();
                MemorySegment target = arena.allocate(rows.length);
                long delay = random.nextInt(100_000);
                Thread closer = Thread.ofPlatform().start(() -> closeAfter(arena, delay));
                try {
                    table.read(MemorySegment.ofArray(ALL), target);
                } catch (IllegalStateException e) {
                    assertFalse(target.scope().isAlive(), e.getMessage());
                }
                join(closer);
            }
        }
    }

    private static void closeAfter(Arena arena, long nanos) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            Thread.onSpinWait();
        }
        arena.close();
    }

    @Test
    void rowsAreTheSameInEveryKindOfMemory() throws IOException {
        for (Access access : Access.values()) {
            try (TableReader table = Tables.open(file(), Tables.FILE, access);
                    Arena shared = Arena.ofShared();
                    Arena confined = Arena.ofConfined()) {
                for (Arena arena : new Arena[] {shared, confined, Arena.ofAuto(), Arena.global()}) {
                    MemorySegment target = arena.allocate(rows.length);
                    table.read(MemorySegment.ofArray(ALL), target);
                    assertArrayEquals(rows, target.toArray(ValueLayout.JAVA_BYTE));
                }
                assertArrayEquals(rows, Tables.rows(table));
            }
        }
    }
}
