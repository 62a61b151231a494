// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Access;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Single values of a field, of either byte order, inside records and arrays of them.
class TableColumnTest {
    private static final RowType ROW =
            RowType.of(DType.parse("[('le', '<i4'), ('be', '>i4', (2,)), ('u', '>u8'), ('f', '>f8'), ('h', '<f2'),"
                    + " ('t', '|S4'), ('w', '>U2'), ('r', [('x', '>i2'), ('y', '|u1')], (3,)),"
                    + " ('b', '|b1'), ('c', '<c8')]"));

    private static byte[] row(int i) {
        ByteBuffer row = ByteBuffer.allocate((int) ROW.size());
        row.order(ByteOrder.LITTLE_ENDIAN).putInt(-i - 1).order(ByteOrder.BIG_ENDIAN);
        row.putInt(10 + i).putInt(-20 - i).putLong(-1L - i).putDouble(i + 0.5);
        row.order(ByteOrder.LITTLE_ENDIAN).putShort(Float.floatToFloat16(i)).order(ByteOrder.BIG_ENDIAN);
        row.put(Arrays.copyOf(("t" + i).getBytes(StandardCharsets.UTF_8), 4))
                .putInt('日')
                .putInt(0);
        for (int k = 0; k < 3; k++) {
            row.putShort((short) (-100 * k - i)).put((byte) (200 + k));
        }
        return row.put((byte) (i % 2)).putLong(0).array();
    }

    private static TableReader open(Access access) throws IOException {
        byte[] rows = new byte[(int) ROW.size() * 5];
        for (int i = 0; i < 5; i++) {
            System.arraycopy(row(i), 0, rows, i * (int) ROW.size(), (int) ROW.size());
        }
        MemoryDisk disk = Tables.folder(ROW, rows, 2);
        return Tables.open(disk, Tables.FOLDER, access);
    }

    @ParameterizedTest
    @EnumSource
    void valuesAreTheOnesThatWereWritten(Access access) throws IOException {
        try (TableReader table = open(access)) {
            for (int i = 0; i < 5; i++) {
                assertEquals(-i - 1, table.column("le").getLong(i));
                assertEquals(10 + i, table.column("be").getLong(i));
                assertEquals(-20 - i, table.column("be").getLong(i, 1));
                assertEquals(-1L - i, table.column("u").getLong(i));
                assertTrue(table.column("u").getDouble(i) > 1.8e19, "unsigned");
                assertEquals(i + 0.5, table.column("f").getDouble(i));
                assertEquals(i, table.column("h").getDouble(i));
                assertEquals("t" + i, table.column("t").getText(i));
                assertEquals("日", table.column("w").getText(i));
                assertEquals(i % 2, table.column("b").getLong(i));
                for (int k = 0; k < 3; k++) {
                    assertEquals(-100 * k - i, table.column("r.x").getLong(i, k));
                    assertEquals(200 + k, table.column("r.y").getLong(i, k));
                }
                assertArrayEquals(
                        new short[] {(short) -i, (short) (-100 - i), (short) (-200 - i)},
                        table.column("r.x").get(i).toArray(ValueLayout.JAVA_SHORT_UNALIGNED));
            }
            assertEquals(5, table.column("le").count());
            assertEquals("r.x", table.column("r.x").field().name());
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNotThereIsRefused(Access access) throws IOException {
        TableReader table = open(access);
        TableColumn column = table.column("be");
        for (long row : new long[] {-1, 5, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> column.getLong(row));
            assertThrows(IndexOutOfBoundsException.class, () -> column.get(row));
        }
        for (long element : new long[] {-1, 2, Long.MAX_VALUE / 4, Long.MIN_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> column.getLong(0, element));
        }
        assertThrows(IllegalArgumentException.class, () -> column.getText(0));
        assertThrows(IllegalArgumentException.class, () -> table.column("f").getLong(0));
        assertThrows(IllegalArgumentException.class, () -> table.column("c").getDouble(0));
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> table.column("absent"));
        assertTrue(refusal.getMessage().contains("its fields are le, be, u,"), refusal.getMessage());
        table.close();
        assertThrows(IllegalStateException.class, () -> column.getLong(0));
        assertThrows(IllegalStateException.class, () -> column.get(0));
    }

    @Test
    void aFieldOfNoElementsHasNone() throws IOException {
        byte[] file = Tables.file(1, Tables.header("[('a', '<i4', (0,)), ('b', '|u1')]", "(2,)"), new byte[2]);
        MemoryDisk disk = Tables.disk().put(Tables.FILE, file);
        try (TableReader table = Tables.open(disk, Tables.FILE, Access.MMAP)) {
            assertEquals(0, table.column("a").get(1).byteSize());
            assertThrows(
                    IndexOutOfBoundsException.class, () -> table.column("a").getLong(0));
            assertEquals(0, table.column("b").getLong(1));
        }
    }
}
