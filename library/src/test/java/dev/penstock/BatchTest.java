// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchTest {
    private static final Field FIXED = Field.fixed("fixed", ElementType.I32, 3L);
    private static final Field VARIABLE = Field.variable("variable", ElementType.BYTES);

    /// As a dataset would: row `r` has `r` bytes of value `r`.
    private static void fill(Batch batch, int rowCount) {
        batch.clear();
        Column fixed = batch.column(0);
        MemorySegment numbers = fixed.reserveValues(rowCount * FIXED.itemSize());
        Column variable = batch.column(1);
        MemorySegment offsets = variable.reserveOffsets(rowCount);
        MemorySegment bytes = variable.reserveValues((long) rowCount * rowCount);
        long offset = 0;
        for (int row = 0; row < rowCount; row++) {
            numbers.asSlice(row * FIXED.itemSize(), FIXED.itemSize()).fill((byte) row);
            offsets.setAtIndex(ValueLayout.JAVA_LONG, row, offset);
            bytes.asSlice(offset, row).fill((byte) row);
            offset += row;
        }
        offsets.setAtIndex(ValueLayout.JAVA_LONG, rowCount, offset);
        batch.complete(rowCount);
    }

    @Test
    void aNewBatchIsEmpty() {
        try (Batch batch = Batch.create(List.of(FIXED, VARIABLE))) {
            assertEquals(0, batch.rowCount());
            assertEquals(0, batch.column("fixed").values().byteSize());
            assertEquals(0, batch.column("variable").values().byteSize());
            assertEquals(8, batch.column("variable").offsets().byteSize());
            assertEquals(0, batch.column("variable").offsets().get(ValueLayout.JAVA_LONG, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.column(0).value(0));
        }
    }

    @Test
    void rowsAreWhatWasFilledIn() {
        try (Batch batch = Batch.create(List.of(FIXED, VARIABLE))) {
            for (int rowCount : new int[] {10, 3, 100, 0, 1}) {
                fill(batch, rowCount);
                assertEquals(rowCount, batch.rowCount());
                assertEquals(rowCount * 12L, batch.column(0).values().byteSize());
                assertEquals(
                        rowCount * (rowCount - 1L) / 2, batch.column(1).values().byteSize());
                assertEquals((rowCount + 1) * 8L, batch.column(1).offsets().byteSize());
                for (int row = 0; row < rowCount; row++) {
                    assertEquals(row * 0x01010101, batch.column(0).value(row).get(ValueLayout.JAVA_INT, 8));
                    assertEquals(row, batch.column(1).value(row).byteSize());
                }
                assertThrows(
                        IndexOutOfBoundsException.class, () -> batch.column(1).value(rowCount));
                assertThrows(
                        IndexOutOfBoundsException.class, () -> batch.column(0).value(-1));
            }
        }
    }

    @Test
    void columnsStartAtACacheLine() {
        try (Batch batch = Batch.create(List.of(FIXED, VARIABLE))) {
            for (int rowCount = 1; rowCount < 300; rowCount += 7) {
                fill(batch, rowCount);
                assertEquals(0, batch.column(0).values().address() % 64);
                assertEquals(0, batch.column(1).values().address() % 64);
                assertEquals(0, batch.column(1).offsets().address() % 64);
            }
        }
    }

    @Test
    void smallerBatchesReuseTheMemory() {
        try (Batch batch = Batch.create(List.of(FIXED, VARIABLE))) {
            fill(batch, 100);
            long bytes = batch.allocatedBytes();
            long address = batch.column(0).values().address();
            for (int rowCount = 100; rowCount > 0; rowCount--) {
                fill(batch, rowCount);
                assertEquals(address, batch.column(0).values().address());
                assertEquals(bytes, batch.allocatedBytes());
            }
        }
    }

    @Test
    void growthIsByHalfAtLeast() {
        try (Batch batch = Batch.create(List.of(Field.fixed("bytes", ElementType.U8)))) {
            Column column = batch.column(0);
            long reallocationCount = 0;
            long size = 0;
            for (int byteCount = 1; byteCount <= 1_000_000; byteCount += 100) {
                assertTrue(column.reserveValues(byteCount).byteSize() >= byteCount);
                reallocationCount += batch.allocatedBytes() > size ? 1 : 0;
                size = batch.allocatedBytes();
            }
            assertTrue(reallocationCount < 30, reallocationCount + " reallocations");
            assertTrue(size <= 1_500_000, size + " bytes for a million");
        }
    }

    @Test
    void aClearedBatchLooksEmpty() {
        try (Batch batch = Batch.create(List.of(FIXED, VARIABLE))) {
            fill(batch, 10);
            batch.clear();
            assertEquals(0, batch.rowCount());
            assertEquals(0, batch.column(1).values().byteSize());
            assertEquals(0, batch.column(1).offsets().get(ValueLayout.JAVA_LONG, 0));
        }
    }

    @Test
    void aMissingColumnIsNamedWithThoseThereAre() {
        try (Batch batch = Batch.create(List.of(FIXED, VARIABLE))) {
            IllegalArgumentException refusal =
                    assertThrows(IllegalArgumentException.class, () -> batch.column("absent"));
            assertEquals("no column absent in this batch; there are: fixed, variable", refusal.getMessage());
        }
    }

    @Test
    void aFixedFieldHasNoOffsets() {
        try (Batch batch = Batch.create(List.of(FIXED))) {
            assertThrows(IllegalStateException.class, () -> batch.column(0).offsets());
            assertThrows(IllegalStateException.class, () -> batch.column(0).reserveOffsets(1));
        }
    }

    @Test
    void aClosedBatchIsRefused() {
        Batch batch = Batch.create(List.of(FIXED, VARIABLE));
        fill(batch, 10);
        MemorySegment kept = batch.column(0).values();
        batch.close();
        batch.close();
        assertEquals(0, batch.rowCount());
        assertEquals(0, batch.allocatedBytes());
        assertThrows(IllegalStateException.class, () -> batch.column(0).values());
        assertThrows(IllegalStateException.class, () -> batch.column(1).offsets());
        assertThrows(IllegalStateException.class, () -> batch.column(0).reserveValues(1));
        assertThrows(IllegalStateException.class, () -> kept.get(ValueLayout.JAVA_BYTE, 0));
    }
}
