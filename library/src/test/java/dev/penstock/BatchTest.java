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

    /// Fills the batch like a dataset: row `r` has `r` bytes of value `r`.
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
            assertEquals("this batch has no column absent; its columns are fixed, variable", refusal.getMessage());
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

    @Test
    void columnsTradeTheirMemoryAndRows() {
        try (Batch one = Batch.create(List.of(FIXED, VARIABLE));
                Batch other = Batch.create(List.of(VARIABLE, Field.fixed("numbers", ElementType.F32, 3L)))) {
            fill(one, 10);
            long bytes = one.column(1).values().address();
            long numbers = one.column(0).values().address();
            one.column(1).exchange(other.column(0));
            other.column(1).exchange(one.column(0));
            assertEquals(120, other.column(1).values().byteSize());
            assertEquals(0, one.column(0).values().byteSize());
            assertEquals(88, other.column(0).offsets().byteSize());
            assertEquals(8, one.column(1).offsets().byteSize());
            other.complete(10);
            one.complete(0);
            assertEquals(bytes, other.column(0).values().address());
            assertEquals(numbers, other.column(1).values().address());
            assertEquals(9, other.column(0).value(9).byteSize());
            assertEquals(0x09090909, other.column(1).value(9).get(ValueLayout.JAVA_INT, 8));
            assertEquals(0, one.column(0).values().byteSize());
            assertEquals(0, one.column(1).values().byteSize());
            assertEquals(0, one.column(1).offsets().get(ValueLayout.JAVA_LONG, 0));
            fill(one, 20);
            assertEquals(9, other.column(0).value(9).byteSize());
            one.column(0).exchange(one.column(0));
            assertEquals(19 * 0x01010101, one.column(0).value(19).get(ValueLayout.JAVA_INT, 0));
        }
    }

    @Test
    void columnsOfOtherItemsAreNotExchanged() {
        Field wide = Field.variable("wide", ElementType.I16);
        Field single = Field.fixed("single", ElementType.U8);
        try (Batch batch = Batch.create(List.of(FIXED, VARIABLE, wide, single))) {
            for (int[] pair : new int[][] {{0, 1}, {1, 2}, {3, 0}, {1, 3}}) {
                Column one = batch.column(pair[0]);
                IllegalArgumentException refusal =
                        assertThrows(IllegalArgumentException.class, () -> one.exchange(batch.column(pair[1])));
                assertTrue(refusal.getMessage().contains(one.field().toString()), refusal.getMessage());
            }
        }
    }

    @Test
    void memoryThatIsClosedIsNotExchanged() {
        try (Batch open = Batch.create(List.of(FIXED))) {
            Batch closed = Batch.create(List.of(FIXED));
            closed.close();
            assertThrows(IllegalStateException.class, () -> open.column(0).exchange(closed.column(0)));
            assertThrows(IllegalStateException.class, () -> closed.column(0).exchange(open.column(0)));
            open.column(0).reserveValues(12);
        }
    }
}
