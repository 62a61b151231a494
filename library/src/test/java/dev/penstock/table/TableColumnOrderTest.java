// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.file.Access;
import dev.penstock.file.Layouts;
import dev.penstock.file.MemoryDisk;
import dev.penstock.query.Where;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Conditions and statistics see the rows of an array in Fortran order, and not its columns.
class TableColumnOrderTest {
    private static final int ROWS = 1000;

    /// Row `i` is `(i, 10,000 + i, 20,000 + i)`; the file has all first items, then all second ones.
    private static MemoryDisk disk() {
        ByteBuffer items = ByteBuffer.allocate(3 * ROWS * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int column = 0; column < 3; column++) {
            for (int row = 0; row < ROWS; row++) {
                items.putInt(column * 10_000 + row);
            }
        }
        MemoryDisk disk = Tables.disk();
        String header = "{'descr': '<i4', 'fortran_order': True, 'shape': (" + ROWS + ", 3), }";
        disk.put(Tables.FILE, Tables.file(1, header, items.array()));
        return disk;
    }

    @ParameterizedTest
    @EnumSource
    void aConditionOnAnItemSelectsRows(Access access) throws IOException {
        try (TableReader table = Tables.open(disk(), Tables.FILE, access);
                Subset selected = Where.select(table, "value[1] >= 10997 or value[2] == 20007")) {
            List<List<Integer>> rows = new ArrayList<>();
            for (long i = 0; i < selected.count(); i++) {
                MemorySegment row = selected.get(i).value(0);
                rows.add(IntStream.range(0, 3)
                        .mapToObj(item -> row.get(Layouts.U32, item * 4L))
                        .toList());
            }
            assertEquals(
                    List.of(
                            List.of(7, 10_007, 20_007),
                            List.of(997, 10_997, 20_997),
                            List.of(998, 10_998, 20_998),
                            List.of(999, 10_999, 20_999)),
                    rows);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aConditionBetweenItemsOfARowHolds(Access access) throws IOException {
        try (TableReader table = Tables.open(disk(), Tables.FILE, access);
                Subset all = Where.select(table, "value[0] < value[1] and value[1] < value[2]");
                Subset none = Where.select(table, "value[0] > value[1]")) {
            assertEquals(ROWS, all.count());
            assertEquals(0, none.count());
        }
    }
}
