// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.catalog.Catalog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Values of every type come back as they were written, and as Parquet has them.
@Tag("full")
class SparkTypesTest {
    @TempDir
    Path temporary;

    private Dataset<Row> parquet(Dataset<Row> rows) {
        String path = temporary.resolve("parquet").toString();
        rows.write().parquet(path);
        return LocalSpark.session().read().parquet(path);
    }

    @Test
    void everyTypeOfATableIsAsInParquet() throws IOException {
        Dataset<Row> rows = AllTypes.rows(300, 1);
        Path path = temporary.resolve("table");
        rows.write().format("penstock").option("types", AllTypes.TYPES).save(path.toString());
        List<String> expected = LocalSpark.values(parquet(rows));
        assertEquals(300, expected.size());
        assertEquals(expected, LocalSpark.values(LocalSpark.read(path)));
        Dataset<Row> byRows = LocalSpark.session()
                .read()
                .format("penstock")
                .option("columnar", "false")
                .load(path.toString());
        assertEquals(expected, LocalSpark.values(byRows), "row by row");
        // The types of the fields, which Spark does not have, are those that were asked for.
        try (dev.penstock.Dataset dataset = Catalog.open(path)) {
            List<String> types = dataset.fields().stream()
                    .map(field -> FieldType.of(field).toString())
                    .toList();
            assertTrue(
                    types.containsAll(List.of("u8", "u64", "bf16", "utf32(6)", "bytes(3)", "u8[2,2]", "c128")),
                    types.toString());
        }
    }

    /// Without options, because the columns remember the types of their fields.
    @Test
    void aTableThatIsWrittenAgainHasTheSameFields() throws IOException {
        Path first = temporary.resolve("first");
        Path second = temporary.resolve("second");
        AllTypes.rows(20, 2)
                .write()
                .format("penstock")
                .option("types", AllTypes.TYPES)
                .save(first.toString());
        LocalSpark.read(first).write().format("penstock").save(second.toString());
        try (dev.penstock.Dataset one = Catalog.open(first);
                dev.penstock.Dataset other = Catalog.open(second)) {
            assertEquals(one.fields(), other.fields());
        }
        assertEquals(LocalSpark.values(LocalSpark.read(first)), LocalSpark.values(LocalSpark.read(second)));
    }

    @Test
    void raggedAndMissingValuesOfAStoreAreAsInParquet() {
        StructType schema = StructType.fromDDL(
                "id long, n int, tokens array<int>, text string, raw binary," + " big decimal(20,0)");
        List<Row> data = List.of(
                RowFactory.create(0L, 1, List.of(1, 2, 3), "a", new byte[] {0}, null),
                RowFactory.create(
                        1L, null, List.of(), "", new byte[0], new java.math.BigDecimal("18446744073709551615")),
                RowFactory.create(2L, 3, null, null, null, null),
                RowFactory.create(3L, -4, List.of(5), "größe", new byte[] {1, 0}, null));
        Dataset<Row> rows = LocalSpark.session().createDataFrame(data, schema).repartition(2);
        Path path = temporary.resolve("store");
        rows.write()
                .format("penstock")
                .options(Map.of("kind", "store", "compress", "zstd"))
                .save(path.toString());
        assertEquals(LocalSpark.values(parquet(rows)), LocalSpark.values(LocalSpark.read(path)));
    }
}
