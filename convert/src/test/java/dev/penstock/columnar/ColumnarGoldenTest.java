// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Files that pyarrow wrote, of one table with columns of most types.
class ColumnarGoldenTest {
    @Test
    void oneTableIsTheSameInEveryFile() throws IOException {
        List<List<String>> records = ColumnarBytes.records("types.parquet", ColumnarBytes.golden("types.parquet"));
        assertEquals(24, records.size());
        assertEquals(records, ColumnarBytes.records("plain.parquet", ColumnarBytes.golden("plain.parquet")));
        assertEquals(records, ColumnarBytes.records("types.arrow", ColumnarBytes.golden("types.arrow")));
    }

    @Test
    void columnsBecomeFieldsByTheRule() throws IOException {
        ColumnarBytes.read("types.parquet", ColumnarBytes.golden("types.parquet"), (indices, batch) -> {
            assertEquals(
                    Field.fixed("int8", ElementType.I8), batch.column("int8").field());
            assertEquals(
                    Field.fixed("f16", ElementType.F16), batch.column("f16").field());
            assertEquals(
                    Field.fixed("decimal35", ElementType.F64),
                    batch.column("decimal35").field());
            assertEquals(
                    Field.fixed("vector", ElementType.F32, 3L),
                    batch.column("vector").field());
            assertEquals(
                    Field.variable("map.value", ElementType.I64),
                    batch.column("map.value").field());
            assertEquals(
                    Field.variable("struct.y", ElementType.UTF8),
                    batch.column("struct.y").field());
            assertEquals(
                    Field.fixed("struct.z.w", ElementType.F64),
                    batch.column("struct.z.w").field());
            assertEquals(
                    Field.variable("structs", ElementType.UTF8),
                    batch.column("structs").field());
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"types.parquet", "types.arrow", "small.arrow"})
    void damageIsRefusedOrReadAndNothingElse(String name) throws IOException {
        byte[] whole = ColumnarBytes.golden(name);
        Random random = new Random(3);
        for (int i = 0; i < 400; i++) {
            byte[] bytes = whole.clone();
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            ColumnarBytes.readOrRefuse(name, bytes);
        }
        for (int i = 0; i < 100; i++) {
            byte[] cut = Arrays.copyOf(whole, random.nextInt(whole.length - 1));
            DatasetException e =
                    assertThrows(DatasetException.class, () -> ColumnarBytes.read(name, cut, (indices, batch) -> {}));
            assertTrue(e.getMessage().contains(name), e.getMessage());
        }
    }

    @Test
    void aMessageNamesRowGroupRowsAndColumn() {
        byte[] bytes = ColumnarBytes.golden("types.parquet");
        // The first page of the first column.
        bytes[40] ^= 1;
        DatasetException e = assertThrows(
                DatasetException.class, () -> ColumnarBytes.read("types.parquet", bytes, (indices, batch) -> {}));
        assertTrue(e.getMessage().contains("row group 0, rows 0 to 10, column int8"), e.getMessage());
    }

    @Test
    void anEncryptedFileIsRefused() {
        byte[] bytes = ColumnarBytes.golden("plain.parquet");
        System.arraycopy("PARE".getBytes(StandardCharsets.US_ASCII), 0, bytes, bytes.length - 4, 4);
        DatasetException e = assertThrows(
                DatasetException.class, () -> ColumnarBytes.read("plain.parquet", bytes, (indices, batch) -> {}));
        assertTrue(e.getMessage().contains("encrypted"), e.getMessage());
    }
}
