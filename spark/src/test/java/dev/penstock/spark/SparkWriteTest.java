// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.catalog.Catalog;
import dev.penstock.groups.GroupedTable;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.ShuffleQuality;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Kinds, save modes, groups, names and shuffles; tasks that fail.
@Tag("full")
class SparkWriteTest {
    @TempDir
    Path temporary;

    private Path path;

    @BeforeEach
    void setUp() {
        path = temporary.resolve("dataset");
    }

    private static Dataset<Row> numbers(long count) {
        return LocalSpark.session().range(0, count, 1, 4).toDF("id");
    }

    private void save(Dataset<Row> rows, String mode, Map<String, String> options) {
        rows.write().format("penstock").options(options).mode(mode).save(path.toString());
    }

    private long sum() {
        return LocalSpark.read(path).selectExpr("sum(id)").first().getLong(0);
    }

    @Test
    void allSaveModesDoWhatTheirNamesSay() throws IOException {
        save(numbers(10), "error", Map.of());
        assertEquals(45, sum());
        Exception there = assertThrows(Exception.class, () -> save(numbers(3), "error", Map.of()));
        assertTrue(there.getMessage().contains("already exists"), there.getMessage());
        save(numbers(3), "ignore", Map.of());
        assertEquals(45, sum());
        save(numbers(5), "append", Map.of());
        assertEquals(55, sum());
        // From the dataset itself.
        save(LocalSpark.read(path).where("id > 3"), "overwrite", Map.of());
        assertEquals(4 + 4 + 5 + 6 + 7 + 8 + 9, sum());
        save(numbers(0), "overwrite", Map.of());
        assertEquals(0, LocalSpark.read(path).count());
        assertEquals(2, LocalSpark.files(path).size(), "files of earlier writes are left");
        LocalSpark.session().sql("insert into penstock.`" + path + "` values (40), (2)");
        assertEquals(42, sum());
    }

    @Test
    void aPackHasTheNamesOfAColumn() throws IOException {
        Dataset<Row> rows =
                numbers(20).selectExpr("concat('record ', id) as name", "cast(cast(id as string) as binary) as bytes");
        save(rows, "append", Map.of("kind", "pack", "name", "name", "compress", "zstd"));
        save(rows.limit(1).selectExpr("'more' as name", "bytes"), "append", Map.of("kind", "pack", "name", "name"));
        List<String> found =
                LocalSpark.values(LocalSpark.read(path).selectExpr("_name as name", "cast(value as string) as text"));
        assertEquals(21, found.size());
        assertTrue(found.contains("{\"name\":\"record 7\",\"text\":\"7\"}"), found.toString());
        try (dev.penstock.Dataset dataset = Catalog.open(path)) {
            assertEquals("record 0", dataset.name(0));
        }
    }

    @Test
    void shardsAreOneCorpus() throws IOException {
        Dataset<Row> rows = numbers(100).selectExpr("array(cast(id as float), 0.5f, 1f) as values");
        save(rows, "append", Map.of("kind", "shards", "shardBytes", "200"));
        assertTrue(LocalSpark.files(path).size() > 5);
        assertEquals(
                4950, LocalSpark.read(path).selectExpr("sum(value[0])").first().getDouble(0));
        Exception empty =
                assertThrows(Exception.class, () -> save(rows.limit(0), "overwrite", Map.of("kind", "shards")));
        assertTrue(message(empty).contains("there is no row"), message(empty));
        assertEquals(100, LocalSpark.read(path).count());
        Exception width = assertThrows(
                Exception.class,
                () -> save(
                        numbers(9).selectExpr("array_repeat(1f, int(id)) v").repartition(1),
                        "overwrite",
                        Map.of("kind", "shards")));
        assertTrue(message(width).contains("one width"), message(width));
    }

    @Test
    void groupsHaveTheValuesOfAColumn() throws IOException {
        Dataset<Row> rows = numbers(1000).selectExpr("id", "cast(id * 7919 % 10 as int) as run_id");
        save(rows, "append", Map.of("group", "run_id"));
        try (GroupedTable table = GroupedTable.open(path)) {
            assertEquals(10, table.groups().count());
            assertEquals(1000, table.count());
            assertEquals(100, table.groups().rowCount(3));
        }
        Dataset<Row> attributes = LocalSpark.read(path).selectExpr("run_id", "num_rows", "`group.run_id` g");
        assertEquals(0, attributes.where("run_id <> g or num_rows <> 100").count());
        save(rows.limit(7).selectExpr("id", "77 as run_id"), "append", Map.of("group", "run_id"));
        try (GroupedTable table = GroupedTable.open(path)) {
            assertEquals(11, table.groups().count());
        }
        assertEquals(
                100,
                LocalSpark.session()
                        .read()
                        .format("penstock")
                        .option("where", "first_row == 100")
                        .load(path.toString())
                        .count());
    }

    @Test
    void aShuffleIsThatOfTheLoader() throws IOException {
        long count = 5000;
        save(numbers(count), "error", Map.of("shuffle", "7"));
        PermutationSampler order = new PermutationSampler(count, 7);
        long[] found = new long[(int) count];
        for (Row row : LocalSpark.read(path).select("_index", "id").collectAsList()) {
            found[(int) row.getLong(0)] = row.getLong(1);
        }
        for (int position = 0; position < count; position++) {
            assertEquals(order.index(0, position), found[position]);
        }
        // What `plan` says of a loader that reads the dataset from start to end: as good as a full shuffle.
        ShuffleQuality quality = ShuffleQuality.of(order, 0, 100);
        ShuffleQuality full = ShuffleQuality.ofTrueShuffle(order, 0, 100, 1);
        assertTrue(quality.effectiveBatch() > full.effectiveBatch() / 2, quality + " " + full);
        save(numbers(count).where("id < 10"), "append", Map.of("shuffle", "7"));
        assertEquals(count + 10, LocalSpark.read(path).count());
        assertThrows(Exception.class, () -> save(numbers(5), "error", Map.of("shuffle", "7")));
        save(numbers(5), "overwrite", Map.of("shuffle", "1"));
        assertEquals(5, LocalSpark.read(path).count());
    }

    private static String message(Throwable error) {
        StringBuilder all = new StringBuilder();
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            all.append(cause.getMessage()).append('\n');
        }
        return all.toString();
    }

    @Test
    void whatCannotBeStoredIsRefusedWithAdvice() throws IOException {
        Map<String, String> advice = new HashMap<>();
        advice.put("cast(id as string) s", "give its width by the option types");
        advice.put("current_timestamp() t", "a time to a number");
        advice.put("struct(id) a", "take a struct apart");
        advice.put("if(id = 3, null, id) n", "which only a store can hold");
        for (Map.Entry<String, String> one : advice.entrySet()) {
            Exception refused =
                    assertThrows(Exception.class, () -> save(numbers(9).selectExpr(one.getKey()), "append", Map.of()));
            assertTrue(message(refused).contains(one.getValue()), message(refused));
        }
        Map<Map<String, String>, String> options = Map.of(
                Map.of("kind", "tabel"), "kind must be table, pack, shards or store",
                Map.of("typos", "id u8"), "there is no option typos",
                Map.of("types", "nothing u8"), "the option types names the column nothing",
                Map.of("types", "id u9"), "is not a type of a field",
                Map.of("types", "id u8"), "does not fit in u8",
                Map.of("shuffle", "yes"), "shuffle must be a seed",
                Map.of("kind", "pack"), "a pack is written from one column");
        for (Map.Entry<Map<String, String>, String> one : options.entrySet()) {
            Exception refused = assertThrows(Exception.class, () -> save(numbers(900), "append", one.getKey()));
            assertTrue(message(refused).contains(one.getValue()), message(refused));
        }
        // Nothing that could be read is left.
        assertThrows(Exception.class, () -> LocalSpark.read(path));
        Files.createDirectories(temporary.resolve("mine"));
        Files.writeString(temporary.resolve("mine").resolve("notes.txt"), "keep");
        path = temporary.resolve("mine");
        assertThrows(Exception.class, () -> save(numbers(9), "overwrite", Map.of()));
        assertEquals(List.of("notes.txt"), LocalSpark.files(path));
    }

    /// The first two attempts of a task fail after some of their rows are on disk.
    @Test
    void tasksThatFailTwiceLeaveNothing() throws IOException {
        UDF1<Long, Long> failing = id -> {
            if (id == 149 && TaskContext.get().attemptNumber() < 2) {
                throw new IllegalStateException("planted");
            }
            return id;
        };
        Dataset<Row> rows = numbers(200)
                .select(functions
                        .udf(failing, DataTypes.LongType)
                        .apply(functions.col("id"))
                        .as("id"));
        for (String kind : List.of("table", "store")) {
            path = temporary.resolve(kind);
            save(rows, "append", Map.of("kind", kind, "shardBytes", "80"));
            assertEquals(199 * 100, sum());
            long listed = LocalSpark.read(path).select("_file").distinct().count();
            assertEquals(
                    listed,
                    LocalSpark.files(path).stream()
                            .filter(name -> name.startsWith("part-") || name.startsWith("rows-"))
                            .count());
        }
    }

    /// A task that fails for good leaves the old dataset.
    @Test
    void aJobThatFailsLeavesTheOldDataset() throws IOException {
        save(numbers(10), "append", Map.of());
        List<String> before = LocalSpark.files(path);
        Dataset<Row> bad = numbers(200).selectExpr("if(id = 199, raise_error('planted'), id) as id");
        for (String mode : List.of("append", "overwrite")) {
            assertThrows(Exception.class, () -> save(bad, mode, Map.of("shardBytes", "80")));
            assertEquals(45, sum());
            assertEquals(before, LocalSpark.files(path));
        }
        assertFalse(before.isEmpty());
    }
}
