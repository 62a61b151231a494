// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A filter finds the same rows in a dataset and in Parquet, whether it is pushed down or not.
@Tag("full")
class SparkFilterTest {
    private static final List<String> COMPARISONS = List.of("=", "<>", "<", "<=", ">", ">=", "<=>");

    @TempDir
    Path temporary;

    private Dataset<Row> data() {
        StructType schema = StructType.fromDDL("id long, n int, x float, y double, s string, b boolean, r binary");
        Random random = new Random(3);
        List<Row> rows = new ArrayList<>();
        double[] odd = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0, 0.0, 0.1, 1, 1.5};
        String[] texts = {"", "a", "a'b", "back\\slash", "größe", "b", "😀", "line\nbreak"};
        for (long id = 0; id < 400; id++) {
            rows.add(RowFactory.create(
                    id,
                    random.nextInt(5) == 0 ? null : random.nextInt(-3, 4),
                    random.nextInt(5) == 0 ? null : (float) odd[random.nextInt(odd.length)],
                    random.nextInt(5) == 0 ? null : odd[random.nextInt(odd.length)],
                    random.nextInt(5) == 0 ? null : texts[random.nextInt(texts.length)],
                    random.nextInt(5) == 0 ? null : random.nextBoolean(),
                    random.nextInt(5) == 0 ? null : new byte[random.nextInt(3)]));
        }
        return LocalSpark.session().createDataFrame(rows, schema).coalesce(2);
    }

    private static String comparison(Random random) {
        String comparison = COMPARISONS.get(random.nextInt(COMPARISONS.size()));
        String[] floats = {"double('nan')", "double('inf')", "0.1D", "0.0D", "1.5D", "-1D", "1"};
        return switch (random.nextInt(11)) {
            case 0 -> "n " + comparison + " " + random.nextInt(-3, 4);
            case 1 -> "x " + comparison + " float(" + floats[random.nextInt(floats.length)] + ")";
            case 2 -> "x " + comparison + " " + floats[random.nextInt(floats.length)];
            case 3 -> "y " + comparison + " " + floats[random.nextInt(floats.length)];
            case 4 ->
                "s " + comparison + " "
                        + List.of("'a'", "'a\\'b'", "'größe'", "''", "'back\\\\slash'")
                                .get(random.nextInt(5));
            case 5 -> "b " + comparison + " true";
            case 6 -> "n in (1, 2, " + random.nextInt(5) + ")";
            case 7 -> "s in ('a', '😀', 'line\\nbreak')";
            case 8 -> List.of("n", "x", "s", "b", "r").get(random.nextInt(5)) + " is null";
            case 9 -> "id " + comparison + " n";
            default ->
                List.of("s like 'a%'", "r = X'0000'", "n % 2 = 1", "n + 1 > 2", "b")
                        .get(random.nextInt(5));
        };
    }

    private static String condition(Random random, int depth) {
        if (depth == 0 || random.nextInt(3) == 0) {
            return comparison(random);
        }
        return switch (random.nextInt(3)) {
            case 0 -> "(" + condition(random, depth - 1) + " and " + condition(random, depth - 1) + ")";
            case 1 -> "(" + condition(random, depth - 1) + " or " + condition(random, depth - 1) + ")";
            default -> "not (" + condition(random, depth - 1) + ")";
        };
    }

    @Test
    void randomConditionsFindTheRowsOfParquet() {
        Dataset<Row> rows = data();
        Path path = temporary.resolve("store");
        rows.write().format("penstock").option("kind", "store").save(path.toString());
        Dataset<Row> other = LocalSpark.session().createDataFrame(rows.collectAsList(), rows.schema());
        // Spark's own evaluation over rows in memory is what Parquet gives as well, and takes a tenth of the time.
        Random random = new Random(5);
        int pushedCount = 0;
        // One query for many conditions would push none of them down, so each is a query.
        for (int i = 0; i < 60; i++) {
            String condition = condition(random, 3);
            Dataset<Row> found = LocalSpark.read(path).where(condition).select("id");
            pushedCount += LocalSpark.plan(found).contains(" where ") ? 1 : 0;
            assertEquals(LocalSpark.values(other.where(condition).select("id")), LocalSpark.values(found), condition);
        }
        assertTrue(pushedCount > 20, pushedCount + " conditions were pushed down");
    }

    @Test
    void aTableOfFixedTextsAndNarrowFloatsFindsTheRowsOfParquet() {
        Path path = temporary.resolve("table");
        Dataset<Row> rows = AllTypes.rows(200, 4);
        rows.write().format("penstock").option("types", AllTypes.TYPES).save(path.toString());
        String copy = temporary.resolve("parquet").toString();
        rows.write().parquet(copy);
        for (String condition : List.of(
                "u64 > 9223372036854775807",
                "u64 = 18446744073709551615",
                "u8 = 255 or u16 < 100",
                "not (u32 >= 2147483648)",
                "f16 > 1 and bf16 <= 5.25",
                "f16 > float(0.1)",
                "not (f32 < 1)",
                "f64 > 3 or f64 = double('nan')",
                "text in ('größe\\'\\\\', '')",
                "wide > 'w5'",
                "wide = '😀 wide'",
                "raw > X'800000'",
                "i8 = -128",
                "i64 <= -9223372036854775808",
                "vector[0] > 1",
                "c64.real < 0",
                "flag")) {
            assertEquals(
                    LocalSpark.values(LocalSpark.session().read().parquet(copy).where(condition)),
                    LocalSpark.values(LocalSpark.read(path).where(condition)),
                    condition);
        }
    }

    /// What a pushed filter is in the plan. An unequal value would be found twice or not at all without it.
    @Test
    void plansShowWhatWasPushedDown() {
        Path path = temporary.resolve("table");
        AllTypes.rows(50, 4)
                .write()
                .format("penstock")
                .option("types", AllTypes.TYPES)
                .save(path.toString());
        String plan = LocalSpark.plan(
                LocalSpark.read(path).where("i32 > 5 and text like '%1'").select("id"));
        assertTrue(plan.contains("`i32` > 5"), plan);
        assertTrue(plan.contains("Filter ") && plan.contains("EndsWith"), plan);
        assertFalse(plan.contains("f64#"), plan);
        assertTrue(LocalSpark.plan(LocalSpark.read(path).limit(3)).contains("limit 3"));
        Dataset<Row> few = LocalSpark.session()
                .read()
                .format("penstock")
                .option("where", "vector[2] < 5 and matrix[0, 0] == 255")
                .load(path.toString());
        assertEquals(5, few.count());
        assertEquals(2, few.where("id in (1, 3, 7)").count());
    }
}
