// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Disk;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Partitions, samples, limits, counts, statistics and metadata columns.
@Tag("full")
class SparkReadTest {
    @TempDir
    Path temporary;

    private Path table(long count, int shards) {
        Path path = temporary.resolve("table" + count);
        LocalSpark.session()
                .range(0, count, 1, shards)
                .selectExpr("id", "cast(id % 10 as int) digit")
                .write()
                .format("penstock")
                .save(path.toString());
        return path;
    }

    private static Dataset<Row> load(Path path, Map<String, String> options) {
        return LocalSpark.session().read().format("penstock").options(options).load(path.toString());
    }

    @Test
    void aCountReadsNoRecord() {
        Path path = table(1000, 4);
        Dataset<Row> count = LocalSpark.read(path).selectExpr("count(*)", "count(1)");
        assertTrue(LocalSpark.plan(count).contains("LocalTableScan"), LocalSpark.plan(count));
        assertEquals(1000, count.first().getLong(0));
        assertEquals(100, LocalSpark.read(path).where("digit = 3").count());
        assertEquals(0, LocalSpark.read(path).where("digit = 3 and id < 0").count());
        assertEquals(10, LocalSpark.read(path).groupBy("digit").count().count());
    }

    @Test
    void partitionsEndWithShards() {
        Path path = table(1000, 4);
        Dataset<Row> each = load(path, Map.of("partitionBytes", "1000"));
        assertTrue(each.rdd().getNumPartitions() >= 12, "" + each.rdd().getNumPartitions());
        assertEquals(499_500, each.selectExpr("sum(id)").first().getLong(0));
        Dataset<Row> files =
                each.selectExpr("spark_partition_id() p", "_file f").distinct();
        assertEquals(files.select("p").distinct().count(), files.count(), "a partition reads one shard");
        assertEquals(4, files.select("f").distinct().count());
    }

    @Test
    void metadataColumnsAreReadWhereTheyAreNamed() throws IOException {
        Path path = table(100, 2);
        assertEquals(List.of("id", "digit"), List.of(LocalSpark.read(path).columns()));
        Dataset<Row> rows = LocalSpark.read(path).where("_index >= 90 and _index < 95 and digit > 1");
        assertEquals(
                List.of(92L, 93L, 94L),
                rows.select("_index", "id").orderBy("_index").collectAsList().stream()
                        .map(row -> row.getLong(0))
                        .toList());
        assertEquals(1, LocalSpark.read(path).where("_index = 7").count());
        assertEquals(
                0, LocalSpark.read(path).where("_index > 9223372036854775806").count());
        assertEquals(3, LocalSpark.read(path).where("_index in (1, 5, 99, 100)").count());
        String file = LocalSpark.read(path).select("_file").first().getString(0);
        assertTrue(Files.exists(Path.of(file)), file);
        assertTrue(LocalSpark.read(path).select("_name").first().isNullAt(0));
    }

    @Test
    void samplesDoNotDependOnPartitions() {
        Path path = table(5000, 3);
        Dataset<Row> sample = LocalSpark.read(path).sample(false, 0.1, 11);
        assertTrue(LocalSpark.plan(sample).contains("sample 0.0 to 0.1"), LocalSpark.plan(sample));
        List<String> found = LocalSpark.values(sample);
        assertTrue(Math.abs(found.size() - 500) < 100, "" + found.size());
        assertEquals(
                found,
                LocalSpark.values(load(path, Map.of("partitionBytes", "999")).sample(false, 0.1, 11)));
        assertEquals(found.size(), sample.count());
        assertTrue(LocalSpark.read(path).sample(true, 0.5, 1).count() > 0);
        assertEquals(3, LocalSpark.read(path).limit(3).count());
        assertEquals(2, LocalSpark.read(path).where("digit = 1").limit(2).count());
        assertEquals(5000, LocalSpark.read(path).limit(9000).count());
    }

    @Test
    void deletedRecordsAreLeftOutAndNotCounted() throws IOException {
        Path path = temporary.resolve("store");
        List<StoreField> fields = List.of(new StoreField("x", "u8", List.of(), StoreCompression.RAW));
        try (StoreWriter store = StoreWriter.create(path, fields, StoreOptions.DEFAULT)) {
            for (byte i = 0; i < 10; i++) {
                store.append(List.of(new byte[] {i}));
            }
            store.delete(4);
        }
        assertEquals(9, LocalSpark.read(path).count());
        assertEquals(5, LocalSpark.read(path).limit(5).where("x is not null").count());
        assertEquals(41, LocalSpark.read(path).selectExpr("sum(x)").first().getLong(0));
        assertEquals(3, LocalSpark.read(path).where("x > 2 and x < 7").count());
    }

    @Test
    void severalDatasetsAndPatternsAreOne() {
        Path path = table(10, 1);
        Dataset<Row> twice = LocalSpark.session().read().format("penstock").load(path.toString(), path.toString());
        assertEquals(90, twice.selectExpr("sum(id)").first().getLong(0));
        assertEquals(20, twice.count());
        assertEquals(10, LocalSpark.read(temporary.resolve("table*")).count());
        LocalSpark.session().sql("create temporary view v using penstock options (path '" + path + "')");
        assertEquals(
                10, LocalSpark.session().sql("select count(*) from v").first().getLong(0));
        assertEquals(
                45,
                LocalSpark.session()
                        .sql("select sum(id) from penstock.`" + path + "`")
                        .first()
                        .getLong(0));
    }

    @Test
    void aTreeIsItsEntries() throws IOException {
        Path path = temporary.resolve("tree");
        try (TreeWriter tree = TreeWriter.create(path, TreeWriter.Options.DEFAULT)) {
            for (int i = 0; i < 100; i++) {
                tree.append(("key" + (100 + i)).getBytes(StandardCharsets.UTF_8), i);
            }
        }
        assertEquals(100, LocalSpark.read(path).count());
        Row last = LocalSpark.read(path)
                .where("value = 99")
                .selectExpr("cast(path as string)", "_index")
                .first();
        assertEquals("key199", last.getString(0));
        assertEquals(99, last.getLong(1));
    }

    @Test
    void statisticsAreGivenOnlyWhereTheyAreExact() {
        Path path = table(1000, 2);
        assertTrue(isCounted(LocalSpark.read(path)));
        assertFalse(isCounted(LocalSpark.read(path).where("digit = 1")));
        assertFalse(isCounted(LocalSpark.read(path).sample(false, 0.5, 1)));
    }

    private static boolean isCounted(Dataset<Row> rows) {
        return ((org.apache.spark.sql.classic.Dataset<Row>) rows)
                .queryExecution()
                .optimizedPlan()
                .stats()
                .rowCount()
                .isDefined();
    }

    @Test
    void whatIsNoDatasetIsRefused() throws IOException {
        Exception absent = assertThrows(Exception.class, () -> LocalSpark.read(temporary.resolve("none")));
        assertTrue(absent.getMessage().contains("none"), absent.getMessage());
        Files.writeString(temporary.resolve("text"), "some text");
        Exception text = assertThrows(Exception.class, () -> LocalSpark.read(temporary.resolve("text")));
        assertTrue(text.getMessage().contains("unknown dataset format"), text.getMessage());
        Path path = table(10, 1);
        Exception where = assertThrows(
                Exception.class,
                () -> load(path, Map.of("where", "nothing > 1")).count());
        assertTrue(where.getMessage().contains("there is no field nothing"), where.getMessage());
        Path shard = path.resolve(LocalSpark.files(path).stream()
                .filter(name -> name.endsWith(".npy"))
                .findFirst()
                .orElseThrow());
        Disk.real().delete(shard);
        assertThrows(Exception.class, () -> LocalSpark.read(path).collect());
    }
}
